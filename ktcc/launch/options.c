#include "launch/options.h"

#include <string.h>

enum {
	NONE = KT_VALUE_NONE,
	ONE = KT_VALUE_ONE,
	LIST = KT_VALUE_LIST,
	PATHS = KT_VALUE_PATHS,
	JOINED = KT_VALUE_JOINED,
	STAGE = KT_EFFECT_STAGE,
	OBJECT = KT_EFFECT_OBJECT,
	SOURCE = KT_EFFECT_SOURCE,
	RESULT = KT_EFFECT_RESULT,
	DEPENDENCY = KT_EFFECT_DEPENDENCY,
	PREPROCESS = KT_EFFECT_PREPROCESS,
	CODE = KT_EFFECT_CODE,
	TARGET = KT_EFFECT_TARGET,
	RELOCATION = KT_EFFECT_RELOCATION,
	SELECTION = KT_EFFECT_SELECTION,
	HOST = KT_EFFECT_HOST,
	LINKING = KT_EFFECT_LINKING,
	MESSAGE = KT_EFFECT_MESSAGE,
	SPEED = KT_EFFECT_SPEED,
	ASSEMBLE = KT_EFFECT_ASSEMBLE,
};

const char KT_NVRTC_SAME[] = "same", KT_NVRTC_READ[] = "read", KT_NVRTC_IGNORED[] = "ignored",
           KT_NVRTC_REFUSED[] = "refused";

#define SAME KT_NVRTC_SAME
#define READ KT_NVRTC_READ
#define IGNORED KT_NVRTC_IGNORED
#define REFUSED KT_NVRTC_REFUSED

static const struct kt_option options[KT_OPTION_COUNT] = {
#define OPTION(id, long_name, short_name, value, effects, nvrtc) {long_name, short_name, value, effects, nvrtc},
#include "launch/options.def"
#undef OPTION
};

const struct kt_option *kt_option(enum kt_option_id id)
{
	return &options[id];
}

static bool same(const char *name, const char *text, size_t length)
{
	return name[0] == text[0] && strncmp(name, text, length) == 0 && name[length] == '\0';
}

static enum kt_option_id find_name(const char *text, size_t length, bool is_long)
{
	if (length == 0)
		return KT_OPTION_COUNT;
	for (unsigned i = 0; i < KT_OPTION_COUNT; i++)
		if (same(is_long ? options[i].long_name : options[i].short_name, text, length))
			return (enum kt_option_id)i;
	return KT_OPTION_COUNT;
}

enum kt_option_id kt_option_find(const char **value, const char *word)
{
	bool is_long = word[0] == '-' && word[1] == '-';
	const char *name = word + (is_long ? 2 : 1);
	size_t length = strcspn(name, "=");
	enum kt_option_id id = find_name(name, length, is_long);

	*value = NULL;
	if (id < KT_OPTION_COUNT) {
		if (name[length] == '\0')
			return id;
		if (options[id].value == KT_VALUE_NONE)
			return KT_OPTION_COUNT;
		*value = name + length + 1;
		return id;
	}
	if (is_long || name[0] == '\0')
		return KT_OPTION_COUNT;
	id = find_name(name, 1, false);
	if (id == KT_OPTION_COUNT || !(options[id].value & KT_VALUE_JOINED))
		return KT_OPTION_COUNT;
	*value = name + 1;
	return id;
}
