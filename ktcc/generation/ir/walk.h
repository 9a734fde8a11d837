/*
 * Walking, rewriting and cloning of statements and values: what normal forms, analyses and passes share.
 *
 * Statements of a module may be changed, moved and dropped; values and places are immutable and are replaced.
 */
#ifndef KT_IR_WALK_H
#define KT_IR_WALK_H

#include "generation/ir/ir.h"

/* ---- Walking ---- */

/* Calls for each statement of the region, each before what is inside of it, until one returns false, which is returned.
 */
typedef bool kt_ir_visitor(struct kt_ir_statement *statement, void *context);
bool kt_ir_visit(const struct kt_ir_region *region, kt_ir_visitor *visit, void *context);
/* The same for one statement and what is inside of it. It is visited as a copy, which must not be kept. */
bool kt_ir_visit_alone(const struct kt_ir_statement *statement, kt_ir_visitor *visit, void *context);
/* Calls for each node of the values and places of this statement alone, each before its operands, until one returns
 * false. */
typedef bool kt_ir_value_visitor(const struct kt_ir_value *value, void *context);
bool kt_ir_visit_values(const struct kt_ir_statement *statement, kt_ir_value_visitor *visit, void *context);
bool kt_ir_visit_value(const struct kt_ir_value *value, kt_ir_value_visitor *visit, void *context);
bool kt_ir_visit_place(const struct kt_ir_place *place, kt_ir_value_visitor *visit, void *context);
/* Calls for each node of every statement of the region. */
bool kt_ir_visit_all(const struct kt_ir_region *region, kt_ir_value_visitor *visit, void *context);

/* The regions that a statement has, by number: body, otherwise, cases. NULL: no further one. */
struct kt_ir_region *kt_ir_region_of(struct kt_ir_statement *statement, size_t number);

/* Is the symbol read by a value of the statement, or of what is inside of it? */
bool kt_ir_reads(const struct kt_ir_statement *statement, const struct kt_ir_symbol *symbol);
unsigned kt_ir_count_reads(const struct kt_ir_region *region, const struct kt_ir_symbol *symbol);
/* Is the symbol set by a statement of the region? */
bool kt_ir_sets(const struct kt_ir_region *region, const struct kt_ir_symbol *symbol);

/* Is it defined (declared, or by a let or the like) by a statement of the region? */
bool kt_ir_defines(const struct kt_ir_region *region, const struct kt_ir_symbol *symbol);

/*
 * Does a jump of this kind (break, continue) in the region leave the loop whose region this is? Jumps of loops inside
 * do not.
 */
bool kt_ir_jumps(const struct kt_ir_region *region, enum kt_ir_statement_kind kind);
/* Is it a branch that does nothing but leave the loop that it is in? */
bool kt_ir_is_exit(const struct kt_ir_statement *statement);
/* Is there a statement of this kind in the region? */
bool kt_ir_has(const struct kt_ir_region *region, enum kt_ir_statement_kind kind);
/* Is there a return in the region, or a jump out of the loop whose region this is to one further outward? */
bool kt_ir_leaves(const struct kt_ir_region *region);

/* ---- Rewriting ---- */

/* Sets of `from` in the region become sets of `to`. */
void kt_ir_rename_sets(const struct kt_ir_region *region, const struct kt_ir_symbol *from, struct kt_ir_symbol *to);

/* The replacement of a node whose operands were rewritten; the node itself: it stays. */
typedef const struct kt_ir_value *kt_ir_replacer(const struct kt_ir_value *value, void *context);

/* Rewrites a tree from its leaves up. The same pointer where nothing changed; NULL: out of memory. */
const struct kt_ir_value *kt_ir_rewrite(struct kt_ir_module *module, const struct kt_ir_value *value,
					kt_ir_replacer *replace, void *context);
const struct kt_ir_place *kt_ir_rewrite_place(struct kt_ir_module *module, const struct kt_ir_place *place,
					      kt_ir_replacer *replace, void *context);
/* Rewrites the operands of a statement, and of what is inside of a region. True: something changed. */
bool kt_ir_rewrite_statement(struct kt_ir_module *module, struct kt_ir_statement *statement, kt_ir_replacer *replace,
			     void *context);
bool kt_ir_rewrite_region(struct kt_ir_module *module, struct kt_ir_region *region, kt_ir_replacer *replace,
			  void *context);
/* Replaces each read of the symbol in the region by the value. */
bool kt_ir_substitute(struct kt_ir_module *module, struct kt_ir_region *region, const struct kt_ir_symbol *symbol,
		      const struct kt_ir_value *value);

/* ---- Lists ---- */

/* Puts the statement at the end of the region; it must be in no other one any more. */
void kt_ir_push(struct kt_ir_region *region, struct kt_ir_statement *statement);
/* Moves all statements of `from` to the end of `to`. */
void kt_ir_splice(struct kt_ir_region *to, struct kt_ir_region *from);
/*
 * Puts the list into the region after this statement (NULL: at the front), while both stay whole. Returns the last one of them.
 */
struct kt_ir_statement *kt_ir_insert(struct kt_ir_region *region, struct kt_ir_statement *behind,
				     struct kt_ir_region *list);
/* Keeps the statements for which this returns true, in the region and all inside of it. True: one was dropped. */
bool kt_ir_filter(struct kt_ir_region *region, kt_ir_visitor *keep, void *context);
/* Makes a statement of that kind that is in no region. */
struct kt_ir_statement *kt_ir_statement_new(struct kt_ir_module *module, enum kt_ir_statement_kind kind,
					    const struct kt_ir_statement *like);

/* Does it declare a shared array? */
static inline bool kt_ir_declares_shared(const struct kt_ir_statement *s)
{
	return s->kind == KT_IR_S_DECLARE && s->symbol->kind == KT_IR_SHARED_SYMBOL;
}

/* ---- Cloning ---- */

struct kt_ir_cloner {
	struct kt_ir_module *module;
	size_t room;                       /* ids that the maps have */
	struct kt_ir_symbol **symbols;     /* by id: the symbol that takes its place; NULL: itself */
	const struct kt_ir_value **values; /* by id: what a read becomes; NULL: a read */
	kt_ir_replacer *replace;           /* may be NULL; for nodes whose symbols have been replaced */
	void *context;
	bool shares; /* shared arrays are not new ones: each is what `symbols` has for it, or itself */
};

/* False: out of memory, which the module knows. */
bool kt_ir_cloner_start(struct kt_ir_cloner *cloner, struct kt_ir_module *module, kt_ir_replacer *replace,
			void *context);
/* Forgets what was copied: for another copy of symbols that were there at the start. */
void kt_ir_cloner_again(struct kt_ir_cloner *cloner);
/* Appends a copy in which every symbol that is defined inside is a new one. The clone keeps line and origin. */
void kt_ir_clone(struct kt_ir_cloner *cloner, struct kt_ir_region *to, const struct kt_ir_region *from);
struct kt_ir_statement *kt_ir_clone_statement(struct kt_ir_cloner *cloner, struct kt_ir_region *to,
					      const struct kt_ir_statement *from);
const struct kt_ir_value *kt_ir_clone_value(struct kt_ir_cloner *cloner, const struct kt_ir_value *value);

#endif
