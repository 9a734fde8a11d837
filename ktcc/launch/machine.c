#include "launch/machine.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

#define NODES_MOST 1024

/* "nvidia0", but neither "nvidiactl" nor "nvidia-uvm"; -1 for those. */
static int node_number(const char *name)
{
	static const char prefix[] = "nvidia";
	const char *digits = name + sizeof prefix - 1;
	int number = 0;

	if (strncmp(name, prefix, sizeof prefix - 1) != 0 || *digits == '\0' || strlen(digits) > 6)
		return -1;
	for (; *digits != '\0'; digits++) {
		if (*digits < '0' || *digits > '9')
			return -1;
		number = number * 10 + (*digits - '0');
	}
	return number;
}

static int compare(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	return (left > right) - (left < right);
}

/* The numbers of the device nodes, ascending: a directory has no order. */
static size_t list_nodes(int numbers[NODES_MOST])
{
	DIR *directory = opendir("/dev");
	const struct dirent *entry;
	size_t count = 0;

	if (directory == NULL)
		return 0;
	while (count < NODES_MOST && (entry = readdir(directory)) != NULL) {
		int number = node_number(entry->d_name);

		if (number >= 0)
			numbers[count++] = number;
	}
	closedir(directory);
	qsort(numbers, count, sizeof *numbers, compare);
	return count;
}

static void hash_file(struct kt_hash *hash, const char *tag, const char *path)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error ignored;

	kt_hash_field(hash, tag, kt_fs_read(&text, path, &ignored) == KT_OK ? kt_buf_text(&text) : NULL);
	kt_buf_free(&text);
}

void kt_machine_fingerprint(char out[KT_HASH_TEXT])
{
	int numbers[NODES_MOST];
	size_t count = list_nodes(numbers);
	struct kt_hash hash;

	kt_hash_init(&hash);
	kt_hash_field(&hash, "machine", "1");
	for (size_t i = 0; i < count; i++)
		kt_hash_int(&hash, "node", numbers[i]);
	hash_file(&hash, "driver", "/proc/driver/nvidia/version");
	kt_hash_field(&hash, "visible", getenv("CUDA_VISIBLE_DEVICES"));
	/* A card is changed only while the machine is off; without one a new start changes nothing. */
	if (count != 0)
		hash_file(&hash, "boot", "/proc/sys/kernel/random/boot_id");
	kt_hash_final(&hash, out);
}

bool kt_machine_has_gpu(void)
{
	int numbers[NODES_MOST];

	return list_nodes(numbers) > 0;
}
