#include "launch/walk_memo.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMO_MAGIC "ktwalk\x04"      /* eight bytes with its NUL */
#define MEMO_SLOTS 32768u
#define MEMO_PROBES 8u
#define MEMO_BYTES ((size_t)32 << 20) /* a larger memo is started again, empty */

struct header {
	char magic[8];
	uint32_t slots[MEMO_SLOTS]; /* offset of a record in units of 8 bytes; 0: free */
};

struct record {
	uint64_t device, inode, size;
	int64_t mtime_ns, ctime_ns;
	uint32_t flags, text_size;
	uint64_t checksum; /* of everything else */
};

struct kt_memo {
	char *path, *directory;
	const char *data;
	size_t size;
	struct kt_buf pending; /* records, each padded to 8 bytes */
};

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t checksum(const struct record *record, const char *text)
{
	uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), record, offsetof(struct record, checksum));

	return mix(hash, text, record->text_size);
}

static uint32_t first_slot(const struct record *record)
{
	return (uint32_t)(mix(UINT64_C(0xcbf29ce484222325), record, offsetof(struct record, mtime_ns)) >> 20) % MEMO_SLOTS;
}

static bool same_file(const struct record *a, const struct record *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size && a->mtime_ns == b->mtime_ns &&
	       a->ctime_ns == b->ctime_ns;
}

static struct record of_stamp(const struct kt_file_stamp *stamp)
{
	return (struct record){.device = stamp->device,
	                       .inode = stamp->inode,
	                       .size = stamp->size,
	                       .mtime_ns = stamp->mtime_ns,
	                       .ctime_ns = stamp->ctime_ns};
}

static void map(struct kt_memo *memo)
{
	struct stat info;
	void *data;
	int fd = kt_fs_open_regular(memo->path, O_RDONLY);

	if (fd < 0)
		return;
	if (fstat(fd, &info) == 0 && (size_t)info.st_size >= sizeof(struct header)) {
		data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, fd, 0);
		if (data != MAP_FAILED) {
			memo->data = data;
			memo->size = (size_t)info.st_size;
		}
	}
	close(fd);
	if (memo->data != NULL && memcmp(memo->data, MEMO_MAGIC, sizeof MEMO_MAGIC) != 0) {
		munmap((void *)(uintptr_t)memo->data, memo->size);
		memo->data = NULL;
	}
}

struct kt_memo *kt_memo_open(const char *directory)
{
	struct kt_memo *memo = calloc(1, sizeof *memo);
	size_t length = directory == NULL ? 0 : strlen(directory) + sizeof "/walk.memo";

	if (memo == NULL)
		return NULL;
	memo->pending = (struct kt_buf)KT_BUF(MEMO_BYTES / 4);
	if (length <= sizeof "/walk.memo")
		return memo;
	memo->path = malloc(length);
	memo->directory = strdup(directory);
	if (memo->path == NULL || memo->directory == NULL) {
		free(memo->path);
		memo->path = NULL;
		return memo;
	}
	(void)snprintf(memo->path, length, "%s/walk.memo", directory);
	map(memo);
	return memo;
}

bool kt_memo_find(const struct kt_memo *memo, const struct kt_file_stamp *stamp, unsigned *flags, const char **text,
                  size_t *size)
{
	const struct header *header = (const void *)memo->data;
	struct record wanted = of_stamp(stamp);
	uint32_t slot = first_slot(&wanted);

	for (unsigned i = 0; memo->data != NULL && i < MEMO_PROBES; i++) {
		size_t offset = (size_t)header->slots[(slot + i) % MEMO_SLOTS] * 8;
		struct record found;

		if (offset == 0)
			return false;
		/* A record that was appended after this mapping is out of reach, as is a damaged offset. */
		if (offset < sizeof *header || offset > memo->size - sizeof found)
			continue;
		memcpy(&found, memo->data + offset, sizeof found);
		if (!same_file(&found, &wanted) || found.text_size > memo->size - offset - sizeof found ||
		    checksum(&found, memo->data + offset + sizeof found) != found.checksum)
			continue;
		*flags = found.flags;
		*text = memo->data + offset + sizeof found;
		*size = found.text_size;
		return true;
	}
	return false;
}

void kt_memo_add(struct kt_memo *memo, const struct kt_file_stamp *stamp, unsigned flags, const char *text,
                 size_t size)
{
	static const char zeros[8];
	struct record record = of_stamp(stamp);
	size_t needed = sizeof record + size + sizeof zeros;

	if (memo->path == NULL || needed > memo->pending.limit - memo->pending.size)
		return;
	record.flags = flags;
	record.text_size = (uint32_t)size;
	record.checksum = checksum(&record, text);
	kt_buf_add(&memo->pending, &record, sizeof record);
	kt_buf_add(&memo->pending, text, size);
	kt_buf_add(&memo->pending, zeros, (8 - memo->pending.size % 8) % 8);
}

static bool put(int fd, const void *data, size_t size, size_t offset)
{
	return pwrite(fd, data, size, (off_t)offset) == (ssize_t)size;
}

/* The slot for a record: its own stale one, else a free one, else the first. */
static uint32_t choose_slot(int fd, const struct record *record)
{
	uint32_t first = first_slot(record), offset;

	for (unsigned i = 0; i < MEMO_PROBES; i++) {
		uint32_t slot = (first + i) % MEMO_SLOTS;
		struct record old;

		if (pread(fd, &offset, sizeof offset, (off_t)(offsetof(struct header, slots) + slot * sizeof offset)) !=
		    (ssize_t)sizeof offset)
			break;
		if (offset == 0)
			return slot;
		if (pread(fd, &old, sizeof old, (off_t)offset * 8) == (ssize_t)sizeof old &&
		    old.device == record->device && old.inode == record->inode)
			return slot;
	}
	return first;
}

/* Records first, slots after them: a reader never sees a slot without its record. */
static void append(struct kt_memo *memo, int fd, size_t end)
{
	const char *data = kt_buf_text(&memo->pending);

	end = (end + 7) / 8 * 8;
	if (!put(fd, data, memo->pending.size, end))
		return;
	for (size_t at = 0; at < memo->pending.size;) {
		struct record record;
		uint32_t units = (uint32_t)((end + at) / 8);

		memcpy(&record, data + at, sizeof record);
		if (!put(fd, &units, sizeof units,
		         offsetof(struct header, slots) + choose_slot(fd, &record) * sizeof units))
			return;
		at += (sizeof record + record.text_size + 7) / 8 * 8;
	}
}

/* A new file under the name, so that mappings of the old one do not change. */
static int create(const struct kt_memo *memo)
{
	struct kt_error ignored;
	struct header *header;
	kt_status status = kt_fs_mkdirs(memo->directory, &ignored);

	header = status == KT_OK ? calloc(1, sizeof *header) : NULL;
	if (header == NULL)
		return -1;
	memcpy(header->magic, MEMO_MAGIC, sizeof header->magic);
	status = kt_fs_write(memo->path, header, sizeof *header, &ignored);
	free(header);
	return status == KT_OK ? kt_fs_open_regular(memo->path, O_RDWR) : -1;
}

static void save(struct kt_memo *memo)
{
	struct stat info;
	char magic[sizeof(((struct header *)0)->magic)];
	int fd = kt_fs_open_regular(memo->path, O_RDWR);

	/* Whatever else has the name of our own file goes: a link, a pipe. */
	if (fd < 0)
		(void)unlink(memo->path);
	if (fd >= 0 && (fstat(fd, &info) != 0 || (size_t)info.st_size < sizeof(struct header) ||
	                (size_t)info.st_size > MEMO_BYTES || pread(fd, magic, sizeof magic, 0) != (ssize_t)sizeof magic ||
	                memcmp(magic, MEMO_MAGIC, sizeof magic) != 0)) {
		close(fd);
		fd = -1;
		(void)unlink(memo->path);
	}
	if (fd < 0)
		fd = create(memo);
	if (fd < 0)
		return;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &info) == 0)
		append(memo, fd, (size_t)info.st_size);
	close(fd);
}

void kt_memo_close(struct kt_memo *memo)
{
	if (memo == NULL)
		return;
	if (memo->pending.size > 0 && !memo->pending.failed)
		save(memo);
	if (memo->data != NULL)
		munmap((void *)(uintptr_t)memo->data, memo->size);
	kt_buf_free(&memo->pending);
	free(memo->path);
	free(memo->directory);
	free(memo);
}
