/*
 * A region as `ktcc-clang scan` found it: one `#pragma ktune` above a
 * kernel, its clauses, its signature, the place of its text, which parts of the
 * text are parameters, and every launch of it in the translation unit; or above
 * launches on one stream, which are its steps.
 *
 * The record is read from scan's JSON (docs/protocol.md, "scan") and never
 * changes. Ranges are byte offsets into the unit's text, half open: the main
 * source file, with the headers that hold regions put in (base/flat.h).
 */
#ifndef KT_BASE_REGION_H
#define KT_BASE_REGION_H

#include "base/element.h"
#include "base/flat.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/pragma.h"
#include "base/target.h"

struct kt_range {
	uint32_t begin, end;
};

/*
 * Where an OpenCL argument points: global and constant are buffers, local is
 * dynamic local memory (its element is KT_SCALAR_NONE, its size the region's
 * shared_bytes; a kernel has at most one). Values are private; so is everything in CUDA.
 */
enum kt_address_space { KT_SPACE_PRIVATE, KT_SPACE_GLOBAL, KT_SPACE_CONSTANT, KT_SPACE_LOCAL };
/* "private", "global", "constant", "local" */

/* One parameter of the kernel's signature. */
struct kt_argument {
	const char *name; /* "" when unnamed */
	const char *type; /* as spelled: "const T *__restrict__" */
	const char *default_text; /* NULL: none */
	bool is_pointer, is_const;
	bool is_restrict;         /* launch regions: in all kernels together (clang_tools/sequence_signature.c) */
	enum kt_address_space space;
	const char *expression;   /* launch regions: what the host passes, as C++ without effects; else NULL */
	/* Of a member, which kt_region.arguments has after the arguments of the kernel: */
	size_t parent;            /* the argument that it is part of */
	bool is_private;          /* code outside of the class cannot name it */
};
#define KT_MEMBERS 256           /* most members of a region */
#define KT_VALUES (KT_CLAUSE_ITEMS + KT_MEMBERS) /* most values of a region: of clauses, and what lists leave out */
#define KT_ARGUMENT_BYTES 32764  /* of all arguments of a kernel, as the driver limits them */

struct kt_template_parameter {
	const char *name;
	const char *declaration; /* as spelled, without a default: "typename T", "int BLOCK" */
	const char *default_text;
	bool is_type;
};

/* A launch geometry over parameters, problem variables and arguments. */
struct kt_extents {
	size_t grid_count, block_count;
	struct kt_clause_expr grid[3], block[3], shared_bytes;
};

/* One instance of a kernel template; a plain kernel has exactly one, without arguments. */
struct kt_instance {
	const char *name;             /* "silu_and_mul<__half>"; the kernel's name for a plain kernel */
	size_t argument_count;
	const char **arguments;       /* "__half", "128": valid C++ at the end of the file's namespace scope */
	enum kt_scalar *elements;     /* per parameter of the signature: pointee or scalar type */
	/* Likewise, of pointers to vectors and structures of numbers: their elements. NULL where `elements` has the type. */
	const struct kt_element **layouts;
	const char **types;           /* per parameter of the signature: concrete type, "const __half *" */
	/*
	 * Where arguments are structures by value or vectors; NULL: none is. `elements`, `layouts` and `types` go on with the
	 * members. */
	uint32_t *bytes;              /* per parameter of the signature: of the whole; 0: a number or a pointer */
	uint32_t *offsets;            /* per member: in the argument that it is part of */
	/* As libclang mangles it (base/symbol.h); NULL: not known, of launch regions, and of OpenCL. */
	const char *symbol;
	/* How the original is launched where that differs from instance to instance; NULL: as the region is. */
	const struct kt_extents *extents;
	const struct kt_region *region; /* the region with these extents, see kt_region_for; NULL: there are none */
};

/* What in the source a tunable parameter stands for; KT_PARAMETER_PLACEHOLDER: nothing, a generator made it up
 * (base/template.h). */
enum kt_parameter_kind { KT_PARAMETER_MACRO, KT_PARAMETER_CONSTANT, KT_PARAMETER_TEMPLATE, KT_PARAMETER_PLACEHOLDER };

struct kt_parameter {
	const char *name;
	size_t value_count;
	int64_t *values;
	enum kt_parameter_kind kind;
	int64_t original;       /* macro, constant: the source's value; generator's: the one that gives the source back */
	bool absent;            /* generator's: the source has no such value, and `original` means nothing */
	const char *meaning;    /* generator's: what it does, for people; NULL otherwise */
	size_t template_index;  /* template parameter: its position; the original is the instance's argument */
	const char *fixed;      /* a reason when it may not be changed (then only the original is legal), else NULL */
};

/* A piece of kernel or callee text that a variant writes differently. */
enum kt_edit_kind { KT_EDIT_KERNEL_NAME, KT_EDIT_PARAMETER, KT_EDIT_CALLEE };
struct kt_edit {
	struct kt_range range;
	enum kt_edit_kind kind;
	size_t index; /* parameter or callee */
};

/* A function in the main file that the kernel calls and that depends on a parameter: variants carry a copy. */
struct kt_callee {
	const char *name;
	struct kt_range extent; /* from "template" or the first specifier to the closing brace */
	size_t edit_count;
	struct kt_edit *edits;
};

/* A __device__ or __constant__ variable that a clause names. */
struct kt_device_symbol {
	const char *name;       /* as libclang mangles it (kt_symbol_variable); NULL: there is none */
	const struct kt_element *element; /* of all its dimensions; NULL: not known */
	int64_t elements;       /* of the whole variable */
	bool is_constant;       /* __constant__, or const: no kernel writes it */
};

/* A NumPy file that fills a buffer. */
struct kt_data_file {
	const char *text; /* as the clause names it; NULL: there is none */
	const char *path; /* absolute */
	const char *hash; /* of its bytes: part of the key, and the runner reads no other content */
	int64_t count;    /* numbers in it: the buffer holds as many */
	enum kt_scalar scalar; /* their type while scanning; the elements have it */
};

struct kt_buffer {
	const char *name;
	int64_t argument; /* index into the signature; −1 for a device symbol */
	struct kt_device_symbol symbol;
	enum kt_direction direction;
	bool scratch;
	struct kt_clause_expr count;
	struct kt_fill fill;
	struct kt_clause_expr bounds[KT_FILL_NUMBERS]; /* of the fill, as in kt_pragma_buffer */
	struct kt_clause_expr when; /* on which problems it has this fill, as in kt_pragma_buffer; kt_check_buffer chooses */
	struct kt_buffer *otherwise;
	struct kt_data_file file; /* KT_FILL_FILE */
	const char *like; /* the buffer that has the same elements, as in kt_pragma_buffer; NULL: none */
	const char *type; /* that a clause names for a pointer to void, whose count is of bytes; NULL: none */
	/* As the fill, of members of its elements: the first is group 1 of kt_element, and so on. */
	size_t member_count;
	struct kt_member_fill *members;
	double absolute, relative; /* tolerance; negative: the default of the element type */
};

struct kt_value {
	const char *name;
	int64_t argument; /* index into the signature */
	const char *text;
	double number;
	bool integral;
	int64_t integer;
	struct kt_clause_expr expr; /* integral: an expression over variables, the device and values before it; else absent */
	bool assumed; /* a fraction that no clause and no launch tells */
};

/* A parameter of the host reference: one of these, the others are −1. */
struct kt_host_parameter {
	int64_t buffer, argument, variable; /* argument: a scalar of the kernel's signature */
};

/* The host function that computes the outputs in double precision. */
struct kt_host_reference {
	const char *function;   /* "ops::silu_reference", as the end of the file can call it; NULL: there is none */
	size_t parameter_count;
	struct kt_host_parameter *parameters;
	size_t drop_count;
	struct kt_range *drops; /* what a slice for it leaves out of the main file, ascending */
};

struct kt_binding {
	int64_t argument; /* the kernel argument that carries the variable, or −1 */
	const char *text; /* else a C++ expression of the launch's scope */
};

/*
 * A macro that leads to a launch: its definition with its continued lines, "NAME(T) k<T><<<1, n>>>(y)". The last one writes
 * the launch, and has its parts; the others have the use of the next one. What there is not is empty.
 */
struct kt_launch_level {
	const char *text;
	struct kt_range use;                      /* of the next macro: its name */
	struct kt_range callee, open, close, end; /* as of a launch, in this text */
	const char *list; /* template arguments of the kernel that come with its name from an argument: "<T>"; mostly "" */
};
#define KT_LAUNCH_LEVELS 8 /* most of a launch */

struct kt_launch {
	const char *file;         /* that holds it, as given to the compiler */
	uint32_t line, column;
	const char *decline;      /* reason why this launch is left unmodified, or NULL */
	struct kt_range callee;   /* the kernel's name with its qualifiers */
	struct kt_range open;     /* "<<<" */
	struct kt_range close;    /* from ">>>" to after "(" */
	struct kt_range end;      /* ")" */
	bool has_arguments;
	bool is_quiet;            /* no expression of it has an effect that another one could see: their order is free */
	/*
	 * The kernel is given to a function that launches it, at one of the region's sites: `callee` is its name there,
	 * `open`, `close` and `end` are empty and after its template arguments.
	 */
	bool is_routed;
	/*
	 * Of a routed launch: the kernel's name is a part of a constant, of a table of the file, of a template argument. It stays,
	 * and variants are known from the start of the program on.
	 */
	bool is_constant;
	/*
	 * A launch that the body of a macro writes: `callee` is the name of the first macro in the unit's text, the other
	 * ranges are empty and after it.
	 */
	size_t level_count;       /* 0: it is in the unit's text */
	struct kt_launch_level *levels;
	int64_t instance;         /* index, or −1: depends on an enclosing template */
	struct kt_binding *bindings; /* one per problem variable */
	size_t grid_count, block_count; /* 0: not an expression that could be read */
	struct kt_clause_expr grid[3], block[3], shared_bytes; /* over parameters, problem variables and arguments */
};

/* Where a launch starts whichever kernel its variable holds: "kernel<<<…>>>(…)", or a function of the runtime. */
struct kt_launch_site {
	bool is_function;         /* callee is the function's name, and the other ranges are empty */
	struct kt_range callee, open, close, end; /* as of a kt_launch */
};

/* One launch of a launch region. Its kernel gets arguments of the region's signature. */
struct kt_region_step {
	const char *kernel, *qualified;  /* "normalise", "ops::normalise" */
	uint32_t line, column;           /* of the launch */
	struct kt_range extent;          /* of the kernel's definition */
	struct kt_range launch;          /* the statement, from the callee to after ")" */
	bool is_static, is_extern_c, in_anonymous_namespace;
	size_t argument_count;
	size_t *arguments;               /* of the kernel, in order: an index into the region's signature each */
	const char **names;              /* of the kernel's parameters, in order; "" when unnamed */
	const char **instances;          /* one per region instance: "normalise<__half>", "normalise" */
	const char **types;              /* instance × argument: what the kernel itself takes, "const __half *" */
	const char **symbols;            /* one per region instance: the kernel's, as kt_instance.symbol; "" when not known */
	const char *configuration;       /* the text between <<< and >>> */
	size_t grid_count, block_count;
	struct kt_clause_expr grid[3], block[3], shared_bytes; /* over problem variables and values */
};
#define KT_STEPS 16 /* most launches of a launch region */
#define KT_CONSTANTS_WATCHED 64 /* most constants of a region whose content is looked at */

/* Values that a problem variable can have: least, least + step, … up to most. */
struct kt_variable_bounds {
	int64_t least, most, step; /* step 0: any value */
};
/* The largest of them that is not above `value`, or the least. */
int64_t kt_variable_nearest(const struct kt_variable_bounds *bounds, int64_t value);

struct kt_region {
	enum kt_language language;  /* of its unit */
	const char *name, *kernel;
	const char *qualified;      /* "ops::silu_and_mul" */
	const char *file;           /* as given to the compiler */
	uint32_t line, column;      /* of the pragma */
	const char *decline;        /* reason why nothing can be tuned here, or NULL */
	const char *decline_detail;
	struct kt_range pragma;     /* from "#" to the end of its last line */
	struct kt_range declaration;/* the first declaration when one is before the definition; empty otherwise */
	struct kt_range extent;     /* the definition: from "template", "extern" or the first specifier to "}" */
	/* the text between "template <…>" and the name: specifiers, return type, launch bounds */
	struct kt_range attributes;
	struct kt_range name_range; /* the identifier in the definition */
	struct kt_range parameters_range; /* "(" to ")" */
	struct kt_range body;       /* "{" to "}" */
	uint32_t body_line;         /* line of "{" */
	bool is_static, is_extern_c, in_anonymous_namespace;
	bool unnamed_outside; /* an unnamed namespace is around the outermost named one, which others of its name are not */
	/*
	 * The pragma is above a declaration that other sources may see. Exported: this one defines the kernel, and has a
	 * function that tries variants for launches elsewhere. Imported: another one does; only linkage, signature and
	 * launches are known here, and it is declined.
	 */
	bool is_exported, is_imported;
	bool has_namesakes;         /* a template: other functions have its name in its namespace */
	const char *reopened;       /* "ops::": namespaces that the definition names but is not written in; "" mostly */

	size_t template_count;
	struct kt_template_parameter *templates;
	size_t argument_count;
	/*
	 * The kernel's, and after them `member_count` more: the numbers and pointers in those that are structures by value
	 * or vectors, in order. Their names are as C++ reads them, "p.size[2]". Wherever a record names an argument, its
	 * index may be that of a member.
	 */
	struct kt_argument *arguments;
	size_t member_count;
	size_t instance_count;
	struct kt_instance *instances;

	size_t variable_count, problem_count;
	const char **variables;
	int64_t *problems; /* row-major: problem_count × variable_count */
	struct kt_variable_bounds *bounds; /* one per variable; NULL: none has any. They are guards as well */
	bool *specialize;  /* one per variable: may its values get specialised variants? */
	size_t buffer_count;
	struct kt_buffer *buffers;
	size_t value_count;
	struct kt_value *values;
	size_t parameter_count;
	struct kt_parameter *parameters;
	size_t restriction_count;
	struct kt_clause_expr *restrictions;
	bool *restriction_is_guard; /* names a problem variable or an argument */
	size_t guard_count;
	struct kt_clause_expr *guards;
	/* Launch geometry over parameters and problem variables: the clauses, else the first readable launch.
	 * In OpenCL grid counts work-groups, block the work-items of one. */
	size_t grid_count, block_count;
	struct kt_clause_expr grid[3], block[3];
	enum kt_generation generation;
#define FIELD(clause, member, usage) struct kt_clause_expr member;
	KT_CLAUSE_EXPRESSIONS(FIELD)
#undef FIELD
	double budget_seconds;
	int64_t budget_trials;

	size_t edit_count;
	struct kt_edit *edits; /* in the kernel's extent, ascending */
	size_t callee_count;
	struct kt_callee *callees; /* in the order of the file */
	size_t launch_count;
	struct kt_launch *launches;
	bool is_overloaded;   /* a template launches it by a name that others have, too: they are declared before it */
	size_t site_count;
	struct kt_launch_site *sites; /* that routed launches lead to */
	/*
	 * A launch region: launches on one stream that are tuned as one kernel. Its
	 * signature is what the host passes to them (kt_argument.expression); its
	 * instances, and `templates`, are those of the function around it. There is
	 * one entry in `launches`, with bindings and without ranges. `extent`,
	 * namespaces and linkage are those of the kernel that is defined last,
	 * `kernel` is the first step's; there are no edits. 0: a kernel region.
	 */
	size_t step_count;
	struct kt_region_step *steps;
	struct kt_range block_range; /* the statement or "{ }" below the pragma */
	size_t drop_count;
	struct kt_range *drops; /* what a slice for this kernel leaves out of the main file, ascending */
	size_t constant_count;
	const char **constants; /* const variables in device memory that no clause names, as kt_device_symbol.name */
	struct kt_host_reference reference;

	/* hash: preprocessed tokens of the kernel, callees, types, constants, macros, toolkit identity */
	const char *closure;
	const char *near_key; /* the same without toolkit identity */
	const char *clauses;  /* hash of the normalised clauses */
	const struct kt_region *whole; /* of a region for one instance: that for all; NULL: it is that one */
};

/* A project file in the include graph (the main file first). */
struct kt_source_file {
	const char *path;
};

struct kt_unit {
	enum kt_language language;
	const char *file;
	size_t region_count;
	struct kt_region *regions;
	size_t file_count;
	struct kt_source_file *files;   /* project headers: those found by quoted and -I includes */
	size_t system_file_count;
	const char **system_files;      /* the rest, for the depfile */
	/* what the offsets' text is made of, without pieces; no files: the main file alone */
	struct kt_flat flat;
	size_t absent_count;
	const char **absent;            /* paths that would change the meaning of an emission's includes if they existed */
	const char *diagnostics;        /* compiler-style text, ready to print; "" when none */
	bool has_errors;                /* a pragma mistake of severity error */
};

/* Reads scan's JSON. Everything lives in arena; the JSON may be deleted afterwards. */
kt_status kt_unit_read(struct kt_unit **out, struct kt_arena *arena, const cJSON *json, struct kt_error *err)
    KT_MUST_CHECK;

/* Can a launch of an imported kernel reach the variants of the source that defines it? */
bool kt_region_reaches(const struct kt_region *region, const struct kt_launch *launch);
/*
 * Leaves of a declined region what tells it from others and why it is declined:
 * name, kernel, place, pragma, reason. The rest may be inconsistent, so it is not read.
 */
void kt_region_withdraw(struct kt_region *region);
/* Gives the region this geometry. */
void kt_region_extents(struct kt_region *region, const struct kt_extents *extents);
/*
 * Makes the regions of instances that have extents, once everything else is known: copies of the record with these
 * extents in the place of the first launch's. False: out of memory.
 */
bool kt_region_divide(struct kt_arena *arena, struct kt_region *region);
/* The region as an instance of it has it: its geometry is that of the instance. */
const struct kt_region *kt_region_for(const struct kt_region *region, size_t instance);
/* The region of a unit that one for an instance is made of. Accepts NULL. */
const struct kt_region *kt_region_whole(const struct kt_region *region);
/* What a buffer holds in this instance, never NULL; of 0 bytes: a type that cannot be built. */
const struct kt_element *kt_buffer_element(const struct kt_buffer *buffer, const struct kt_instance *instance);
/* The same of a pointer of the signature, or a member of it. */
const struct kt_element *kt_instance_element(const struct kt_instance *instance, size_t argument);
/* How many bytes one of what the clause of a buffer counts has: an element, or a byte. */
int64_t kt_buffer_unit(const struct kt_buffer *buffer, const struct kt_instance *instance);
/* The value a parameter has in the source for this instance. */
kt_status kt_region_original(int64_t *out, const struct kt_region *region, const struct kt_instance *instance,
                             size_t parameter, struct kt_error *err) KT_MUST_CHECK;

/* True and *out where a value is the same integer on every problem. */
bool kt_value_constant(int64_t *out, const struct kt_value *value);
/* The problem variable that an argument carries: by name, else as a launch binds it. −1: none. */
int64_t kt_region_carried(const struct kt_region *region, size_t argument);

/*
 * Variables that an expression of the region may use. `configuration` has one
 * value a parameter (NULL: none), `problem` one a variable (NULL: none);
 * scalar arguments come from value(…) and from the problem variables that they carry.
 */
struct kt_scope {
	const struct kt_region *region;
	const int64_t *configuration;
	const int64_t *problem;
	const struct kt_device *device; /* NULL: no device.* */
};
bool kt_scope_lookup(int64_t *value, const char *name, void *scope); /* a kt_expr_lookup */
/* An integral value there; KT_ERR_INVALID names the value and its expression. */
kt_status kt_scope_value(int64_t *out, const struct kt_scope *scope, size_t value, struct kt_error *err) KT_MUST_CHECK;

/*
 * What each problem counts in the comparison of configurations, by the clause `weight`: their sum is the number of
 * problems. In arena; NULL: all count the same.
 */
kt_status kt_region_weights(double **out, struct kt_arena *arena, const struct kt_region *region,
                            const struct kt_device *device, struct kt_error *err) KT_MUST_CHECK;

/* Launch geometry of one configuration on one problem. */
struct kt_geometry {
	int64_t grid[3], block[3], shared_bytes;
};
kt_status kt_region_geometry(struct kt_geometry *out, const struct kt_scope *scope, struct kt_error *err)
    KT_MUST_CHECK;
/* The same of one step of a launch region, as the host launches it. */
kt_status kt_step_geometry(struct kt_geometry *out, size_t step, const struct kt_scope *scope, struct kt_error *err)
    KT_MUST_CHECK;

#endif
