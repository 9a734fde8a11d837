#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/symbol.h"

#define UNIT "6a1b3b9f_4_a_cu_0aeb4af4"

/* As nvcc, nvcc -rdc=true and clang write one name; all have the normal form. */
static const struct {
	const char *normal, *names[4];
} forms[] = {
    {"_ZN1a1kEPf", {"_ZN1a1kEPf"}},
    {"kernel", {"kernel"}},
    {"_Z2stPf", {"_Z2stPf", "_ZL2stPf", "__nv_static_25__" UNIT "__Z2stPf", "__nv_static_26__6a1b3b9f_5_ab_cu_0aeb4af4__Z2stPf"}},
    {"_ZN_GLOBAL__N_1kEPf", {"_ZN12_GLOBAL__N_11kEPf", "_ZN36_GLOBAL__N__" UNIT "1kEPf",
                             "_ZN40_GLOBAL__N__00000000_8_longer_x_ffffffff1kEPf"}},
    {"_ZN1a_GLOBAL__N_2k2EPf", {"_ZN1a12_GLOBAL__N_12k2EPf", "_ZN1a36_GLOBAL__N__" UNIT "2k2EPf",
                                "__nv_static_25__" UNIT "__ZN1a36_GLOBAL__N__" UNIT "2k2EPf"}},
    {"_ZN1a3bySENS__GLOBAL__N_1SEPf", {"_ZN1a3bySENS_12_GLOBAL__N_11SEPf", "_ZN1a3bySENS_36_GLOBAL__N__" UNIT "1SEPf"}},
    {"_ZN1a2snEPf", {"_ZN1aL2snEPf", "_ZN1a2snEPf"}},
    /* A literal of an enumeration is no internal linkage. */
    {"_Z2enIL1E0EEvPf", {"_Z2enIL1E0EEvPf"}},
    {"_ZN1a1uIfLi3EEEvPT_", {"_ZN1a1uIfLi3EEEvPT_"}},
    /* A unit with a function of external linkage is named by it. */
    {"_ZN_GLOBAL__N_4anonEPf", {"_ZN34_GLOBAL__N__1053202b_4_a_cu__Z1rPf4anonEPf",
                                "_ZN49_GLOBAL__N__1053202b_4_a_cu__Z11longer_namePfPKim4anonEPf",
                                "__nv_static_23__1053202b_4_a_cu__Z1rPf__ZN34_GLOBAL__N__1053202b_4_a_cu__Z1rPf4anonEPf"}},
    {"_ZN2a1_GLOBAL__N_4anonEPf", {"_ZN2a134_GLOBAL__N__1053202b_4_a_cu__Z1rPf4anonEPf", "_ZN2a112_GLOBAL__N_14anonEPf"}},
    /* Names that only look like it. */
    {"_GLOBAL__N_1", {"_GLOBAL__N_1"}},
    {"__nv_static_", {"__nv_static_"}},
    {"_Z", {"_Z"}},
    {"_Z99k", {"_Z99k"}},
};

static void test_normal(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_LIMIT_LINE_BYTES);

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		assert_string_equal(kt_symbol_normal(arena, forms[i].normal), forms[i].normal);
		for (size_t n = 0; n < 4 && forms[i].names[n] != NULL; n++)
			assert_string_equal(kt_symbol_normal(arena, forms[i].names[n]), forms[i].normal);
	}
	kt_arena_free(arena);
}

/* The same of variables: as nvcc, nvcc -rdc=true and clang write them. */
#define INTERNAL "32_INTERNAL_4830307d_4_n_cu__Z1kPf"
#define UNNAMED "34_GLOBAL__N__4830307d_4_n_cu__Z1kPf"
#define STATIC "__nv_static_23__4830307d_4_n_cu__Z1kPf_"
static const struct {
	const char *form, *names[4];
} variables[] = {
    {"plain", {"plain"}},
    {"s7", {"s7", "_ZL2s7", STATIC "s7"}},
    {"_ZN3ops2s4E", {"_ZN3ops2s4E"}},
    {"_ZN3ops2v12s5E", {"_ZN3ops2v12s5E"}},
    {"_ZN3ops2s1E", {"_ZN" INTERNAL "3ops2s1E", "_ZN3opsL2s1E", STATIC "_ZN" INTERNAL "3ops2s1E"}},
    {"_ZN3ops_GLOBAL__N_2s3E", {"_ZN" INTERNAL "3ops" UNNAMED "2s3E", "_ZN3ops12_GLOBAL__N_12s3E"}},
    {"_ZN_GLOBAL__N_2s6E", {"_ZN" INTERNAL UNNAMED "2s6E", "_ZN12_GLOBAL__N_12s6E",
                            STATIC "_ZN" INTERNAL UNNAMED "2s6E", "_ZN36_GLOBAL__N__" UNIT "2s6E"}},
    {"_ZN_GLOBAL__N_5shiftE", {"_ZN34_INTERNAL_" UNIT "36_GLOBAL__N__" UNIT "5shiftE", "_ZN12_GLOBAL__N_15shiftE"}},
    {"_Z2vtIfE", {"_Z2vtIfE"}},
};

static void test_variable(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_LIMIT_LINE_BYTES);

	(void)state;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		assert_string_equal(kt_symbol_variable(arena, variables[i].form), variables[i].form);
		for (size_t n = 0; n < 4 && variables[i].names[n] != NULL; n++)
			assert_string_equal(kt_symbol_variable(arena, variables[i].names[n]), variables[i].form);
	}
	kt_arena_free(arena);
}

static const char *const module[] = {
    "_ZN1a1kEPf", "_ZN1b1kEPf", "_ZN36_GLOBAL__N__" UNIT "1kEPf", "_ZN36_GLOBAL__N__" UNIT "1kEPd",
    "_Z1kPf", "_Z1tIfLi3EEvPT_", "_Z1tI6__halfLi3EEvPT_", "_Z1tIfLi4EEvPT_", "k_c", "_ZN1a1b1uEv", "_Z2enIL1E1EEvPf",
};
#define MODULE (sizeof module / sizeof *module)

static const char *const f3[] = {"float", "3"}, *const h3[] = {"__half", "3"}, *const d3[] = {"double", "3"};
static const char *const e1[] = {"(E)1"}, *const type_int[] = {NULL, "int"}, *const type_e[] = {"E"};
static const struct {
	size_t found; /* MODULE: none */
	struct kt_symbol_wanted wanted;
} searches[] = {
    {0, {.symbol = "_ZN1a1kEPf", .qualified = "a::k"}},
    {1, {.symbol = "_ZN1b1kEPf", .qualified = "b::k"}},
    {2, {.symbol = "_ZN12_GLOBAL__N_11kEPf", .qualified = "k", .in_anonymous = true}},
    {3, {.symbol = "_ZN12_GLOBAL__N_11kEPd", .qualified = "k", .in_anonymous = true}},
    {4, {.symbol = "_ZL1kPf", .qualified = "k"}},
    /* Another overload is not taken for one that is missing. */
    {MODULE, {.symbol = "_ZN1a1kEPd", .qualified = "a::k"}},
    {MODULE, {.symbol = "_ZN1c1kEPf", .qualified = "c::k"}},
    /* Without a symbol: by namespaces and name, where one has them. */
    {0, {.qualified = "a::k"}},
    {4, {.qualified = "k"}},
    {MODULE, {.qualified = "k", .in_anonymous = true}},
    {9, {.qualified = "a::b::u"}},
    {MODULE, {.qualified = "b::u"}},
    {MODULE, {.qualified = "a::b"}},
    {8, {.qualified = "ns::k_c", .is_extern_c = true}},
    {MODULE, {.qualified = "k", .is_extern_c = true}},
    /* By template arguments, where several have the name. */
    {5, {.qualified = "t", .argument_count = 2, .arguments = f3, .types = type_int}},
    {6, {.qualified = "t", .argument_count = 2, .arguments = h3, .types = type_int}},
    {MODULE, {.qualified = "t", .argument_count = 2, .arguments = d3, .types = type_int}},
    {MODULE, {.qualified = "t", .argument_count = 2}},
    {10, {.qualified = "en", .argument_count = 1, .arguments = e1, .types = type_e}},
    /* A symbol that another compiler mangles in another way. */
    {6, {.symbol = "_Z1tI6__halfXLi3EEEvPT_", .qualified = "t", .argument_count = 2, .arguments = h3, .types = type_int}},
};

static void test_find(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
		const size_t found = kt_symbol_find(module, MODULE, &searches[i].wanted);

		if (found != searches[i].found)
			fail_msg("search %zu, %s: %zu", i, searches[i].wanted.qualified, found);
	}
	assert_int_equal(kt_symbol_find(NULL, 0, &searches[0].wanted), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_normal), cmocka_unit_test(test_variable),
	                                   cmocka_unit_test(test_find)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
