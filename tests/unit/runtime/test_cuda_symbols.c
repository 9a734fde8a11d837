/*
 * Device symbols on the CUDA backend, over a driver that knows names and writes down its copies: where they are found,
 * and what is copied in which order around launches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/image.h"
#include "cuda/session.h"

enum { FIELD = 0x100000, TABLE = 0x7000, HIDDEN = 0x9000, OTHER = 0xb000 };
enum { Y, TABLE_BUFFER, X, BUFFERS };

static struct kt_session session;
static struct kt_module module;
static char calls[1024];
static int kernel_name, stream_name;
/* What the program has, by its compiler's names. */
static const struct variable {
	const char *name;
	kt_cu_address address;
	size_t bytes;
} *variables;
static kt_cu_address got[BUFFERS];
static unsigned gate;
static unsigned char structure[64];
static size_t structure_bytes; /* of the first argument, as far as it is one */
static unsigned char memory[0x200]; /* of the device, as far as constants are in it */
static kt_cu_result asking; /* what becomes of a question that has an answer */

static void note(const char *format, unsigned long long a, unsigned long long b, size_t bytes)
{
	const size_t used = strlen(calls);
	const int more = snprintf(calls + used, sizeof calls - used, format, a, b, bytes);
	assert_true(more > 0 && (size_t)more < sizeof calls - used);
}

static kt_cu_result module_global(kt_cu_address *out, size_t *bytes, kt_cu_handle handle, const char *name)
{
	assert_ptr_equal(handle, &module);
	for (const struct variable *v = variables; v->name; v++) {
		if (strcmp(v->name, name) == 0) {
			*out = v->address;
			*bytes = v->bytes;
			return asking;
		}
	}
	return KT_CU_NOT_FOUND;
}

static kt_cu_result on_device(kt_cu_address to, kt_cu_address from, size_t bytes, kt_cu_handle stream)
{
	assert_ptr_equal(stream, &stream_name);
	note("%llx<-%llx:%zu ", to, from, bytes);
	return 0;
}

static kt_cu_result to_host(void *to, kt_cu_address from, size_t size, kt_cu_handle stream)
{
	assert_ptr_equal(stream, &stream_name);
	memcpy(to, memory + from, size);
	return 0;
}

static kt_cu_result to_device(kt_cu_address to, const void *from, size_t size, kt_cu_handle stream)
{
	assert_ptr_equal(stream, &stream_name);
	memcpy(memory + to, from, size);
	return 0;
}

static kt_cu_result launch(kt_cu_handle function, unsigned x, unsigned y, unsigned z, unsigned block_x,
                           unsigned block_y, unsigned block_z, unsigned shared_bytes, kt_cu_handle stream,
                           void **arguments, void **extra)
{
	(void)x, (void)y, (void)z, (void)block_x, (void)block_y, (void)block_z, (void)shared_bytes, (void)extra, (void)stream;
	assert_ptr_equal(function, &kernel_name);
	memcpy(&got[Y], arguments[0], sizeof got[Y]);
	memcpy(&got[X], arguments[1], sizeof got[X]);
	memcpy(structure, (const unsigned char *)arguments[0], structure_bytes);
	note("launch ", 0, 0, 0);
	return 0;
}

static kt_cu_result event_record(kt_cu_handle event, kt_cu_handle stream)
{
	(void)event, (void)stream;
	note("event ", 0, 0, 0);
	return 0;
}

static kt_cu_result done(kt_cu_handle handle)
{
	(void)handle;
	return 0;
}

static kt_cu_result synchronize(void)
{
	return 0;
}

static kt_cu_result elapsed(float *milliseconds, kt_cu_handle start, kt_cu_handle end)
{
	(void)start, (void)end;
	*milliseconds = 1;
	return 0;
}

static kt_cu_result error_name(kt_cu_result error, const char **text)
{
	(void)error;
	*text = "CUDA_ERROR";
	return 0;
}

/* y and x are arguments, the table is a symbol of 100 floats of which a clause counts 64. */
static struct kt_run_buffer buffers[BUFFERS];
static struct kt_run_argument arguments[] = {{.is_buffer = true, .buffer = Y}, {.is_buffer = true, .buffer = X}};
static struct kt_run_region region;
static const struct variable usual[] = {{"table", TABLE, 400}, {NULL, 0, 0}};
static const struct variable nothing[] = {{NULL, 0, 0}};

static void set_up(void)
{
	memset(&session, 0, sizeof session);
	memset(&module, 0, sizeof module);
	calls[0] = '\0';
	asking = 0;
	variables = usual;
	static const struct kt_limits exact;
	const struct kt_element *const f32 = kt_element_of(KT_F32);
	buffers[Y] = (struct kt_run_buffer){.name = "y", .element = f32, .direction = KT_OUT, .limits = &exact};
	buffers[X] = (struct kt_run_buffer){.name = "x", .element = f32, .direction = KT_IN, .limits = &exact};
	buffers[TABLE_BUFFER] = (struct kt_run_buffer){
	    .name = "table", .element = f32, .direction = KT_IN, .limits = &exact, .symbol = "_ZL5table", .symbol_bytes = 400};
	region = (struct kt_run_region){.buffer_count = BUFFERS, .buffers = buffers, .argument_count = 2,
	                                .arguments = arguments};
	session.cu.module_global = module_global;
	session.cu.on_device = on_device;
	session.cu.to_host = to_host;
	session.cu.to_device = to_device;
	session.cu.launch = launch;
	session.cu.event_record = event_record;
	session.cu.event_elapsed = elapsed;
	session.cu.event_query = done;
	session.cu.stream_query = done;
	session.cu.context_synchronize = synchronize;
	session.cu.error_name = error_name;
	session.stream = &stream_name;
	session.engine.region = &region;
	session.field = FIELD;
	session.gate = &gate;
	module.handle = &module;
}

static void put(unsigned char *image, size_t at, const void *what, size_t size)
{
	memcpy(image + at, what, size);
}

/* A file with the one symbol table that a cubin of these variables has. */
static void write_image(const char *path, const char *const *names, size_t count)
{
	unsigned char image[4096] = {0};
	char text[1024] = {0};
	size_t used = 1;
	Elf64_Sym symbols[8] = {{0}};
	for (size_t i = 0; i < count; i++) {
		symbols[i + 1] = (Elf64_Sym){.st_name = (Elf64_Word)used, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT),
		                             .st_shndx = 1, .st_size = 4};
		used += (size_t)snprintf(text + used, sizeof text - used, "%s", names[i]) + 1;
	}
	const Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_shoff = 64,
	                           .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 2};
	const Elf64_Shdr sections[3] = {
	    {0},
	    {.sh_type = SHT_SYMTAB, .sh_link = 2, .sh_offset = 1024, .sh_size = (count + 1) * sizeof *symbols},
	    {.sh_type = SHT_STRTAB, .sh_offset = 2048, .sh_size = sizeof text},
	};
	put(image, 0, &header, sizeof header);
	put(image, 64, sections, sizeof sections);
	put(image, 1024, symbols, sizeof symbols);
	put(image, 2048, text, sizeof text);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(image, sizeof image, 1, file), 1);
	assert_int_equal(fclose(file), 0);
}

/* A program on disk with these variables; the test unlinks it. */
static void program_of(const char *const *names, size_t count)
{
	snprintf(module.path, sizeof module.path, "/tmp/kt-symbols-XXXXXX");
	const int descriptor = mkstemp(module.path);
	assert_true(descriptor >= 0);
	close(descriptor);
	write_image(module.path, names, count);
}

static struct kt_function function = {.handle = &kernel_name, .module = &module};
static const struct kt_geometry geometry = {{1, 1, 1}, {1, 1, 1}, 0};
static const kt_at places[2][BUFFERS] = {{0x1000, 0x2000, 0x3000}, {0x11000, 0x12000, 0x13000}};
static const size_t bytes[BUFFERS] = {256, 256, 256};

static struct kt_run_launch launch_on(const kt_at *at)
{
	return (struct kt_run_launch){.function = &function, .geometry = &geometry, .at = at, .bytes = bytes};
}

/* The whole symbol goes there before the kernel and comes back behind it, outside of what is timed. */
static void around_a_launch(void **state)
{
	struct kt_error err;
	double ns = 0;
	(void)state;
	set_up();
	assert_int_equal(kt_symbols_find(&session, &module, true, &err), KT_OK);
	const struct kt_run_launch one = launch_on(places[0]);
	assert_int_equal(kt_launch_run(NULL, &session, &one, 1, &err), KT_OK);
	assert_string_equal(calls, "7000<-102000:400 launch 102000<-7000:400 ");
	assert_int_equal(got[Y], FIELD + 0x1000);
	assert_int_equal(got[X], FIELD + 0x3000);
	calls[0] = '\0';
	assert_int_equal(kt_launch_run(&ns, &session, &one, 1, &err), KT_OK);
	assert_string_equal(calls, "7000<-102000:400 event launch event 102000<-7000:400 ");
}

/* Of a batch the first launch's data goes there, once, and what is left comes back to each set that was launched on. */
static void around_a_batch(void **state)
{
	struct kt_error err;
	double host_ns = 0;
	(void)state;
	set_up();
	assert_int_equal(kt_symbols_find(&session, &module, true, &err), KT_OK);
	const struct kt_run_launch batch[] = {launch_on(places[0]), launch_on(places[1]), launch_on(places[0])};
	assert_int_equal(kt_launch_batch(NULL, &host_ns, &session, batch, 3, false, 1, &err), KT_OK);
	assert_string_equal(calls, "7000<-102000:400 launch launch launch 102000<-7000:400 112000<-7000:400 ");
}

/* An argument that is where the symbol is leads into the program's own; in a program without it, to the place. */
static void an_argument_into_it(void **state)
{
	static const kt_at shared[BUFFERS] = {0x1000, 0x2000, 0x2000};
	struct kt_error err;
	(void)state;
	set_up();
	assert_int_equal(kt_symbols_find(&session, &module, true, &err), KT_OK);
	const struct kt_run_launch one = launch_on(shared);
	assert_int_equal(kt_launch_run(NULL, &session, &one, 1, &err), KT_OK);
	assert_int_equal(got[X], TABLE);
	assert_int_equal(got[Y], FIELD + 0x1000);
	variables = nothing;
	calls[0] = '\0';
	program_of(NULL, 0);
	assert_int_equal(kt_symbols_find(&session, &module, false, &err), KT_OK);
	(void)unlink(module.path);
	assert_int_equal(kt_launch_run(NULL, &session, &one, 1, &err), KT_OK);
	assert_string_equal(calls, "launch ");
	assert_int_equal(got[X], FIELD + 0x2000);
}

/*
 * A tool sees nothing copied that was not written: inputs go there, as far as the clause counts, and nothing comes
 * back.
 */
static void below_a_tool(void **state)
{
	static const struct {
		enum kt_direction direction;
		const char *calls;
	} rows[] = {{KT_IN, "7000<-102000:256 launch "},
	            {KT_INOUT, "7000<-102000:256 launch "},
	            {KT_OUT, "launch "},
	            {KT_SCRATCH, "launch "}};
	struct kt_error err;
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		set_up();
		region.once = true;
		buffers[TABLE_BUFFER].direction = rows[i].direction;
		assert_int_equal(kt_symbols_find(&session, &module, true, &err), KT_OK);
		const struct kt_run_launch one = launch_on(places[0]);
		assert_int_equal(kt_launch_run(NULL, &session, &one, 1, &err), KT_OK);
		assert_string_equal(calls, rows[i].calls);
	}
}

/* Under whatever name a compiler has put it there, and with the size that the source gives it. */
static void where_they_are(void **state)
{
	static const char unnamed[] = "_ZN32_INTERNAL_4830307d_4_n_cu__Z1kPf34_GLOBAL__N__4830307d_4_n_cu__Z1kPf5tableE";
	static const char inner[] = "_ZN32_INTERNAL_4830307d_4_n_cu__Z1kPf3ops5tableE";
	static const struct variable of_unit[] = {{unnamed, HIDDEN, 400}, {inner, OTHER, 400}, {NULL, 0, 0}};
	static const char *const names[] = {inner, unnamed};
	static const struct {
		const char *symbol;
		const struct variable *variables;
		size_t size;
		bool original;
		kt_cu_address address; /* where there is no error */
		const char *error;
	} rows[] = {
	    {"table", usual, 400, true, TABLE, NULL},
	    {"_ZL5table", usual, 400, true, TABLE, NULL},
	    {"_ZN12_GLOBAL__N_15tableE", of_unit, 400, true, HIDDEN, NULL},
	    {"_ZN3opsL5tableE", of_unit, 400, false, OTHER, NULL},
	    {"_ZN3mid5tableE", of_unit, 400, false, 0, NULL},
	    {"_ZN3mid5tableE", of_unit, 400, true, 0,
	     "the original's program has no device symbol 'table': remove its clause if the kernel does not use it"},
	    {"table", usual, 404, false, 0, "device symbol 'table' has 400 bytes in the program and 404 in the source"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_error err = {0};
		set_up();
		program_of(names, 2);
		variables = rows[i].variables;
		buffers[TABLE_BUFFER].symbol = rows[i].symbol;
		buffers[TABLE_BUFFER].symbol_bytes = rows[i].size;
		const kt_status status = kt_symbols_find(&session, &module, rows[i].original, &err);
		if ((status != KT_OK) != (rows[i].error != NULL) || (status && strcmp(err.message, rows[i].error) != 0))
			fail_msg("row %zu: %d, %s", i, (int)status, err.message);
		if (!status)
			assert_int_equal(module.symbols[TABLE_BUFFER], rows[i].address);
		(void)unlink(module.path);
	}
}

/* A constant that is another one afterwards is named and restored; what is not in the program cannot change. */
static void constants_are_watched(void **state)
{
	static const struct variable with_constants[] = {
	    {"table", TABLE, 400}, {"first", 0x100, 8}, {"last", 0x140, 16}, {NULL, 0, 0}};
	static const char *names[] = {"first", "gone", "_ZL4last"};
	struct kt_error err;
	const char *name = "";
	(void)state;
	set_up();
	variables = with_constants;
	program_of(NULL, 0);
	region.constants = names;
	region.constant_count = 3;
	for (size_t i = 0; i < sizeof memory; i++)
		memory[i] = (unsigned char)i;
	assert_int_equal(kt_symbols_remember(&session, &function, &err), KT_OK);
	assert_int_equal(session.watch.count, 2);
	assert_int_equal(kt_symbols_changed(&name, &session, &err), KT_OK);
	assert_null(name);
	/* Beside it, and within it. */
	memory[0x108] = 99;
	assert_int_equal(kt_symbols_changed(&name, &session, &err), KT_OK);
	assert_null(name);
	memory[0x14f] = 99;
	assert_int_equal(kt_symbols_changed(&name, &session, &err), KT_OK);
	assert_string_equal(name, "_ZL4last");
	assert_int_equal(memory[0x14f], 0x4f);
	assert_int_equal(kt_symbols_changed(&name, &session, &err), KT_OK);
	assert_null(name);
	/* A program without any. */
	variables = usual;
	assert_int_equal(kt_symbols_remember(&session, &function, &err), KT_OK);
	assert_int_equal(session.watch.count, 0);
	assert_int_equal(kt_symbols_changed(&name, &session, &err), KT_OK);
	assert_null(name);
	(void)unlink(module.path);
}

/* What the driver has against the question is no answer. */
static void a_driver_that_fails(void **state)
{
	struct kt_error err;
	(void)state;
	set_up();
	asking = KT_CU_ILLEGAL_ADDRESS;
	assert_int_equal(kt_symbols_find(&session, &module, true, &err), KT_ERR_CHILD);
	assert_true(session.fault.fatal);
}

/* A structure is its members at their places and zero elsewhere; its pointers are those of the launch. */
static void members_of_a_structure(void **state)
{
	static struct kt_run_member members[] = {
	    {.offset = 0, .is_buffer = true, .buffer = X}, {.offset = 8, .element = KT_I16},
	    {.offset = 12, .element = KT_F32}, {.offset = 16, .is_buffer = true, .buffer = Y}, {.offset = 24, .element = KT_BOOL},
	};
	struct kt_run_argument both[] = {
	    {.bytes = 32, .member_count = 5, .members = members, .first_value = 2}, {.is_buffer = true, .buffer = X}};
	/* Wider than the members: the low bytes count. */
	const uint64_t values[] = {0, 0, 0, 0xabcd1234, 0x3f800000, 0, 1};
	unsigned char want[32] = {0};
	const kt_cu_address x = FIELD + 0x3000, y = FIELD + 0x1000;
	struct kt_error err;
	(void)state;
	set_up();
	region.arguments = both;
	assert_int_equal(kt_symbols_find(&session, &module, true, &err), KT_OK);
	struct kt_run_launch one = launch_on(places[0]);
	one.values = values;
	structure_bytes = sizeof want;
	assert_int_equal(kt_launch_run(NULL, &session, &one, 1, &err), KT_OK);
	structure_bytes = 0;
	put(want, 0, &x, sizeof x);
	put(want, 8, (const uint16_t[]){0x1234}, 2);
	put(want, 12, (const float[]){1}, 4);
	put(want, 16, &y, sizeof y);
	want[24] = 1;
	assert_memory_equal(structure, want, sizeof want);
	assert_int_equal(got[X], x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(around_a_launch),     cmocka_unit_test(around_a_batch),
	    cmocka_unit_test(an_argument_into_it), cmocka_unit_test(constants_are_watched),
	    cmocka_unit_test(below_a_tool),        cmocka_unit_test(where_they_are),
	    cmocka_unit_test(a_driver_that_fails), cmocka_unit_test(members_of_a_structure),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
