#include "tuning/consult.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

/* What the search has not heard yet. */
struct fact {
	size_t index;
	double cost;
	bool retracted;
};

struct kt_consult {
	struct kt_search *search;
	struct fact *facts;
	size_t fact_count, fact_room;
	pthread_t thread;
	bool asked, has_thread;
	atomic_bool ready;
	size_t most, count;
	size_t indices[KT_CONSULT_MOST];
};

kt_status kt_consult_open(struct kt_consult **out, struct kt_search *search, struct kt_error *err)
{
	struct kt_consult *consult = calloc(1, sizeof *consult);

	if (consult == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a search");
	consult->search = search;
	*out = consult;
	return KT_OK;
}

static void note(struct kt_consult *consult, struct fact fact)
{
	if (consult->fact_count == consult->fact_room) {
		const size_t room = consult->fact_room == 0 ? 64 : 2 * consult->fact_room;
		struct fact *moved = realloc(consult->facts, room * sizeof *moved);

		/* As a search that is out of memory: it knows less. */
		if (moved == NULL)
			return;
		consult->facts = moved;
		consult->fact_room = room;
	}
	consult->facts[consult->fact_count++] = fact;
}

void kt_consult_tell(struct kt_consult *consult, size_t index, double cost)
{
	note(consult, (struct fact){.index = index, .cost = cost});
}

void kt_consult_retract(struct kt_consult *consult, size_t index)
{
	note(consult, (struct fact){.index = index, .retracted = true});
}

static void *think(void *argument)
{
	struct kt_consult *consult = argument;

	for (size_t i = 0; i < consult->fact_count; i++) {
		const struct fact *fact = &consult->facts[i];

		if (fact->retracted)
			kt_search_retract(consult->search, fact->index);
		else
			kt_search_tell(consult->search, fact->index, fact->cost);
	}
	consult->fact_count = 0;
	consult->count = kt_search_ask(consult->indices, consult->most, consult->search);
	atomic_store_explicit(&consult->ready, true, memory_order_release);
	return NULL;
}

void kt_consult_ask(struct kt_consult *consult, size_t most)
{
	sigset_t all, before;

	consult->most = most < KT_CONSULT_MOST ? most : KT_CONSULT_MOST;
	consult->asked = true;
	atomic_store(&consult->ready, false);
	/* Signals are the caller's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	consult->has_thread = pthread_create(&consult->thread, NULL, think, consult) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!consult->has_thread)
		(void)think(consult);
}

bool kt_consult_is_under_way(const struct kt_consult *consult)
{
	return consult->asked;
}

bool kt_consult_is_ready(const struct kt_consult *consult)
{
	return consult->asked && atomic_load_explicit(&consult->ready, memory_order_acquire);
}

size_t kt_consult_take(size_t *indices, struct kt_consult *consult)
{
	if (!consult->asked)
		return 0;
	if (consult->has_thread)
		pthread_join(consult->thread, NULL);
	consult->asked = consult->has_thread = false;
	for (size_t i = 0; i < consult->count; i++)
		indices[i] = consult->indices[i];
	return consult->count;
}

void kt_consult_close(struct kt_consult *consult)
{
	size_t ignored[KT_CONSULT_MOST];

	if (consult == NULL)
		return;
	(void)kt_consult_take(ignored, consult);
	free(consult->facts);
	free(consult);
}
