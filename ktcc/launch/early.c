#include "launch/early.h"

#include <string.h>

#include "base/lex.h"
#include "store/lock.h"

/* A directive that begins with "#pragma ktune", in the file itself; in an inactive part it may still be nothing. */
static bool has_pragma(const char *path)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_buf source = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error ignored;
	struct kt_text text = {.count = 0};
	bool found = false;

	if (arena == NULL || kt_fs_read(&source, path, &ignored) != KT_OK ||
	    kt_lex(&text, arena, kt_buf_text(&source), 0, source.size, true, &ignored) != KT_OK)
		text.count = 0;
	for (size_t i = 0; i < text.count && !found; i++) {
		const struct kt_token *token = &text.tokens[i];
		uint32_t rest = 0;
		const char *word;

		if (token->kind != KT_TOKEN_DIRECTIVE)
			continue;
		word = kt_directive_word(arena, &text, token, &rest);
		while (rest < token->end && (text.data[rest] == ' ' || text.data[rest] == '\t'))
			rest++;
		found = word != NULL && strcmp(word, "pragma") == 0 && token->end - rest > 5 &&
		        memcmp(text.data + rest, "ktune", 5) == 0;
	}
	kt_buf_free(&source);
	kt_arena_free(arena);
	return found;
}

static bool may_tune(const struct kt_invocation *l, const struct kt_work_input *input)
{
	return l->config.mode != KT_MODE_CACHED && (input->gpu || l->config.replay != NULL);
}

bool kt_early_may(struct kt_invocation *l, const struct kt_work_input *input)
{
	const bool takes_what_there_is = l->config.mode == KT_MODE_AUTO || l->config.mode == KT_MODE_CACHED;
	const struct kt_lock_place lock =
	    kt_lock_find(l->arena, l->config.lock_dir, kt_path_absolute(l->arena, l->command->input, NULL));
	const struct kt_query any = {.lock_dir = lock.path};

	return l->current == NULL && takes_what_there_is && !may_tune(l, input) && l->config.remote == NULL &&
	       l->store != NULL && !kt_store_has_name(l->store, &any) && has_pragma(l->command->input);
}
