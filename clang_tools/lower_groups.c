/* Cooperative groups while kernels are lowered: headers of ours in the place of the toolkit's (groups/). */
#include "lower_internal.h"

#include <string.h>

#include "base/fs.h"

const char *kt_lower_groups(struct kt_scan *scan)
{
	const char *folder = kt_install_path(scan->arena, KT_GROUPS_FOLDER);

	return folder != NULL && kt_fs_is_dir(folder) ? folder : NULL;
}

bool kt_lower_is_group(CXCursor class)
{
	CXCursor space = kt_clang.getCursorSemanticParent(class);
	bool is_group = false;

	while (kt_clang.getCursorKind(space) == CXCursor_Namespace && !is_group) {
		CXString name = kt_clang.getCursorSpelling(space);

		is_group = strcmp(kt_clang.getCString(name), "cooperative_groups") == 0;
		kt_clang.disposeString(name);
		space = kt_clang.getCursorSemanticParent(space);
	}
	return is_group;
}
