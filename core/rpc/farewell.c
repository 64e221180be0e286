/* SPDX-License-Identifier: Apache-2.0
 * farewell.c - what is done with the connections when no more are accepted. */
#include "rpc/accept_state.h"

#include <time.h>

#include "base/clock.h"

#include "banned.h"

void
accept_rest(struct acceptor *acceptor)
{
	for (size_t i = 0; i < acceptor->places.n && acceptor_accept(acceptor); i++)
		;
}

/* Says whether anybody is left but those that were asked before and stay.  One that speaks only now
 * is asked the next time, after the core's first frame. */
static bool
ask_all_to_go(struct acceptor *acceptor, int64_t begun_ms)
{
	const struct accept_config *config = &acceptor->config;
	bool left = false;

	places_sweep(&acceptor->places);
	for (size_t i = 0; i < acceptor->places.n; i++) {
		struct place *place = &acceptor->places.table[i];

		left |= place->fd >= 0 && (place->asked_ms == 0 || place->asked_ms >= begun_ms);
		if (places_waits(place)) {
			acceptor_look_at(acceptor, place);
		} else if (place->fd >= 0 && place->asked_ms == 0 &&
			   config->idle_since(config->owner, place->fd) != CLOCK_NEVER) {
			place->asked_ms = clock_mono_ms();
			place_ask_to_go(place);
		}
	}
	return left;
}

void
accept_see_off(struct acceptor *acceptor, int64_t most_ms)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	int64_t begun_ms = clock_mono_ms();

	while (ask_all_to_go(acceptor, begun_ms) && clock_mono_ms() < begun_ms + most_ms)
		(void)nanosleep(&pause, NULL);
}

void
accept_cut(struct acceptor *acceptor)
{
	for (size_t i = 0; i < acceptor->places.n; i++)
		if (acceptor->places.table[i].fd >= 0 && !places_waits(&acceptor->places.table[i]))
			place_cut(&acceptor->places.table[i]);
}
