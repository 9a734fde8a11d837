/*
 * Is a generated text device code and nothing else? What a session of `ktcc-clang` is asked about
 * it (docs/protocol.md, "check"; the rules: docs/security.md). No text of a
 * model is compiled that was not accepted here; what is compiled is the text
 * that comes back.
 */
#ifndef KT_GENERATION_LLM_CHECK_H
#define KT_GENERATION_LLM_CHECK_H

#include "base/template.h"
#include "generation/clang.h"
#include "generation/llm/reply.h"

/* A kernel that the text must define: "k", "__global__ void k(float *x, int n)". */
struct kt_checked_kernel {
	const char *name, *declaration;
	const char *head, *body; /* of an accepted text: with placeholders (base/template.h) */
};

struct kt_check_request {
	const char *context;     /* source in front of the text: a slice (generation.h) */
	const char *open, *close; /* the kernel's namespaces */
	const char *original;    /* the original kernel and its callees: the text may use what they use */
	bool allow_assembly;
	double seconds;          /* of processor time that the verdict may take; 0: as the check has it */
	size_t kernel_count;
	struct kt_checked_kernel *kernels;
};

/*
 * The request for one instance of a kernel region. Its kernel is declared as a
 * plain function with the types of that instance. Allocated in arena.
 * KT_ERR_INVALID: an argument whose type cannot be written in front of a name.
 */
kt_status kt_check_request_of(struct kt_check_request *out, struct kt_arena *arena, const struct kt_region *region,
                              const struct kt_instance *instance, const char *source, size_t source_size,
                              struct kt_error *err) KT_MUST_CHECK;

/*
 * Makes a region's request one for the kernels of a plan: each has the region's arguments, then pointers to the reply's
 * temporaries. Allocated in arena.
 */
kt_status kt_check_request_plan(struct kt_check_request *out, struct kt_arena *arena, const struct kt_region *region,
                                const struct kt_instance *instance, const struct kt_reply *reply, struct kt_error *err)
    KT_MUST_CHECK;

struct kt_check_verdict {
	bool accepted;
	/* Refused: why (docs/security.md), where in the text (1-based), and that line. */
	const char *construct, *message, *source;
	int64_t line, column;
	double cpu_s;            /* of processor time that it took */
	/* Accepted: the text with placeholders, without comments. Kernels in the order of the text. */
	const char *helpers;
	size_t kernel_count;
	struct kt_checked_kernel *kernels;
};

/*
 * Checks the text of a reply. Everything lives in arena. Fails when there is no
 * verdict (no process, a context that does not parse): the text may not be used then either.
 */
kt_status kt_check_ask(struct kt_check_verdict *out, struct kt_arena *arena, struct kt_clang_client *clang,
                       const struct kt_check_request *request, const struct kt_reply *reply, struct kt_error *err)
    KT_MUST_CHECK;

/* Appends a refusal as it goes back to the model: construct, place, line, caret, message. */
void kt_check_complain(struct kt_buf *out, const struct kt_check_verdict *verdict);

/*
 * The template of an accepted reply for one instance of a region: concrete
 * (base/template.h), "llm" its generator. A guard of the region is one of the
 * template; without a geometry in the reply it has the region's, both with the
 * source's values of parameters that the reply does not have. A plan's kernels
 * become those of the template, in the order of its launches. Allocated in
 * arena. KT_ERR_INVALID: an expression names what the template does not have.
 */
kt_status kt_generate_llm(struct kt_template **out, struct kt_arena *arena, const struct kt_region *region,
                          const struct kt_instance *instance, const char *source, const struct kt_reply *reply,
                          const struct kt_check_verdict *verdict, struct kt_error *err) KT_MUST_CHECK;

#endif
