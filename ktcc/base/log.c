#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static FILE *log_file;
static bool progress_shown;

void kt_log_open(const char *path)
{
	if (log_file != NULL || path == NULL || path[0] == '\0')
		return;
	log_file = fopen(path, "ae");
	if (log_file == NULL)
		kt_say("KTUNE_LOG=%s: %s", path, strerror(errno));
}

bool kt_log_on_terminal(void)
{
	return isatty(STDERR_FILENO) == 1;
}

static void to_log(const char *format, va_list arguments)
{
	struct timespec now;
	struct tm when;
	char stamp[32], line[4096];
	int length;

	if (log_file == NULL)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &when);
	strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &when);
	length = vsnprintf(line, sizeof line, format, arguments);
	if (length < 0)
		return;
	/* One write per line: parallel compilations share the file. */
	fprintf(log_file, "%s.%03ldZ %d %s\n", stamp, now.tv_nsec / 1000000, (int)getpid(), line);
	fflush(log_file);
}

void kt_log(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	to_log(format, arguments);
	va_end(arguments);
}

void kt_say(const char *format, ...)
{
	va_list arguments;
	char line[4096];

	va_start(arguments, format);
	to_log(format, arguments);
	va_end(arguments);
	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	kt_progress(NULL);
	fprintf(stderr, "ktcc: %s\n", line);
}

void kt_progress(const char *format, ...)
{
	va_list arguments;
	char line[512];

	if (format == NULL) {
		if (progress_shown)
			fputs("\r\033[K", stderr);
		progress_shown = false;
		return;
	}
	if (!kt_log_on_terminal())
		return;
	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	fprintf(stderr, "\r\033[Kktcc: %s", line);
	fflush(stderr);
	progress_shown = true;
}
