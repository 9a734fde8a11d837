/* Scans of groups: not understood (see ../cooperative_groups.h). */
#ifndef KTUNE_COOPERATIVE_GROUPS_SCAN_H
#define KTUNE_COOPERATIVE_GROUPS_SCAN_H

#include <cooperative_groups/reduce.h>

namespace cooperative_groups
{
inline namespace __v1
{
template <class G, class T> KTUNE_G T inclusive_scan(const G &, T);
template <class G, class T, class F> KTUNE_G T inclusive_scan(const G &, T, F);
template <class G, class T> KTUNE_G T exclusive_scan(const G &, T);
template <class G, class T, class F> KTUNE_G T exclusive_scan(const G &, T, F);
template <class G, class F> KTUNE_G void invoke_one(const G &, F);
}
}

#endif
