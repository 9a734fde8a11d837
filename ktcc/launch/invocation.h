/* What launch.c and hit.c share: one compile command on its way to the compiler. */
#ifndef KT_LAUNCH_INVOCATION_H
#define KT_LAUNCH_INVOCATION_H

#include "launch/depend.h"
#include "launch/manifest.h"

/* One compile command; lives until exec or exit. */
struct kt_invocation {
	char **argv;
	struct kt_arena *arena;
	struct kt_command *command;
	struct kt_config config;
	struct kt_store *store;
	struct kt_walk walk;
	char key[KT_HASH_TEXT];
	struct kt_work *work;
	const char *folder;   /* <object>.ktune */
	const char *emitted;  /* <object>.ktune/<basename>, as given */
	const char *stamp;
	const char **extra;   /* prerequisites of ktcc's own */
	size_t extra_count;
	const char *message;  /* the one line about a region left unmodified */
	enum kt_reason reason;
	struct kt_current *current; /* of current.h; NULL: the object has to be compiled */
	bool compiled_early;  /* the original, while the source was scanned (early.h) */
	int early_code;
};

/* Counts in the store, where there is one. */
void kt_invocation_count(struct kt_invocation *l, const char *name);
void kt_invocation_count_reason(struct kt_invocation *l, enum kt_reason reason);
/* The user's command, with nothing but the warning about ktune's pragma switched off, unless it asks for that error. */
char **kt_invocation_original(struct kt_invocation *l);
/* The folder beside the object with its stamp. Where the object's own folder is absent the compiler has to report it. */
kt_status kt_invocation_folder(struct kt_invocation *l, struct kt_error *err) KT_MUST_CHECK;
/* Fills `extra` from what was looked up, and makes the folders of the lock directory that entries would arrive in. */
void kt_invocation_extra(struct kt_invocation *l);
/* Puts the emitted files into the folder, each where its bytes differ. */
kt_status kt_invocation_write(struct kt_invocation *l, const struct kt_emitted *emitted, struct kt_error *err)
    KT_MUST_CHECK;
/*
 * Makes the depfile that nvcc wrote name what was looked up, and no copy of
 * ktcc's (`emitted` NULL: none was compiled); returns its prerequisites. A
 * command without a depfile has none.
 */
kt_status kt_invocation_depfile(struct kt_depfile *known, struct kt_invocation *l,
                                const struct kt_emitted *emitted) KT_MUST_CHECK;

#endif
