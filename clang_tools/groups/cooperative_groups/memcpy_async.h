/* Asynchronous copies of groups: not understood (see ../cooperative_groups.h). */
#ifndef KTUNE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define KTUNE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include <cooperative_groups.h>

namespace cooperative_groups
{
inline namespace __v1
{
template <class G, class T, class S> KTUNE_G void memcpy_async(const G &, T *, const T *, S);
template <class G> KTUNE_G void wait(const G &);
template <unsigned N, class G> KTUNE_G void wait_prior(const G &);
}
}

#endif
