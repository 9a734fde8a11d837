#include "base/relay.h"

#include <errno.h>
#include <stddef.h>

/* What ends a build: a terminal that goes, Ctrl-C, Ctrl-\, a build system or a batch system that gives up. */
static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

enum { NUMBERS = sizeof numbers / sizeof *numbers };

static volatile sig_atomic_t receiver, last;

static void pass_on(int number, siginfo_t *info, void *context)
{
	const int kept = errno;

	(void)context;
	last = number;
	/* Positive codes are the kernel's: a terminal's signal, which the whole foreground group got. */
	if (info->si_code <= 0 && receiver > 0)
		kill((pid_t)receiver, number);
	errno = kept;
}

void kt_relay_hold(struct kt_relay *relay)
{
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < NUMBERS; i++)
		sigaddset(&held, numbers[i]);
	sigprocmask(SIG_BLOCK, &held, &relay->mask);
}

void kt_relay_drop(const struct kt_relay *relay)
{
	sigprocmask(SIG_SETMASK, &relay->mask, NULL);
}

void kt_relay_start(struct kt_relay *relay, pid_t child)
{
	struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigemptyset(&action.sa_mask);
	receiver = (sig_atomic_t)child;
	last = 0;
	for (size_t i = 0; i < NUMBERS; i++) {
		sigaction(numbers[i], NULL, &relay->before[i]);
		if (relay->before[i].sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
	kt_relay_drop(relay);
}

int kt_relay_end(const struct kt_relay *relay)
{
	for (size_t i = 0; i < NUMBERS; i++)
		sigaction(numbers[i], &relay->before[i], NULL);
	receiver = 0;
	return last;
}
