#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "opencl/session.h"

static atomic_int fault_signal;
static _Atomic(const void *) fault_address;
static pid_t watcher;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	/* The thread that answers requests cannot report this: end by the signal, the client sees it. */
	if ((pid_t)syscall(SYS_gettid) == watcher) {
		(void)signal(number, SIG_DFL);
		(void)raise(number);
		return;
	}
	atomic_store(&fault_address, info->si_addr);
	atomic_store(&fault_signal, number);
	for (;;)
		(void)pause();
}

void kt_ocl_watch_faults(void)
{
	static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
	watcher = (pid_t)syscall(SYS_gettid);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct sigaction action, before;
		/* A driver may have its own way with a division by zero. */
		if (sigaction(numbers[i], NULL, &before) || (numbers[i] == SIGFPE && before.sa_handler != SIG_DFL))
			continue;
		memset(&action, 0, sizeof action);
		action.sa_sigaction = on_fault;
		action.sa_flags = SA_SIGINFO;
		(void)sigaction(numbers[i], &action, NULL);
	}
}

int kt_ocl_faulted(const void **address)
{
	if (address)
		*address = atomic_load(&fault_address);
	return atomic_load(&fault_signal);
}
