#include "base/strategies.h"

#include <stddef.h>
#include <strings.h>

#define OWN(name) {#name, #name},
#define SYNONYM(other, name) {other, name},
static const struct {
	const char *given, *name;
} rows[] = {KT_STRATEGIES(OWN) KT_STRATEGY_SYNONYMS(SYNONYM)};

#define LISTED(other, name) " " other
const char kt_strategy_names[] = KT_STRATEGY_WORDS ":" KT_STRATEGY_SYNONYMS(LISTED);

const char *kt_strategy_name(const char *given)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcasecmp(rows[i].given, given) == 0)
			return rows[i].name;
	return NULL;
}
