/* ktcc-pages, a program of the build: manual pages and completion from the table of verbs and options; the page of
 * reasons; JSON Schemas from the tables of records. */
#ifndef KT_PAGES_PAGES_H
#define KT_PAGES_PAGES_H

#include <stdbool.h>

#include "verbs/table.h"

/* What a value is, by the form of its name in the table. */
enum pages_value { PAGES_NONE, PAGES_ANY, PAGES_FILE, PAGES_FOLDER, PAGES_WORDS };
enum pages_value pages_value(const char *value);

/* mdoc; `date` as in "November 27, 2026". KT_VERBS: of the launcher itself. */
void pages_man(FILE *to, enum kt_verb verb, const char *date);
void pages_bash(FILE *to);
void pages_zsh(FILE *to);
void pages_fish(FILE *to);
void pages_reasons(FILE *to);
void pages_parameters(FILE *to);
void pages_entry_schema(FILE *to);
void pages_rewrite_schema(FILE *to);

#endif
