/*
 * Names of search strategies, the same wherever one is given: an option, KTUNE_STRATEGY, a T1 file, Python. The searches are
 * in tuning/ (search.c has a row for each).
 */
#ifndef KT_BASE_STRATEGIES_H
#define KT_BASE_STRATEGIES_H

/* X(name): kt_strategy_NAME is the search, tuning/strategy.h declares it. */
#define KT_STRATEGIES(X) \
	X(default) \
	X(exhaustive) \
	X(random) \
	X(lhs) \
	X(local) \
	X(annealing) \
	X(genetic) \
	X(evolution) \
	X(model)

/* X(other, name): what Kernel Tuner and KTT call a search, and the one here that is most like it. */
#define KT_STRATEGY_SYNONYMS(X) \
	X("brute_force", "exhaustive") \
	X("deterministic", "exhaustive") \
	X("random_sample", "random") \
	X("greedy_ils", "local") \
	X("greedy_mls", "local") \
	X("ordered_greedy_mls", "local") \
	X("mls", "local") \
	X("minimize", "local") \
	X("basinhopping", "local") \
	X("simulated_annealing", "annealing") \
	X("dual_annealing", "annealing") \
	X("mcmc", "annealing") \
	X("genetic_algorithm", "genetic") \
	X("diff_evo", "evolution") \
	X("pso", "evolution") \
	X("firefly_algorithm", "evolution") \
	X("bayes_opt", "model")

/* "default, exhaustive, …, model", for a text about them. */
#define KT_STRATEGY_WORD(name) #name ", "
#define KT_STRATEGY_WORDS KT_STRATEGIES(KT_STRATEGY_WORD) "or the name of one in Kernel Tuner"

/* The name here of a strategy, given by it or by a synonym; NULL: there is none. */
const char *kt_strategy_name(const char *given);
/* All of them, the synonyms too: for a message about a name that is none. */
extern const char kt_strategy_names[];

#endif
