#include "tuning/kind.h"

#include <string.h>
#include <strings.h>

static const char *const names[KT_KIND_COUNT] = {
#define NAME(id, name) name,
    KT_KINDS(NAME)
#undef NAME
};

/* Names of the generators' parameters, and of those that kernels for other tuners have; a star ends a prefix. */
static const struct {
	const char *parameter;
	enum kt_kind kind;
} known[] = {
    {"block", KT_KIND_BLOCK_X}, {"block_x", KT_KIND_BLOCK_X}, {"block_size", KT_KIND_BLOCK_X},
    {"block_size_x", KT_KIND_BLOCK_X}, {"threads", KT_KIND_BLOCK_X}, {"wg", KT_KIND_BLOCK_X}, {"mdimc", KT_KIND_BLOCK_X},
    {"bx", KT_KIND_BLOCK_X}, {"by", KT_KIND_BLOCK_Y}, {"block_y", KT_KIND_BLOCK_Y}, {"block_size_y", KT_KIND_BLOCK_Y}, {"ndimc", KT_KIND_BLOCK_Y},
    {"block_z", KT_KIND_BLOCK_Z}, {"block_size_z", KT_KIND_BLOCK_Z},
    {"items", KT_KIND_ITEMS_X}, {"items_x", KT_KIND_ITEMS_X}, {"tile_size_x", KT_KIND_ITEMS_X},
    {"steps", KT_KIND_ITEMS_X}, {"turns", KT_KIND_ITEMS_X}, {"tm", KT_KIND_ITEMS_X},
    {"items_y", KT_KIND_ITEMS_Y}, {"rows", KT_KIND_ITEMS_Y}, {"tile_size_y", KT_KIND_ITEMS_Y}, {"tn", KT_KIND_ITEMS_Y},
    {"items_z", KT_KIND_ITEMS_Z}, {"tile_size_z", KT_KIND_ITEMS_Z},
    {"tile", KT_KIND_TILE_X}, {"tile_x", KT_KIND_TILE_X}, {"bm", KT_KIND_TILE_X}, {"mwg", KT_KIND_TILE_X},
    {"tile_y", KT_KIND_TILE_Y}, {"bn", KT_KIND_TILE_Y}, {"nwg", KT_KIND_TILE_Y},
    {"bk", KT_KIND_TILE_K}, {"kwg", KT_KIND_TILE_K}, {"tile_k", KT_KIND_TILE_K},
    {"vec", KT_KIND_VECTOR}, {"vector", KT_KIND_VECTOR}, {"loop_vector", KT_KIND_VECTOR},
    {"step_vector", KT_KIND_VECTOR}, {"vw", KT_KIND_VECTOR}, {"vwm", KT_KIND_VECTOR},
    {"unroll*", KT_KIND_UNROLL}, {"inner", KT_KIND_UNROLL}, {"along", KT_KIND_UNROLL}, {"kwi", KT_KIND_UNROLL},
    {"loop_unroll*", KT_KIND_UNROLL},
    {"waves", KT_KIND_GRID}, {"blocks", KT_KIND_GRID}, {"split", KT_KIND_GRID}, {"cluster", KT_KIND_GRID},
    {"team", KT_KIND_TEAM}, {"parts", KT_KIND_TEAM}, {"lanes", KT_KIND_TEAM},
    {"resident", KT_KIND_RESIDENT}, {"blocks_per_sm", KT_KIND_RESIDENT}, {"min_blocks", KT_KIND_RESIDENT},
    {"use_sh*", KT_KIND_SHARED}, {"staged", KT_KIND_SHARED}, {"sa", KT_KIND_SHARED}, {"sh_power", KT_KIND_SHARED},
    {"private", KT_KIND_SHARED}, {"unstage", KT_KIND_SHARED},
    {"pad", KT_KIND_PADDING}, {"use_padding", KT_KIND_PADDING},
    {"read_only", KT_KIND_READ_ONLY}, {"stream", KT_KIND_READ_ONLY},
    {"spread", KT_KIND_SPREAD}, {"step_spread", KT_KIND_SPREAD}, {"tile_stride_x", KT_KIND_SPREAD},
    {"strm", KT_KIND_SPREAD},
    {"fast", KT_KIND_FAST},
};

const char *kt_kind_name(enum kt_kind kind)
{
	return names[kind];
}

enum kt_kind kt_kind_from_name(const char *name)
{
	for (int kind = 0; kind < KT_KIND_COUNT; kind++)
		if (strcmp(names[kind], name) == 0)
			return (enum kt_kind)kind;
	return KT_KIND_OTHER;
}

enum kt_kind kt_kind_guess(const char *parameter)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const size_t length = strlen(known[i].parameter);
		const bool prefix = known[i].parameter[length - 1] == '*';

		if (prefix ? strncasecmp(parameter, known[i].parameter, length - 1) == 0
		           : strcasecmp(parameter, known[i].parameter) == 0)
			return known[i].kind;
	}
	return KT_KIND_OTHER;
}

enum kt_kind kt_kind_of(const struct kt_template *template_, size_t parameter)
{
	const char *name = template_->parameters[parameter].name;

	for (size_t i = 0; i < template_->block_count; i++)
		if (template_->block[i].text != NULL && strcmp(template_->block[i].text, name) == 0)
			return (enum kt_kind)(KT_KIND_BLOCK_X + i);
	return kt_kind_guess(name);
}
