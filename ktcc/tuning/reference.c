#include "tuning/reference.h"

#include <string.h>

#include "base/fs.h"
#include "base/proc.h"
#include "generation/generation.h"
#include "tuning/unit.h"

#define BUILD_SECONDS 300.0
#define HASH_SHOWN 16 /* digits of the text's hash in the name of the program */

/* In front of everything, so that no macro of the user's is read into the headers. */
static const char head[] = "#include <stdlib.h>\n"
                           "#include <sys/mman.h>\n"
                           "#include <sys/resource.h>\n"
                           "#include <sys/stat.h>\n"
                           "#include <unistd.h>\n"
                           "#define main ktune_users_main\n";

/* Besides the file, the function may have four gigabytes of memory. */
static const char begin[] =
    "\n#undef main\n"
    "#line 1 \"ktune\"\n"
    "struct ktune_slot { long long at; double value; };\n"
    "static void ktune_limit(int resource, rlim_t most)\n"
    "{\n"
    "\tstruct rlimit limit = {most, most};\n"
    "\tsetrlimit((__rlimit_resource_t)resource, &limit);\n"
    "}\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "\tstruct stat info;\n"
    "\tconst int file = argc == 3 ? (int)strtol(argv[1], 0, 10) : -1;\n"
    "\tif (file < 0 || fstat(file, &info) != 0) return 100;\n"
    "\tvoid *memory = mmap(0, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);\n"
    "\tif (memory == MAP_FAILED) return 101;\n"
    "\tfor (int i = 3; i < 1024; i++) close(i);\n"
    "\tktune_limit(RLIMIT_CORE, 0);\n"
    "\tktune_limit(RLIMIT_FSIZE, 0);\n"
    "\tktune_limit(RLIMIT_AS, (rlim_t)info.st_size + ((rlim_t)4 << 30));\n"
    "\tktune_limit(RLIMIT_CPU, (rlim_t)strtol(argv[2], 0, 10) * (rlim_t)sysconf(_SC_NPROCESSORS_ONLN) + 1);\n"
    "\tconst ktune_slot *slot = static_cast<const ktune_slot *>(memory);\n"
    "\tchar *bytes = static_cast<char *>(memory);\n"
    "\t(void)slot, (void)bytes;\n";

static void add_call(struct kt_buf *out, const struct kt_host_reference *reference)
{
	kt_buf_addf(out, "\t%s(", reference->function);
	for (size_t i = 0; i < reference->parameter_count; i++) {
		kt_buf_adds(out, i > 0 ? ", " : "");
		if (reference->parameters[i].buffer >= 0)
			kt_buf_addf(out, "reinterpret_cast<double *>(bytes + slot[%zu].at)", i);
		else
			kt_buf_addf(out, "slot[%zu].value", i);
	}
	kt_buf_adds(out, ");\n\treturn 0;\n}\n");
}

static void write_text(struct kt_buf *out, const struct kt_region *region, const char *source, size_t source_size)
{
	struct kt_region sliced = *region;

	sliced.drops = region->reference.drops;
	sliced.drop_count = region->reference.drop_count;
	kt_buf_adds(out, head);
	kt_slice(out, &sliced, source, source_size, NULL);
	kt_buf_adds(out, begin);
	add_call(out, &region->reference);
}

static kt_status compile_text(const struct kt_compile *compile, struct kt_arena *arena, const struct kt_region *region,
                              const char *text_path, const char *program, struct kt_error *err)
{
	struct kt_buf said = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	struct kt_proc_options options = {.directory = compile->directory, .timeout_s = BUILD_SECONDS};
	struct kt_proc_result result;
	/* A reference is for precision, whatever the program around it is compiled for. */
	char **argv = kt_unit_command(arena, compile, region, KT_UNIT_PROGRAM, text_path, program,
	                              "-Xcompiler=-fno-fast-math,-ffp-contract=off");
	kt_status status;

	options.environment = kt_unit_environment(arena, compile);
	if (argv == NULL || options.environment == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "reference: out of memory");
	status = kt_proc_run(&result, argv, &options, &said, &said, err);
	if (status == KT_OK && (result.signalled || result.timed_out || result.code != 0))
		status = kt_fail(err, KT_ERR_INVALID, "the host reference '%s' does not compile by itself: %.600s",
		                 region->reference.function, kt_buf_text(&said));
	kt_buf_free(&said);
	return status;
}

kt_status kt_reference_build(const char **program, struct kt_arena *arena, const struct kt_compile *compile,
                             const struct kt_region *region, const char *source, size_t source_size,
                             struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_hash hash;
	char digits[KT_HASH_TEXT];
	const char *path, *text_path, *scratch = kt_path_absolute(arena, compile->scratch, NULL);
	kt_status status;

	*program = NULL;
	if (region->reference.function == NULL)
		return KT_OK;
	write_text(&text, region, source, source_size);
	status = kt_buf_check(&text, "a host reference", err);
	kt_hash_init(&hash);
	kt_hash_field(&hash, "reference", kt_buf_text(&text));
	kt_hash_final(&hash, digits);
	path = kt_arena_printf(arena, "%s/reference_%.*s", scratch != NULL ? scratch : "", HASH_SHOWN, digits);
	text_path = kt_arena_printf(arena, "%s.cu", path != NULL ? path : "");
	if (status == KT_OK && (scratch == NULL || path == NULL || text_path == NULL))
		status = kt_fail(err, KT_ERR_MEMORY, "reference: out of memory");
	if (status == KT_OK && !kt_fs_is_file(path)) {
		status = kt_fs_write(text_path, text.data, text.size, err);
		THEN(status, compile_text(compile, arena, region, text_path, path, err));
	}
	if (status == KT_OK)
		*program = path;
	kt_buf_free(&text);
	return status;
}
