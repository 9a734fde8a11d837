/*
 * The main of a fuzz target that is built without libFuzzer: runs it once over
 * each file of the folder given. A missing or empty folder is a failure.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "fuzz.h"

/* Where a target has none of its own. */
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

/* An exact copy on the heap, so that a checker sees a read past its end. */
static void run(const struct kt_buf *text)
{
	uint8_t *data = malloc(text->size > 0 ? text->size : 1);

	KT_FUZZ_REQUIRE(data != NULL);
	if (text->size > 0)
		memcpy(data, text->data, text->size);
	KT_FUZZ_REQUIRE(LLVMFuzzerTestOneInput(data, text->size) == 0);
	free(data);
}

int main(int argc, char **argv)
{
	/* A target may go elsewhere before the first file is read. */
	char *folder = argc == 2 ? realpath(argv[1], NULL) : NULL;
	DIR *directory = folder != NULL ? opendir(folder) : NULL;
	const struct dirent *entry;
	unsigned count = 0;

	if (directory == NULL) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	LLVMFuzzerInitialize(&argc, &argv);
	while ((entry = readdir(directory)) != NULL) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
		struct kt_error err;
		char path[4096];

		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (kt_fs_read(&text, path, &err) != KT_OK) {
			fprintf(stderr, "%s\n", err.message);
			return 1;
		}
		/* Named before it runs: an abort leaves no time for it. */
		printf("%s\n", entry->d_name);
		fflush(stdout);
		run(&text);
		kt_buf_free(&text);
		count++;
	}
	closedir(directory);
	free(folder);
	return count == 0;
}
