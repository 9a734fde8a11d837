/* ktcc-pages man DATE FOLDER | bash FILE | zsh FILE | fish FILE | reasons FILE | parameters FILE | entry FILE | rewrite FILE */
#include "pages/pages.h"

#include <string.h>

enum pages_value pages_value(const char *value)
{
	static const char *const files[] = {"FILE", "OUT", "JSON", "PATH"};

	if (value == NULL)
		return PAGES_NONE;
	if (strcmp(value, "DIR") == 0 || strcmp(value, "FOLDER") == 0)
		return PAGES_FOLDER;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (strstr(value, files[i]) != NULL)
			return PAGES_FILE;
	return strchr(value, '|') != NULL && value[0] >= 'a' ? PAGES_WORDS : PAGES_ANY;
}

static FILE *open_page(const char *folder, const char *name)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/ktcc%s%s.1", folder, name[0] != '\0' ? "-" : "", name);
	return fopen(path, "w");
}

/* One page per verb, and that of the launcher. */
static int write_pages(const char *date, const char *folder)
{
	for (int verb = 0; verb <= KT_VERBS; verb++) {
		FILE *to = open_page(folder, verb < KT_VERBS ? kt_verb_rows[verb].name : "");

		if (to == NULL)
			return 1;
		pages_man(to, (enum kt_verb)verb, date);
		if (fclose(to) != 0)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(FILE *to);
	} pages[] = {{"bash", pages_bash}, {"zsh", pages_zsh}, {"fish", pages_fish}, {"reasons", pages_reasons}, {"parameters", pages_parameters},
	           {"entry", pages_entry_schema}, {"rewrite", pages_rewrite_schema}};

	if (argc == 4 && strcmp(argv[1], "man") == 0)
		return write_pages(argv[2], argv[3]);
	for (size_t i = 0; argc == 3 && i < sizeof pages / sizeof *pages; i++) {
		FILE *to = strcmp(argv[1], pages[i].name) == 0 ? fopen(argv[2], "w") : NULL;

		if (to == NULL)
			continue;
		pages[i].print(to);
		return fclose(to) != 0;
	}
	fputs("usage: ktcc-pages man DATE FOLDER | bash FILE | zsh FILE | fish FILE | reasons FILE | parameters FILE | entry FILE | rewrite FILE\n", stderr);
	return 1;
}
