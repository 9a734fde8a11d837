#include "launch/architecture.h"

#include <string.h>

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
	*out = code;
	return true;
}

static kt_status add(struct kt_command *command, struct kt_arena *arena, const struct kt_gencode *code,
                     struct kt_error *err)
{
	struct kt_gencode *slot;

	for (size_t i = 0; i < command->gencode_count; i++) {
		slot = &command->gencodes[i];
		if (slot->arch == code->arch && slot->feature == code->feature) {
			slot->real = slot->real || code->real;
			slot->virtual_ = slot->virtual_ || code->virtual_;
			return KT_OK;
		}
	}
	slot = kt_arena_push(arena, &command->gencodes, &command->gencode_count, sizeof *slot);
	if (slot == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for architectures");
	*slot = *code;
	return KT_OK;
}

/* Adds the codes of "[sm_80,compute_80]", "sm_80", "\"sm_80,sm_86\"". */
static kt_status add_codes(struct kt_command *command, struct kt_arena *arena, const char *text, size_t length,
                           bool *understood, struct kt_error *err)
{
	kt_status status = KT_OK;
	size_t begin = 0;

	while (status == KT_OK && begin < length) {
		size_t end = begin;
		struct kt_gencode code;

		while (end < length && strchr("[]\", ", text[end]) == NULL)
			end++;
		if (end > begin) {
			if (kt_architecture_read(&code, text + begin, end - begin))
				status = add(command, arena, &code, err);
			else
				*understood = false;
		}
		begin = end + 1;
	}
	return status;
}

kt_status kt_architecture_add_gencode(struct kt_command *command, struct kt_arena *arena, const char *value,
                                      bool *understood, struct kt_error *err)
{
	size_t begin = 0, length = strlen(value);
	bool has_code = false, has_arch = false;
	kt_status status = KT_OK;

	while (status == KT_OK && begin < length) {
		size_t end = begin;
		int depth = 0;
		bool quoted = false;

		for (; end < length && (quoted || depth > 0 || value[end] != ','); end++) {
			quoted = quoted != (value[end] == '"');
			depth += (value[end] == '[') - (value[end] == ']');
		}
		if (end - begin > 5 && memcmp(value + begin, "code=", 5) == 0) {
			*understood = *understood && !has_code;
			has_code = true;
			status = add_codes(command, arena, value + begin + 5, end - begin - 5, understood, err);
		} else if (end - begin > 5 && memcmp(value + begin, "arch=", 5) == 0) {
			*understood = *understood && !has_arch;
			has_arch = true;
		} else {
			*understood = false;
		}
		begin = end + 1;
	}
	if (!has_code || !has_arch)
		*understood = false;
	return status;
}

kt_status kt_architecture_add(struct kt_command *command, struct kt_arena *arena, const char *arch, size_t code_count,
                              char *const *codes, bool *understood, struct kt_error *err)
{
	struct kt_gencode code;
	kt_status status = KT_OK;

	if (arch != NULL && strcmp(arch, "native") == 0)
		command->arch_native = true;
	else if (arch != NULL && strcmp(arch, "all") == 0)
		command->arch_all = true;
	else if (arch != NULL && strcmp(arch, "all-major") == 0)
		command->arch_all_major = true;
	else if (arch != NULL && !kt_architecture_read(&code, arch, strlen(arch)))
		*understood = false;
	else if (arch != NULL && code_count == 0) {
		/* -arch=sm_90 alone is short for -arch=compute_90 -code=sm_90,compute_90. */
		code.virtual_ = code.virtual_ || code.real;
		status = add(command, arena, &code, err);
	}
	for (size_t i = 0; i < code_count && status == KT_OK; i++)
		status = add_codes(command, arena, codes[i], strlen(codes[i]), understood, err);
	return status;
}
