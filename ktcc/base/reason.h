/*
 * Why ktcc stood back: every refusal is a row here, counted in the store under
 * its name (`ktcc cache stats`) and said with its text.
 */
#ifndef KT_BASE_REASON_H
#define KT_BASE_REASON_H

#include <stdbool.h>

/* X(identifier, name, text, quiet): quiet ones are never printed. */
#define KT_REASONS(X) \
	X(NOT_OURS, "not-a-cuda-compilation", "no CUDA source that is compiled", true) \
	X(SEVERAL_INPUTS, "several-inputs", "several inputs in one command", false) \
	X(STDIN, "standard-input", "the source comes from standard input", true) \
	X(CLANG, "clang-not-tuned", "no entry, and entries are made with nvcc, not clang", false) \
	X(CACHE, "cache-in-front", \
	  "a compiler cache runs ktcc and would keep objects of older entries: put ktcc in front of it", false) \
	X(OUTPUT, "output-not-a-file", "the output is not a file", false) \
	X(FOLDER, "folder-is-a-link", "the folder for what is made beside the object is a symbolic link", false) \
	X(NO_REGION, "no-region", "no #pragma ktune in the file", true) \
	X(DISABLED, "disabled", "KTUNE_MODE=off or KTUNE_DISABLE is set", true) \
	X(DEBUG, "device-debug", "-G keeps the original kernels", false) \
	X(UNKNOWN_OPTION, "unknown-option", "an option that ktcc does not know", false) \
	X(NO_CLANG, "no-libclang", "libclang 16 or newer was not found", false) \
	X(SCAN_FAILED, "scan-failed", "the source could not be analysed", false) \
	X(PRAGMA_ERROR, "pragma-error", "the pragma has errors", false) \
	X(NO_GPU, "no-gpu", "no entry and no GPU to tune on", false) \
	X(NO_ENTRY, "no-entry", "no entry for this device", false) \
	X(NO_KEY, "no-region-key", "the kernel does not compile on its own", false) \
	X(UNKNOWN_DEVICE, "unknown-device", "KTUNE_DEVICE names no device of any entry", false) \
	X(NO_LOCK_DIR, "no-lock-directory", \
	  "the lock directory that a setting names does not exist; `ktcc cache export` or ktune_target() makes it", false) \
	X(UNTRUSTED, "not-trusted", "another user could have written the lock directory", false) \
	X(NO_STORE, "no-store", "the store cannot be used", false) \
	X(ARCHITECTURE, "architecture-not-compiled", "the command does not compile for the device's architecture", false) \
	X(ARGUMENTS, "arguments-unknown", "kernel arguments cannot be built from the clauses", false) \
	X(ARGUMENT_TYPE, "argument-type", "a kernel argument has a type that cannot be built", false) \
	X(GEOMETRY, "geometry-unknown", "the launch geometry is not an expression over known names", false) \
	X(NO_LAUNCH, "no-launch", "no launch of the kernel in this file", false) \
	X(NO_INSTANCE, "no-instance", "no instance of the kernel template is known", false) \
	X(LAUNCH_IN_MACRO, "launch-in-macro", "the launch stands in a macro's body", false) \
	X(LAUNCH_FORM, "launch-form", "the launch has a form that cannot be rewritten", false) \
	X(BLOCK_FORM, "launch-region-form", \
	  "the block has more between its launches than declarations and checks for errors", false) \
	X(BLOCK_STREAMS, "launch-region-streams", "the launches of the block are on different streams", false) \
	X(BLOCK_EFFECTS, "launch-region-effects", "an expression of the block may have side effects", false) \
	X(BLOCK_ORDER, "launch-region-order", "what the block needs is not known before its first launch", false) \
	X(BLOCK_SCOPE, "launch-region-scope", "the kernels of the block stand in different namespaces", false) \
	X(LAUNCH_FUNCTION, "launch-by-function", "a function of the runtime launches the kernel", false) \
	X(LAUNCH_DEVICE, "launch-from-device", "device code launches the kernel", false) \
	X(ADDRESS, "address-taken", "the kernel's address is taken, so other code may launch it", false) \
	X(BINDING, "binding-unknown", "a problem variable cannot be computed at the launch", false) \
	X(PARAMETER, "parameter-not-found", "a parameter is no macro, constant or template parameter of the kernel", \
	  false) \
	X(PARAMETER_ESCAPES, "parameter-escapes", "a parameter is also used outside the kernel and its launches", false) \
	X(PARAMETER_IN_MACRO, "parameter-in-macro", "a parameter is used inside a macro's body", false) \
	X(MUTABLE_GLOBAL, "mutable-global", "the kernel uses a device variable without a clause", false) \
	X(IN_HEADER, "region-in-header", "the header that holds the region cannot be copied", false) \
	X(HEADER_FORCED, "header-from-command-line", "the header is included by the command line", false) \
	X(HEADER_TWICE, "header-read-twice", "the header, or one that leads to it, is read more than once", false) \
	X(INCLUDE_NEXT, "include-next", "#include_next leads to the header or stands in it", false) \
	X(COMPUTED_INCLUDE, "computed-include", "an include whose name is computed leads to the header", false) \
	X(INCLUDE_AMBIGUOUS, "include-ambiguous", "an include would find another file from a copy of the header", false) \
	X(NOTHING_TO_TUNE, "nothing-to-tune", "no parameter to tune", false) \
	X(NO_STRATEGY, "no-strategy", "the generator found nothing to change", false) \
	X(GENERATE_FAILED, "generator-failed", "the generator did not answer", false) \
	X(NO_GENERATOR, "no-generator", "KTUNE_GENERATOR names a generator that is not installed", false) \
	X(EMPTY_SPACE, "empty-space", "no configuration is legal on the device", false) \
	X(BASELINE_FAILED, "baseline-failed", "the original kernel could not be run on its own problems", false) \
	X(REFERENCE_FAILED, "reference-failed", \
	  "the original does not agree with its host reference, or that cannot be run", false) \
	X(TUNE_FAILED, "tuning-failed", "tuning did not finish", false) \
	X(CANDIDATES_FAILED, "candidates-failed", \
	  "every configuration that ktcc wrote failed, which is a defect of ktcc", false) \
	X(BASELINE_BEST, "baseline-best", "no configuration beats the original", false) \
	X(EMIT_FAILED, "emit-failed", "the specialised source could not be written", false) \
	X(EMITTED_NO_COMPILE, "emission-did-not-compile", "the specialised source did not compile", false) \
	X(BAD_ENTRY, "bad-entry", "an entry is damaged", false) \
	X(ENTRY_UNFIT, "entry-does-not-fit", "an entry does not fit the region", false) \
	X(UNSIGNED, "unsigned-text", "text of a model comes from elsewhere, and no key that you trust has signed it", false) \
	X(CHECK_LIMIT, "check-limit", "checking texts of entries took more processor time than a command may spend", false) \
	X(NOT_REBUILT, "recipe-not-rebuilt", "the rules cannot follow the recipe of an entry", false) \
	X(BUDGET, "budget", "the tuning budget was spent", false) \
	X(BUILD_BUDGET, "build-budget", "KTUNE_BUILD_BUDGET is spent", false) \
	X(BUSY, "busy", "another process holds the tuner for too long", false) \
	X(RECURSION, "recursion", "ktcc was started by itself", true) \
	X(INTERNAL, "internal", "an internal error", false)

enum kt_reason {
	KT_REASON_NONE,
#define KT_REASON_ROW(id, name, text, quiet) KT_REASON_##id,
	KT_REASONS(KT_REASON_ROW)
#undef KT_REASON_ROW
	KT_REASON_COUNT
};

const char *kt_reason_name(enum kt_reason reason);
const char *kt_reason_text(enum kt_reason reason);
bool kt_reason_quiet(enum kt_reason reason);
/* KT_REASON_NONE for an unknown name. */
enum kt_reason kt_reason_from_name(const char *name);

#endif
