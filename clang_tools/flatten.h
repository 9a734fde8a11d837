/*
 * Regions in headers: which files of the include graph are read as part of the
 * main file, and the text that comes of it (base/flat.h). Those that hold a
 * region or a launch of one, everything that includes them, and what quoted
 * includes would be found elsewhere without.
 */
#ifndef KT_CLANG_FLATTEN_H
#define KT_CLANG_FLATTEN_H

#include "unit.h"

/*
 * Looks at the parsed unit. When headers hold regions and can be put in,
 * scan->flat and scan->flat_text are filled, and the unit has to be parsed
 * again with that text as its main file; scan->folders are then searched for
 * quoted includes, and scan->absent must stay absent. Headers that cannot are
 * listed in scan->left_out with their reason. Fails where the main file cannot be copied either.
 */
kt_status kt_flatten(struct kt_scan *scan, struct kt_error *err) KT_MUST_CHECK;
/* Would it have anything to put in? The graph of a unit with a precompiled header tells no more than that. */
bool kt_flatten_wants(struct kt_scan *scan);

#endif
