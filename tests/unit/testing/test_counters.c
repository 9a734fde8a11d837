/* What is read out of Nsight Compute's table. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "testing/counters.h"

#define FIRST \
	"\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\"," \
	"\"Grid Size\",\"Device\",\"CC\""
#define NAMES FIRST ",\"dram__bytes_read.sum\",\"gpu__time_duration.sum\",\"lts__t_sector_hit_rate.pct\"\n"
#define UNITS(bytes, time, percent) "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"" bytes "\",\"" time \
	"\",\"" percent "\"\n"
#define ROW(id, kernel, read, time, hits) \
	"\"" id "\",\"123\",\"ktcc-runner\",\"127.0.0.1\",\"" kernel "\",\"1\",\"7\",\"(256, 1, 1)\",\"(80, 1, 1)\"," \
	"\"0\",\"9.0\",\"" read "\",\"" time "\",\"" hits "\"\n"
#define BASE UNITS("byte", "nsecond", "%")

enum { MOST = 4 };

static struct kt_arena *arena;
static struct kt_counted rows[MOST];
static size_t count;
static struct kt_error err;

static int setup(void **state)
{
	(void)state;
	arena = kt_arena_new(1 << 20);
	return arena == NULL;
}

static int teardown(void **state)
{
	(void)state;
	kt_arena_free(arena);
	return 0;
}

/* A copy of exactly its size, so that a sanitizer sees a step behind its end. */
static kt_status read_bytes(const char *text, size_t size)
{
	char *copy = malloc(size + 1);
	kt_status status;

	assert_non_null(copy);
	memcpy(copy, text, size);
	copy = realloc(copy, size != 0 ? size : 1);
	assert_non_null(copy);
	status = kt_counters_read(rows, &count, MOST, arena, copy, size, &err);
	free(copy);
	return status;
}

static kt_status read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static double read_one(const char *text, enum kt_counter counter)
{
	assert_int_equal(read_text(text), KT_OK);
	assert_int_equal(count, 1);
	return rows[0].value[counter];
}

static void a_table_between_other_lines(void **state)
{
	(void)state;
	assert_int_equal(read_text("==PROF== Connected to process 123 (/x/ktcc-runner)\n"
	                           "==WARNING== Backing up device memory in system memory.\n"
	                           "==PROF== Profiling \"_Z4silu\" - 0: 0%....50%....100% - 6 passes\n"
	                           "==PROF== Disconnected from process 123\n" NAMES BASE
	                           ROW("0", "_Z4siluPf", "2,000,000,000", "12,345", "80.5") "\n"
	                           "==WARNING== something\n" ROW("1", "b", "4096", "3,000", "0") "==PROF== bye\n"),
	                 KT_OK);
	assert_int_equal(count, 2);
	assert_string_equal(rows[0].kernel, "_Z4siluPf");
	assert_true(rows[0].value[KT_COUNTER_READ] == 2e9);
	assert_true(rows[0].value[KT_COUNTER_TIME] == 12345);
	assert_true(rows[0].value[KT_COUNTER_L2_HITS] == 80.5);
	assert_true(isnan(rows[0].value[KT_COUNTER_WRITTEN]));
	assert_string_equal(rows[1].kernel, "b");
	assert_true(rows[1].value[KT_COUNTER_READ] == 4096);
	assert_true(rows[1].value[KT_COUNTER_L2_HITS] == 0);
}

static void units_are_taken_to_the_base(void **state)
{
	static const struct {
		const char *bytes, *time;
		double read, ns;
	} cases[] = {
	    {"byte", "nsecond", 2, 3},     {"Kbyte", "usecond", 2e3, 3e3}, {"Mbyte", "msecond", 2e6, 3e6},
	    {"Gbyte", "second", 2e9, 3e9}, {"Tbyte", "ns", 2e12, 3},       {"byte", "us", 2, 3e3},
	    {"byte", "ms", 2, 3e6},        {"byte", "s", 2, 3e9},
	    /* What is no unit of this kind is not known; others of the row are. */
	    {"%", "ns", NAN, 3},           {"", "ns", NAN, 3},             {"byte", "cycle", 2, NAN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text = kt_arena_printf(arena, NAMES UNITS("%s", "%s", "%%") ROW("0", "k", "2", "3", "4"), cases[i].bytes,
		                             cases[i].time);

		assert_int_equal(read_text(text), KT_OK);
		assert_true(isnan(cases[i].read) ? isnan(rows[0].value[KT_COUNTER_READ])
		                                 : rows[0].value[KT_COUNTER_READ] == cases[i].read);
		assert_true(isnan(cases[i].ns) ? isnan(rows[0].value[KT_COUNTER_TIME])
		                               : rows[0].value[KT_COUNTER_TIME] == cases[i].ns);
		assert_true(rows[0].value[KT_COUNTER_L2_HITS] == 4);
	}
}

static void a_ratio_has_the_unit_of_what_it_divides(void **state)
{
	static const char names[] =
	    "\"ID\",\"Kernel Name\",\"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio\"\n";

	(void)state;
	assert_int_equal(read_text(kt_arena_printf(arena, "%s\"\",\"\",\"sector/request\"\n\"0\",\"k\",\"16\"\n", names)),
	                 KT_OK);
	assert_true(rows[0].value[KT_COUNTER_LOAD_SECTORS] == 16);
	assert_int_equal(read_text(kt_arena_printf(arena, "%s\"\",\"\",\"\"\n\"0\",\"k\",\"16\"\n", names)), KT_OK);
	assert_true(rows[0].value[KT_COUNTER_LOAD_SECTORS] == 16);
	assert_int_equal(read_text(kt_arena_printf(arena, "%s\"\",\"\",\"%%\"\n\"0\",\"k\",\"16\"\n", names)), KT_OK);
	assert_true(isnan(rows[0].value[KT_COUNTER_LOAD_SECTORS]));
}

static void numbers(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
	    {"0", 0},
	    {"1,234", 1234},
	    {"1,234,567.25", 1234567.25},
	    {"4.0e+03", 4000},
	    {"12345678", 12345678},
	    {"", NAN},
	    {"n/a", NAN},
	    {"(!) n/a", NAN},
	    {"nan", NAN},
	    {"inf", NAN},
	    {"-1", NAN},
	    {"+1", NAN},
	    {" 1", NAN},
	    {"0x10", NAN},
	    {"1e400", NAN},
	    {"1e30", NAN},
	    /* Other groups are other locales': nobody knows what they mean. */
	    {"1.234,5", NAN},
	    {"1,23", NAN},
	    {"1234,567", NAN},
	    {"1,,234", NAN},
	    {"1,234,", NAN},
	    {",123", NAN},
	    {"1.2.3", NAN},
	    {"1'234", NAN},
	    {"11111111111111111111111111111111111111111111111111111111111111111111111111", NAN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const double value = read_one(kt_arena_printf(arena, NAMES UNITS("byte", "ns", "%%") ROW("0", "k", "%s", "1", "2"),
		                                              cases[i].text),
		                              KT_COUNTER_READ);

		assert_true(isnan(cases[i].value) ? isnan(value) : value == cases[i].value);
	}
}

static void rejected(const char *text, kt_status status, const char *why)
{
	assert_int_equal(read_text(text), status);
	assert_non_null(strstr(err.message, why));
}

static void what_is_no_table_is_refused(void **state)
{
	(void)state;
	rejected("", KT_ERR_INVALID, "no table");
	rejected("\n\n\n", KT_ERR_INVALID, "no table");
	rejected("garbage\nmore \"garbage\", of it\n", KT_ERR_INVALID, "no table");
	rejected(NAMES, KT_ERR_INVALID, "no table");
	rejected(NAMES BASE, KT_ERR_INVALID, "no table");
	rejected("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
	         "Performance Counters on the target device 0.\n==ERROR== other\n",
	         KT_ERR_INVALID, "ERR_NVGPUCTRPERM - The user");
	rejected("==ERROR== \x1b[31mred\x7f\n", KT_ERR_INVALID, "?[31mred?");
	/* A column fewer, one more, one without quotes, text behind one, an open one. */
	rejected(NAMES BASE "\"0\",\"1\"\n", KT_ERR_INVALID, "line 3");
	rejected(NAMES "\"\"\n" ROW("0", "k", "1", "2", "3"), KT_ERR_INVALID, "line 2");
	rejected(NAMES BASE ROW("0", "k", "1", "2", "3\",\"4"), KT_ERR_INVALID, "line 3");
	rejected(FIRST ",dram__bytes_read.sum\n", KT_ERR_INVALID, "line 1");
	rejected(NAMES BASE ROW("0", "k", "1", "2", "3\"x"), KT_ERR_INVALID, "line 3");
	rejected(NAMES BASE "\"0\",\"", KT_ERR_INVALID, "line 3");
	rejected(NAMES BASE "\"0\",", KT_ERR_INVALID, "line 3");
	rejected(NAMES BASE "hello\n", KT_ERR_INVALID, "line 3");
	/* No kernels; a counter twice; the table once more. */
	rejected("\"ID\",\"gpu__time_duration.sum\"\n\"\",\"ns\"\n\"0\",\"1\"\n", KT_ERR_INVALID, "columns");
	rejected("\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"gpu__time_duration.sum\"\n", KT_ERR_INVALID,
	         "columns");
	rejected(NAMES BASE ROW("0", "a", "1", "2", "3") ROW("0", "a", "1", "2", "3") ROW("0", "a", "1", "2", "3")
	             ROW("0", "a", "1", "2", "3") ROW("0", "a", "1", "2", "3"),
	         KT_ERR_LIMIT, "more than 4 launches");
}

static void many_columns_and_long_lines(void **state)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);

	(void)state;
	kt_buf_adds(&text, "\"ID\",\"Kernel Name\"");
	for (int i = 0; i < 100000; i++)
		kt_buf_adds(&text, ",\"x\"");
	kt_buf_addc(&text, '\n');
	rejected(kt_buf_text(&text), KT_ERR_INVALID, "line 1");
	kt_buf_clear(&text);
	for (int i = 0; i < 1000000; i++)
		kt_buf_adds(&text, "no end ");
	rejected(kt_buf_text(&text), KT_ERR_INVALID, "no table");
	kt_buf_free(&text);
}

/* Nsight Compute 2025.3 puts every attribute of the device in front of the metrics: 268 of an H200. */
static void attributes_of_the_device_are_columns(void **state)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	static const char *const first[] = {"\"ID\",\"Kernel Name\"", "\"\",\"\"", "\"0\",\"k\""},
	                         *const cell[] = {",\"device__attribute_%d\"", ",\"\"", ",\"%d\""},
	                         *const last[] = {",\"gpu__time_duration.sum\"\n", ",\"ns\"\n", ",\"7\"\n"};

	(void)state;
	for (int line = 0; line < 3; line++) {
		kt_buf_adds(&text, first[line]);
		for (int i = 0; i < 268; i++)
			kt_buf_addf(&text, cell[line], i);
		kt_buf_adds(&text, last[line]);
	}
	assert_true(read_one(kt_buf_text(&text), KT_COUNTER_TIME) == 7);
	kt_buf_free(&text);
}

static void quotes_zeros_and_carriage_returns(void **state)
{
	static const char zeros[] = NAMES BASE ROW("0", "a\0b", "1\0", "2", "3");

	(void)state;
	assert_int_equal(read_text("\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\r\n\"\",\"\",\"ns\"\r\n"
	                           "\"0\",\"k(\"\"x\"\", 1)\",\"5\"\r\n"),
	                 KT_OK);
	assert_true(rows[0].value[KT_COUNTER_TIME] == 5);
	assert_string_equal(rows[0].kernel, "k(\"\"x\"\", 1)");
	assert_int_equal(read_bytes(zeros, sizeof zeros - 1), KT_OK);
	assert_string_equal(rows[0].kernel, "a");
	assert_true(isnan(rows[0].value[KT_COUNTER_READ]));
	assert_true(rows[0].value[KT_COUNTER_TIME] == 2);
}

/* Wherever it is cut off, it is read or refused. */
static void cut_anywhere(void **state)
{
	static const char whole[] = "==PROF== x\n" NAMES BASE ROW("0", "k", "1,000", "2", "3") ROW("1", "l", "4", "5", "6");

	(void)state;
	for (size_t size = 0; size < sizeof whole; size++) {
		const kt_status status = read_bytes(whole, size);

		assert_true(status == KT_OK ? count == 1 || count == 2 : status == KT_ERR_INVALID);
	}
}

static void several_kernels_are_asked_for_at_a_time(void **state)
{
	const char *const kernels[] = {"_Z1ai _Z1bi", "c"}, *const empty[] = {""}, *const odd[] = {"a.*"},
	            *const gap[] = {"a  b"};
	struct kt_buf filter = KT_BUF(KT_LIMIT_LINE_BYTES), small = KT_BUF(8);
	size_t launches;

	(void)state;
	assert_int_equal(kt_counters_filter(&filter, &launches, kernels, 2, &err), KT_OK);
	assert_int_equal(launches, 3);
	assert_string_equal(kt_buf_text(&filter), "regex:^(_Z1ai|_Z1bi|c)$");
	kt_buf_clear(&filter);
	assert_int_equal(kt_counters_filter(&filter, &launches, odd, 1, &err), KT_ERR_INVALID);
	assert_int_equal(kt_counters_filter(&filter, &launches, gap, 1, &err), KT_ERR_INVALID);
	assert_int_equal(kt_counters_filter(&filter, &launches, empty, 1, &err), KT_ERR_LIMIT);
	assert_int_equal(kt_counters_filter(&small, &launches, kernels, 2, &err), KT_ERR_MEMORY);
	kt_buf_free(&filter);
	kt_buf_free(&small);
}

static void the_longest_kernel_of_a_run_counts(void **state)
{
	const char *const kernels[] = {"a b", "c"};
	struct kt_counted table[4] = {{.kernel = "a"}, {.kernel = "b"}, {.kernel = "c"}, {.kernel = "c"}}, out[2];

	(void)state;
	table[0].value[KT_COUNTER_TIME] = 1;
	table[1].value[KT_COUNTER_TIME] = 2;
	table[2].value[KT_COUNTER_TIME] = NAN;
	assert_int_equal(kt_counters_assign(out, kernels, 2, table, 3, &err), KT_OK);
	assert_string_equal(out[0].kernel, "b");
	assert_string_equal(out[1].kernel, "c");
	/* One fewer, one more, another order. */
	assert_int_equal(kt_counters_assign(out, kernels, 2, table, 2, &err), KT_ERR_INVALID);
	assert_int_equal(kt_counters_assign(out, kernels, 2, table, 4, &err), KT_ERR_INVALID);
	table[0].kernel = "b";
	table[1].kernel = "a";
	assert_int_equal(kt_counters_assign(out, kernels, 2, table, 3, &err), KT_ERR_INVALID);
}

static void what_is_told(void **state)
{
	struct kt_counted counted;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	(void)state;
	for (int c = 0; c < KT_COUNTERS; c++)
		counted.value[c] = NAN;
	kt_counted_print(&text, &counted);
	assert_string_equal(kt_buf_text(&text), "");
	counted.value[KT_COUNTER_TIME] = 3104;
	counted.value[KT_COUNTER_READ] = 1048576;
	counted.value[KT_COUNTER_MEMORY_BUSY] = 44.6;
	kt_counted_print(&text, &counted);
	assert_string_equal(kt_buf_text(&text), "3.10 us, 1.049 MB read from memory, memory busy 45 %");
	kt_buf_clear(&text);
	assert_true(kt_counters_metrics(&text));
	assert_ptr_equal(strstr(kt_buf_text(&text), "gpu__time_duration.sum,dram__bytes_read.sum,"), kt_buf_text(&text));
	assert_null(strstr(kt_buf_text(&text), ",,"));
	kt_buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_table_between_other_lines),
	    cmocka_unit_test(units_are_taken_to_the_base),
	    cmocka_unit_test(a_ratio_has_the_unit_of_what_it_divides),
	    cmocka_unit_test(numbers),
	    cmocka_unit_test(what_is_no_table_is_refused),
	    cmocka_unit_test(many_columns_and_long_lines),
	    cmocka_unit_test(attributes_of_the_device_are_columns),
	    cmocka_unit_test(quotes_zeros_and_carriage_returns),
	    cmocka_unit_test(cut_anywhere),
	    cmocka_unit_test(several_kernels_are_asked_for_at_a_time),
	    cmocka_unit_test(the_longest_kernel_of_a_run_counts),
	    cmocka_unit_test(what_is_told),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
