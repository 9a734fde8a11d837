/*
 * A compiler that costs a millisecond, for tests that need thousands of compilations: what it makes of a source is the
 * source. It understands what ktcc asks of nvcc.
 *
 *   --version      a release
 *   -ptx           one entry, and the hash of the text
 *   -cubin         an ELF file with a function for each candidate and kernel of the text
 *   -c             an "object": a head and the text; with -MD -MF a depfile
 *
 * FAKE_LOG names a file that gets a line a call (its kind). FAKE_DELAY_MS: how long one takes.
 * FAKE_HOLD names a file: no -cubin ends while it is there, for a minute.
 */
#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TEXT_MOST ((size_t)8 << 20)
#define NAMES_MOST 256
#define SECTIONS_MOST (2 * NAMES_MOST + 2)

static char text[TEXT_MOST];
static size_t text_size;

static void die(const char *what)
{
	fprintf(stderr, "nvcc: %s\n", what);
	exit(2);
}

static void read_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		die(path);
	while (text_size < TEXT_MOST - 1 && (got = read(fd, text + text_size, TEXT_MOST - 1 - text_size)) > 0)
		text_size += (size_t)got;
	close(fd);
}

static void write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size > 0) {
		ssize_t put = write(fd, at, size);

		if (put <= 0)
			die("cannot write");
		at += put;
		size -= (size_t)put;
	}
}

static int create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0)
		die(path);
	return fd;
}

static uint64_t hash(void)
{
	uint64_t value = 14695981039346656037u;

	for (size_t i = 0; i < text_size; i++)
		value = (value ^ (unsigned char)text[i]) * 1099511628211u;
	return value;
}

static size_t word_length(const char *at)
{
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) || at[length] == '_')
		length++;
	return length;
}

struct names {
	size_t count;
	char items[NAMES_MOST][64];
};

static void add_name(struct names *names, const char *at, size_t length)
{
	if (length >= sizeof names->items[0] || names->count == NAMES_MOST)
		return;
	for (size_t i = 0; i < names->count; i++)
		if (strlen(names->items[i]) == length && memcmp(names->items[i], at, length) == 0)
			return;
	memcpy(names->items[names->count], at, length);
	names->items[names->count++][length] = '\0';
}

/* "kt_c12" anywhere, and the word in front of "(" behind each "__global__". */
static void find_names(struct names *names)
{
	const char *at = text, *open;

	while ((at = strstr(at, "kt_c")) != NULL) {
		if (isdigit((unsigned char)at[4]))
			add_name(names, at, word_length(at));
		at += 4;
	}
	for (at = text; (at = strstr(at, "__global__")) != NULL && (open = strchr(at, '(')) != NULL; at = open) {
		const char *end = open;

		while (end > at && isspace((unsigned char)end[-1]))
			end--;
		const char *begin = end;
		while (begin > at && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
			begin--;
		if (end > begin)
			add_name(names, begin, (size_t)(end - begin));
	}
}

/* Sections, with names mangled, ".text.NAME" and ".nv.constant0.NAME", empty. */
static void write_cubin(const char *path)
{
	static struct names names;
	static Elf64_Shdr sections[SECTIONS_MOST];
	static char strings[SECTIONS_MOST * 96];
	size_t count = 1, used = 1;
	Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	                   .e_type = ET_EXEC, .e_machine = 190, .e_version = EV_CURRENT, .e_ehsize = sizeof head,
	                   .e_shentsize = sizeof sections[0]};
	int fd;

	find_names(&names);
	for (size_t i = 0; i < names.count; i++) {
		static const char *const prefixes[] = {".text.", ".nv.constant0."};

		for (size_t p = 0; p < 2; p++) {
			sections[count++] = (Elf64_Shdr){
			    .sh_name = (Elf64_Word)used, .sh_type = SHT_PROGBITS, .sh_offset = sizeof head};
			used += (size_t)snprintf(strings + used, sizeof strings - used, "%s_Z%zu%sPfPKffi", prefixes[p],
			                         strlen(names.items[i]), names.items[i]) + 1;
		}
	}
	sections[count] = (Elf64_Shdr){.sh_name = 0, .sh_type = SHT_STRTAB, .sh_offset = sizeof head, .sh_size = used};
	head.e_shstrndx = (Elf64_Half)count++;
	head.e_shnum = (Elf64_Half)count;
	head.e_shoff = sizeof head + used;
	fd = create(path);
	write_all(fd, &head, sizeof head);
	write_all(fd, strings, used);
	write_all(fd, sections, count * sizeof sections[0]);
	close(fd);
}

static void write_ptx(const char *path)
{
	static struct names names;
	char out[512];
	int fd = create(path);

	find_names(&names);
	write_all(fd, out, (size_t)snprintf(out, sizeof out, ".version 8.0\n.target sm_90\n"));
	for (size_t i = 0; i < names.count; i++)
		write_all(fd, out, (size_t)snprintf(out, sizeof out, ".visible .entry _Z%zu%sPfPKffi(\n)\n{\n"
		                                                     "\tmov.b64 %%rd1, 0x%016llx;\n\tret;\n}\n",
		                                    strlen(names.items[i]), names.items[i], (unsigned long long)hash()));
	close(fd);
}

static void sleep_ms(long ms)
{
	const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&pause, NULL);
}

static void take_time(void)
{
	const char *delay = getenv("FAKE_DELAY_MS");

	sleep_ms(delay != NULL ? strtol(delay, NULL, 10) : 0);
}

static void wait_while_held(void)
{
	const char *hold = getenv("FAKE_HOLD");

	for (int i = 0; i < 6000 && hold != NULL && access(hold, F_OK) == 0; i++)
		sleep_ms(10);
}

static void write_object(const char *path)
{
	int fd = create(path);

	write_all(fd, "object\n", 7);
	take_time();
	write_all(fd, text, text_size);
	close(fd);
}

static void write_depfile(const char *path, const char *object, const char *source)
{
	char out[8192];
	int fd = create(path);

	write_all(fd, out, (size_t)snprintf(out, sizeof out, "%s : %s\n", object, source));
	close(fd);
}

static void note(const char *kind)
{
	const char *path = getenv("FAKE_LOG");
	int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;

	if (fd < 0)
		return;
	write_all(fd, kind, strlen(kind));
	close(fd);
}

int main(int argc, char **argv)
{
	const char *source = NULL, *output = NULL, *depfile = NULL, *kind = NULL;

	for (int i = 1; i < argc; i++) {
		const size_t length = strlen(argv[i]);

		if (strcmp(argv[i], "--version") == 0) {
			puts("Cuda compilation tools, release 13.0, V13.0.88");
			return 0;
		}
		if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
			output = argv[++i];
		else if (strcmp(argv[i], "-MF") == 0 && i + 1 < argc)
			depfile = argv[++i];
		else if (strcmp(argv[i], "-ptx") == 0 || strcmp(argv[i], "-cubin") == 0 || strcmp(argv[i], "-c") == 0)
			kind = argv[i];
		else if (length > 3 && strcmp(argv[i] + length - 3, ".cu") == 0)
			source = argv[i];
	}
	if (source == NULL || output == NULL || kind == NULL)
		die("what shall I do?");
	read_text(source);
	if (strcmp(kind, "-ptx") == 0) {
		note("ptx\n");
		take_time();
		write_ptx(output);
	} else if (strcmp(kind, "-cubin") == 0) {
		note("cubin\n");
		take_time();
		wait_while_held();
		write_cubin(output);
	} else {
		note("object\n");
		write_object(output);
		if (depfile != NULL)
			write_depfile(depfile, output, source);
	}
	return 0;
}
