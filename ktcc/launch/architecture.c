#include "launch/architecture.h"

#include <stdlib.h>
#include <string.h>

const struct kt_architecture_target kt_architecture_targets[] = {
    {75, true}, {80, true}, {86, false}, {87, false}, {88, false}, {89, false},
    {90, true}, {100, true}, {103, false}, {110, true}, {120, true}, {121, false},
};
const size_t kt_architecture_target_count = sizeof kt_architecture_targets / sizeof *kt_architecture_targets;

bool kt_architecture_read(struct kt_gencode *out, const char *text, size_t length)
{
	static const struct {
		const char *prefix;
		bool real, virtual_;
	} kinds[] = {{"sm_", true, false}, {"compute_", false, true}, {"lto_", false, false}};
	struct kt_gencode code = {0};
	size_t i, digits = 0;

	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strlen(kinds[i].prefix) < length && memcmp(kinds[i].prefix, text, strlen(kinds[i].prefix)) == 0)
			break;
	if (i == sizeof kinds / sizeof *kinds)
		return false;
	code.real = kinds[i].real;
	code.virtual_ = kinds[i].virtual_;
	for (i = strlen(kinds[i].prefix); i < length && text[i] >= '0' && text[i] <= '9' && digits < 4; i++, digits++)
		code.arch = code.arch * 10 + (text[i] - '0');
	if (i + 1 == length && (text[i] == 'a' || text[i] == 'f'))
		code.feature = text[i++];
	if (i != length || digits < 2)
		return false;
	code.via = code.arch;
	*out = code;
	return true;
}

static kt_status add(struct kt_command *command, struct kt_arena *arena, const struct kt_gencode *code,
                     struct kt_error *err)
{
	struct kt_gencode *slot;

	for (size_t i = 0; i < command->gencode_count; i++) {
		slot = &command->gencodes[i];
		if (slot->arch == code->arch && slot->via == code->via && slot->feature == code->feature) {
			slot->real = slot->real || code->real;
			slot->virtual_ = slot->virtual_ || code->virtual_;
			return KT_OK;
		}
	}
	NEED(slot = kt_arena_push(arena, &command->gencodes, &command->gencode_count, sizeof *slot),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory for architectures"));
	*slot = *code;
	return KT_OK;
}

/* Adds the codes of "[sm_80,compute_80]", "sm_80", "\"sm_80,sm_86\"". */
static kt_status add_codes(struct kt_command *command, struct kt_arena *arena, const struct kt_gencode *through,
                           const char *text, size_t length, bool *understood, struct kt_error *err)
{
	kt_status status = KT_OK;
	size_t begin = 0;

	while (status == KT_OK && begin < length) {
		size_t end = begin;
		struct kt_gencode code;

		while (end < length && strchr("[]\", ", text[end]) == NULL)
			end++;
		if (end > begin) {
			if (!kt_architecture_read(&code, text + begin, end - begin)) {
				*understood = false;
			} else {
				code.via = through->arch;
				/* code=sm_103 of arch=compute_100f is code of the family, as sm_103f is. */
				if (code.feature == '\0')
					code.feature = through->feature;
				status = add(command, arena, &code, err);
			}
		}
		begin = end + 1;
	}
	return status;
}

/* One "keyword=value" of -gencode, up to the comma that ends it. */
static size_t keyword_length(const char *text)
{
	bool quoted = false;
	size_t length = 0;

	for (int depth = 0; text[length] != '\0' && (quoted || depth > 0 || text[length] != ','); length++) {
		quoted = quoted != (text[length] == '"');
		depth += (text[length] == '[') - (text[length] == ']');
	}
	return length;
}

kt_status kt_architecture_add_gencode(struct kt_command *command, struct kt_arena *arena, const char *value,
                                      bool *understood, struct kt_error *err)
{
	static const char *const keywords[] = {"arch=", "code="};
	const char *values[2] = {NULL, NULL};
	size_t lengths[2] = {0, 0};
	struct kt_gencode through;

	for (const char *at = value; *at != '\0';) {
		size_t length = keyword_length(at), which = 0;

		while (which < 2 && strncmp(at, keywords[which], 5) != 0)
			which++;
		if (which == 2 || length < 6 || values[which] != NULL) {
			*understood = false;
			return KT_OK;
		}
		values[which] = at + 5;
		lengths[which] = length - 5;
		at += length;
		at += *at == ',';
	}
	if (values[0] == NULL || values[1] == NULL || !kt_architecture_read(&through, values[0], lengths[0]) ||
	    !through.virtual_) {
		*understood = false;
		return KT_OK;
	}
	return add_codes(command, arena, &through, values[1], lengths[1], understood, err);
}

kt_status kt_architecture_add(struct kt_command *command, struct kt_arena *arena, const char *arch, size_t code_count,
                              char *const *codes, bool *understood, struct kt_error *err)
{
	struct kt_gencode through = {0};

	/* nvcc refuses -code with these three, and without -arch. */
	if (arch == NULL || strcmp(arch, "native") == 0 || strcmp(arch, "all") == 0 || strcmp(arch, "all-major") == 0) {
		command->arch_native = arch != NULL && arch[0] == 'n';
		command->arch_all = arch != NULL && strcmp(arch, "all") == 0;
		command->arch_all_major = arch != NULL && strcmp(arch, "all-major") == 0;
		*understood = *understood && code_count == 0;
		return KT_OK;
	}
	if (!kt_architecture_read(&through, arch, strlen(arch)) || (code_count != 0 && !through.virtual_)) {
		*understood = false;
		return KT_OK;
	}
	if (code_count == 0) {
		/* -arch=sm_90 alone is short for -arch=compute_90 -code=sm_90,compute_90. */
		through.virtual_ = through.virtual_ || through.real;
		return add(command, arena, &through, err);
	}
	for (size_t i = 0; i < code_count; i++) {
		/* Unlike -gencode, -code knows no brackets. */
		*understood = *understood && strpbrk(codes[i], "[]") == NULL;
		TRY(add_codes(command, arena, &through, codes[i], strlen(codes[i]), understood, err));
	}
	return KT_OK;
}

static int ascending(const void *a, const void *b)
{
	const struct kt_gencode *x = a, *y = b;

	return (x->arch > y->arch) - (x->arch < y->arch);
}

/* A device runs the code of its exact target before its family's, and that before the general one. */
static int rank(char feature)
{
	return feature == 'a' ? 2 : feature == 'f';
}

/* Adds the architecture unless it is listed; the better feature stays. */
static void enter(struct kt_gencode *list, size_t *count, int64_t arch, char feature)
{
	for (size_t i = 0; i < *count; i++)
		if (list[i].arch == arch) {
			if (rank(feature) > rank(list[i].feature))
				list[i].feature = feature;
			return;
		}
	list[(*count)++] = (struct kt_gencode){.arch = arch, .via = arch, .feature = feature};
}

static struct kt_gencode *collect(struct kt_arena *arena, size_t *count, const struct kt_command *command, bool own)
{
	size_t most = command->gencode_count + kt_architecture_target_count;
	struct kt_gencode *list = kt_arena_array(arena, most, sizeof *list);

	*count = 0;
	if (list == NULL)
		return NULL;
	for (size_t i = 0; i < command->gencode_count; i++) {
		const struct kt_gencode *code = &command->gencodes[i];

		if (!own)
			enter(list, count, code->via, code->feature);
		else if (code->via == code->arch)
			enter(list, count, code->arch, code->feature);
	}
	for (size_t i = 0; i < kt_architecture_target_count; i++)
		if (command->arch_all || (command->arch_all_major && kt_architecture_targets[i].major))
			enter(list, count, kt_architecture_targets[i].arch, '\0');
	if (command->gencode_count == 0 && *count == 0 && !command->arch_native)
		enter(list, count, kt_architecture_targets[0].arch, '\0');
	qsort(list, *count, sizeof *list, ascending);
	return list;
}

struct kt_gencode *kt_architecture_virtual(struct kt_arena *arena, size_t *count, const struct kt_command *command)
{
	return collect(arena, count, command, false);
}

struct kt_gencode *kt_architecture_own(struct kt_arena *arena, size_t *count, const struct kt_command *command)
{
	return collect(arena, count, command, true);
}
