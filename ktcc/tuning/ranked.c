#include "tuning/ranked.h"

void kt_ranked_open(struct kt_ranked *ranked, size_t room)
{
	*ranked = (struct kt_ranked){.room = room < KT_RANKED_MOST ? room : KT_RANKED_MOST};
}

static void insert(struct kt_ranked *ranked, const struct kt_view *view, size_t place)
{
	size_t at = ranked->count;

	while (at > 0 && view->told[ranked->place[at - 1]].cost > view->told[place].cost)
		at--;
	if (at == ranked->room)
		return;
	if (ranked->count < ranked->room)
		ranked->count++;
	for (size_t i = ranked->count - 1; i > at; i--)
		ranked->place[i] = ranked->place[i - 1];
	ranked->place[at] = place;
}

void kt_ranked_listen(struct kt_ranked *ranked, const struct kt_view *view)
{
	for (; ranked->heard < view->told_count; ranked->heard++)
		if (view->told[ranked->heard].verdict == KT_TELL_OK)
			insert(ranked, view, ranked->heard);
}
