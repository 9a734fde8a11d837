/*
 * One translation unit as scan sees it: the main file's text (with headers that
 * hold regions put in, base/flat.h) and tokens, what
 * libclang found in it, and the regions that grow out of it. Everything lives
 * in one arena. Offsets are bytes into a file as it lies on disk; things that
 * come out of a macro are at the macro's name or argument.
 */
#ifndef KT_CLANG_UNIT_H
#define KT_CLANG_UNIT_H

#include "base/flat.h"
#include "base/lex.h"
#include "base/nearest.h"
#include "libclang.h"

struct kt_scan_options {
	const char *file, *toolkit, *directory;
	const char *cache; /* where precompiled headers are kept; NULL: none are used */
	long arch;
	char **arguments; /* what the compiler gets: -I -isystem -D -U -std= -include */
	size_t argument_count;
};

/* A file of the project: the main file first, then headers found by quoted and -I includes. */
struct kt_project_file {
	const char *path;
	CXFile file;
	struct kt_text text;
};

/*
 * A declaration at file or namespace scope of a project file. Its text goes
 * from the first token after the declaration before it to "}" or ";".
 */
struct kt_item {
	const char *name;
	CXCursor cursor;
	enum CXCursorKind kind;
	size_t file;
	uint32_t begin, end;
	uint32_t name_at;      /* offset of the name */
	uint32_t body;         /* offset of "{" of a function's body; 0: none */
	bool is_function, is_global;
	bool is_device_data;   /* a __device__, __constant__ or __managed__ variable */
	bool is_constant_data; /* a __constant__ one */
	bool in_anonymous, in_extern_c;
	bool unnamed_outside; /* an unnamed namespace is around the outermost named one */
	bool is_static;
	bool is_member;        /* of a class, defined outside of it: has an alias, its class */
	const char *scope;     /* "ops::": of what is declared, wherever the declaration is */
	const char *lexical;   /* "": of the declaration's own place */
};

/* Another name that an item is found under: an enumerator, the class of a method. */
struct kt_alias {
	const char *name;
	size_t item;
	long long value; /* of an enumerator */
};

/* A use of a declared name in the main file. */
struct kt_use {
	uint32_t at;
	CXCursor target; /* canonical */
};

/* A variable or parameter and where it can be named. */
struct kt_local {
	const char *name;
	CXCursor cursor;
	CXType type;
	uint32_t at, end;      /* of the declaration */
	uint32_t scope_end;    /* last offset where it is visible; UINT32_MAX at file scope */
	bool is_parameter;
};

struct kt_call {
	CXCursor cursor, callee, config;
	struct kt_range extent, config_extent;
	const struct kt_item *function; /* that holds it */
};

struct kt_macro {
	const char *name;
	size_t file;           /* SIZE_MAX: from the command line */
	uint32_t begin, end;   /* the definition's range, from its name */
	const char *body;      /* text after name and parameters */
	bool is_function;
	size_t parameter_count;
	const char **parameters;
	bool is_system;
};

/* An #undef of a project file, active or not. */
struct kt_undef {
	const char *name;
	size_t file;
	uint32_t at;
};

struct kt_found;

/* One launch of a launch region in the making. */
struct kt_found_step {
	const struct kt_call *call;
	struct kt_found *kernel;       /* that it calls, with the instances that the region needs; not a separate region */
	size_t *instances;             /* of the kernel, one for each region instance */
	struct kt_launch launch;       /* where its parts are */
	bool dependent;                /* which instance it calls depends on the host's template arguments */
	size_t template_count;
	const char **templates;        /* template arguments in the call, then the kernel's defaults */
	size_t argument_count;
	const char **arguments;        /* as the call spells them, one for each parameter of the kernel */
};

/* One region in the making. */
struct kt_found {
	/* A launch region: the statement or "{ }" below the pragma, the function around it, its launches. */
	struct kt_range block;         /* empty: a kernel region */
	size_t host;
	size_t step_count;
	struct kt_found_step *steps;
	struct kt_region region;
	struct kt_pragma *pragma;
	uint32_t text_at;      /* offset of the clauses in the file */
	struct kt_range above; /* the launch that the pragma is above; empty: it is above none, or is of a launch region */
	size_t item;           /* the kernel's definition; SIZE_MAX: none */
	CXCursor pattern;      /* canonical cursor of the kernel (template) */
	CXCursor *made;        /* host templates, and class templates by their constructors, that bodies are made of */
	size_t made_count;
	struct kt_range *launch_texts; /* initialisers that launch configurations are made of */
	size_t launch_text_count;
	bool *needed;          /* per item: part of the closure */
	size_t route_count;
	struct kt_route *routes;       /* of the launches that are routed (routes.h) */
	const char *macro_setting; /* why macros that launch the kernel let all its launches keep the original; NULL: they do not */
	const char *member_reason; /* why an argument that is a structure or a vector has no members; NULL: none */
	const char *element_reason; /* why the elements of a pointer cannot be built; NULL: none */
};

/* A bind-only pragma above a launch. */
struct kt_bind_pragma {
	uint32_t begin, end, text_at; /* text_at: where its clauses begin */
	uint32_t target;              /* offset of the launch below it */
	struct kt_pragma *pragma;
	bool used;
	bool has_errors;              /* its launch is left unmodified */
};

/* A header with a region that could not be put in, and the reason's name. */
struct kt_left_out {
	const char *path;
	const char *reason;
};

struct kt_name_index;
struct kt_headers_state;
struct kt_slice;

/* A name in the main file, also in a directive, whose word is given then. */
struct kt_name_use {
	const struct kt_text *text;
	size_t token;
	const char *directive;
};

/* What a member of a class holds, once it was asked for. */
struct kt_member_value {
	const char *name, *value; /* value NULL: it is not known */
};

/* Where uses of what is tuned are part of a region. */
struct kt_allowed {
	struct kt_range range;
	const struct kt_found *except; /* the only region that needs it, for which it is not one of another; NULL: for all */
};

struct kt_scan {
	struct kt_arena *arena;
	struct kt_scan_options options;
	const struct kt_target *target; /* by the file's name */
	unsigned constants, constants_read; /* constants that are being read, one by another; read for the first of them */
	const struct kt_found *clauses_of;  /* whose clauses constants are put into; NULL: none's */
	const char *version;
	int major;
	CXIndex index;
	CXTranslationUnit unit;
	struct kt_headers_state *headers; /* precompiled ones (headers.h); NULL: none can be used */
	struct kt_project_file *files;
	size_t file_count;
	const char **system_files, **data_files; /* data_files: that clauses name */
	size_t system_file_count, data_file_count;
	const char *foreign;           /* hash of those that are neither the toolkit's nor the system's; "": none; NULL: not made */
	struct kt_text *text;          /* the main file's, with headers put in where flat is given */
	struct kt_flat *flat;          /* NULL: the main file alone */
	struct kt_buf flat_text;
	const struct CXUnsavedFile *more; /* files that libclang is given besides; none mostly */
	unsigned more_count;
	const char *more_folder;
	const struct kt_buf *appended; /* what is parsed in the main file's place; NULL mostly */
	const char **folders;          /* searched for quoted includes of files that were put in */
	size_t folder_count;
	const char **absent;           /* paths that would lead such an include elsewhere if they existed */
	size_t absent_count;
	struct kt_left_out *left_out;
	size_t left_out_count;
	struct kt_range *skipped;      /* parts of the main file that are inactive in device code */
	size_t skipped_count;
	CXTranslationUnit referenced;  /* the text with references to explicit instantiations; NULL: not needed so far */
	bool asked_references;
	CXTranslationUnit host_unit;   /* the host's pass over the same text; NULL: not needed so far */
	struct kt_range *host_skipped;
	size_t host_skipped_count;
	struct kt_item *host_items;    /* declarations of the main file in that pass */
	size_t host_item_count;
	struct kt_item *items;
	size_t item_count;
	struct kt_alias *aliases;      /* further names of items */
	size_t alias_count;
	const char *written;           /* the main file's text where libclang was given another of the same places */
	struct kt_use *uses;           /* ascending */
	size_t use_count;
	size_t *mentions;              /* uses of kernels that are no callees of launches; when there were N uses and calls */
	size_t mention_count, mentions_of_uses, mentions_of_calls;
	struct kt_local *locals;
	size_t local_count;
	struct kt_call *calls;         /* launches */
	size_t call_count;
	struct kt_use *specialised;    /* references to specialisations of function templates, target: the specialisation */
	size_t specialised_count;
	struct kt_text *instantiations; /* those of macros, expanded, once they were asked for */
	struct kt_macro *macros;
	size_t macro_count;
	uint32_t place;                /* in the main file: of a name's definitions, which one is meant */
	struct kt_name_index *macro_index, *item_index;
	struct kt_name_index *body_index; /* of names in the bodies of macros: the macros; NULL: not made so far */
	const bool *no_macros;         /* as many as there are macros: none is marked */
	struct kt_name_use *names;     /* of the main file, with their index; NULL: not made so far */
	size_t name_count;
	struct kt_name_index *use_names;
	struct kt_allowed *allowed;    /* of all regions; made_allowed: it was made */
	size_t allowed_count;
	bool made_allowed;
	struct kt_slice *slice;        /* what slices of all regions have in common (slice.c); NULL: not made so far */
	struct kt_member_value *members;
	size_t member_count;
	uint32_t *lines;               /* where the main file's lines begin, after the first */
	size_t line_count;
	size_t *opens;                 /* names in front of "<<<", with the mentions */
	size_t open_count;
	struct kt_undef *undefs;
	size_t undef_count;
	struct kt_name_index *undef_index; /* NULL: not read so far */
	int64_t toolkit_version;
	struct kt_found **found;
	size_t found_count;
	struct kt_bind_pragma *binds;
	size_t bind_count;
	struct kt_buf diagnostics;
	bool has_errors;
	bool failed;                   /* out of memory while visiting */
};

#define KT_NO_ITEM SIZE_MAX

/* Parses the unit and fills everything down to macros. */
kt_status kt_scan_open(struct kt_scan *scan, struct kt_error *err) KT_MUST_CHECK;
void kt_scan_close(struct kt_scan *scan);
/* Loads libclang, opens the unit and reads every region. KT_ERR_MISSING: no libclang. */
kt_status kt_scan_all(struct kt_scan *scan, struct kt_error *err) KT_MUST_CHECK;

/* Parses the device's pass once more with another text for the main file; the caller disposes of the unit. */
kt_status kt_scan_again(CXTranslationUnit *out, struct kt_scan *scan, const struct kt_buf *text, struct kt_error *err)
    KT_MUST_CHECK;

/*
 * The same with these unsaved files besides, MOST_MORE of them at most, and without precompiled headers; headers in angle
 * brackets are looked up in `folder` first (NULL: there is none).
 */
enum { KT_SCAN_MOST_MORE = 2 };
kt_status kt_scan_with(CXTranslationUnit *out, struct kt_scan *scan, const struct kt_buf *text,
                       const struct CXUnsavedFile *more, unsigned more_count, const char *folder,
                       struct kt_error *err) KT_MUST_CHECK;

/* File offset of a location; *file becomes its index among the project files or SIZE_MAX. */
uint32_t kt_scan_offset(const struct kt_scan *scan, CXSourceLocation location, size_t *file);
/* Is it inactive in device code? */
bool kt_scan_skipped(const struct kt_scan *scan, uint32_t offset);
/*
 * Parses the file once more as the host's compiler sees it, and adds launches,
 * uses and variables of the parts that device code skips. Does nothing the second time.
 */
kt_status kt_scan_host(struct kt_scan *scan, struct kt_error *err) KT_MUST_CHECK;
/* Is it inactive in all passes? True needs the host's pass, which this makes. */
bool kt_scan_dead(struct kt_scan *scan, uint32_t offset);
/* Do both stand for the same declaration, though they may come from different passes? */
bool kt_scan_same(const struct kt_scan *scan, CXCursor a, CXCursor b);
/* Tokens of a project file, read when first asked for. NULL when it cannot be read. */
struct kt_text *kt_scan_text(struct kt_scan *scan, size_t file);
/* Is the token a `#pragma ktune`? *rest: where its clauses begin. */
bool kt_scan_is_pragma(struct kt_scan *scan, const struct kt_text *text, const struct kt_token *token, uint32_t *rest);
/* The user's file of a byte of the main text, as the compiler spells it. */
const char *kt_scan_file(const struct kt_scan *scan, uint32_t offset);
/* 1-based line and column there. */
void kt_scan_position(const struct kt_scan *scan, uint32_t offset, uint32_t *line, uint32_t *column);
/* The cursor that the name at this offset refers to; a null cursor when unknown. */
CXCursor kt_scan_target(const struct kt_scan *scan, uint32_t offset);
/* The innermost variable of that name that can be used at the offset, or NULL. */
const struct kt_local *kt_scan_visible(const struct kt_scan *scan, const char *name, uint32_t offset);
/* The macro of that name that is in force at scan->place, or NULL. */
const struct kt_macro *kt_scan_macro(const struct kt_scan *scan, const char *name);
/* Text of data[begin, end) with blanks squeezed and comments gone. */
const char *kt_scan_squeeze(struct kt_scan *scan, const struct kt_text *text, uint32_t begin, uint32_t end);

/* Indices by name: the chain of entries that have it. */
struct kt_name_index *kt_index_new(struct kt_arena *arena, size_t count);
/* False: full. */
bool kt_index_add(struct kt_name_index *index, const char *name, size_t length, size_t entry);
/* First entry with the name at or after `from`; SIZE_MAX: none. Ascending. */
size_t kt_index_find(const struct kt_name_index *index, const char *name, size_t length, size_t from);
/*
 * All entries with a name, ascending, by their places: 0 is none. Thousands of
 * declarations can share one name, so a step costs nothing but the step.
 */
size_t kt_index_first(const struct kt_name_index *index, const char *name, size_t length);
size_t kt_index_next(const struct kt_name_index *index, size_t place);
size_t kt_index_entry(const struct kt_name_index *index, size_t place);
/* One more than the greatest place. */
size_t kt_index_places(const struct kt_name_index *index);

/* diagnostics.c: "file:line:col: error: message", source line, caret, hint. */
void kt_scan_diagnose(struct kt_scan *scan, size_t file, enum kt_severity severity, uint32_t offset, uint32_t length,
                      const char *message, const char *hint);

/* Each fills its part of the regions. */
kt_status kt_scan_pragmas(struct kt_scan *scan, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_scan_signature(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;
/* clauses.c: is an argument or a member of the signature in a clause, or named as a problem variable? */
bool kt_argument_given(const struct kt_region *region, size_t argument);
/*
 * launch_values.c: what the launch that tells most passes for scalars that no clause gives, as value clauses after those of
 * the pragma: a number, or an expression over problem variables, the device and values. Returns the index of the first one.
 */
size_t kt_launch_values(struct kt_scan *scan, struct kt_found *found);
/*
 * The same file: a pragma above one of several launches describes that one. Adds guards to its clauses, so that variants run where the
 * kernel gets the same whole numbers, or those that the same expressions over problem variables have there.
 */
void kt_launch_guards(struct kt_scan *scan, struct kt_found *found);
/* What a launch passes there, as its line and text; NULL: no launch has it. */
const char *kt_launch_passes(struct kt_scan *scan, const struct kt_found *found, size_t argument);
kt_status kt_scan_clauses(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;
/* instances_listed.c: of a kernel template, keeps the instances that the clause `instances` names. */
kt_status kt_scan_listed(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_scan_launches(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_scan_geometry(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_scan_parameters(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;
/* Drops; needs what kt_scan_closure found. */
kt_status kt_scan_slice(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_scan_closure(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;
/* Reads the clause `reference`; needs clauses and closure, adds what the function is made of to the clauses' hash. */
kt_status kt_scan_reference(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;
/*
 * What libclang could not go on from ("FILE:LINE: 'cuda.h' file not found"), after which it saw nothing; NULL:
 * nothing.
 */
const char *kt_scan_fatal(struct kt_scan *scan);
/* Declines the region where there is such an error. */
void kt_scan_judge_fatal(struct kt_scan *scan, struct kt_found *found);
void kt_scan_judge(struct kt_scan *scan, struct kt_found *found);
/* sequence.c: everything about a launch region. */
kt_status kt_scan_sequence(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;
/* Declines for static storage and globals that the region's kernels change and no clause names. */
void kt_scan_globals(struct kt_scan *scan, struct kt_found *found);

/*
 * symbols.c: describes the device symbol that a clause names. False: the region's kernels see none of that name;
 * *other: the qualified name of a second one that they use, NULL where there is one. A name that is there but cannot
 * be a buffer declines the region.
 */
bool kt_scan_device_symbol(struct kt_buffer *out, const char **other, struct kt_scan *scan, struct kt_found *found);
/* Is the item the device symbol of this buffer? Other namespaces may have one of its name. */
bool kt_scan_is_symbol(struct kt_scan *scan, size_t item, const struct kt_buffer *buffer);
/* Does a function of the closure refer to this variable, and not only to one of its name? */
bool kt_scan_refers(const struct kt_scan *scan, const struct kt_found *found, size_t item);
/* Declines the region unless it is declined already. detail may be NULL. */
void kt_found_decline(struct kt_scan *scan, struct kt_found *found, const char *reason, const char *detail, ...)
    KT_PRINTF(4, 5);
enum kt_scalar kt_scan_scalar(CXType type, struct kt_arena *arena);
enum kt_scalar kt_scan_scalar_text(const char *spelling);
/* specialised.c: do all template arguments of an explicit specialisation follow from its parameters? Of others, true. */
bool kt_specialised_is_deduced(struct kt_scan *scan, CXCursor kernel);
/* Is it the toolkit's dim3, by whatever name? */
bool kt_scan_is_dim3(CXType type, struct kt_arena *arena);

/* The unit as JSON (docs/protocol.md, "scan"); NULL when out of memory. Free with cJSON_Delete. */
cJSON *kt_scan_json(const struct kt_scan *scan);

#endif
