/*
 * A library in NVRTC's place that goes wrong where a source says so, and else hands on to the real one, whose path
 * is in KTUNE_TEST_NVRTC (unset: it compiles nothing):
 *   fault-91  ends the process by a signal
 *   fault-92  never returns
 *   fault-93  asks for memory until there is none, as the compiler does with a unit that is too large for it
 *   fault-94  prints to standard output, then compiles
 * "define FAULT 91" and so on says the same.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvrtc/library.h"

#define EXPORT __attribute__((visibility("default")))

static char *source;

static void *real(const char *name)
{
	static void *library;
	const char *path = getenv("KTUNE_TEST_NVRTC");

	if (library == NULL && path != NULL)
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	return library != NULL ? dlsym(library, name) : NULL;
}

static bool has(const char *number)
{
	static const char *const marks[] = {"fault-", "define FAULT "};
	char text[32];

	for (size_t i = 0; source != NULL && i < sizeof marks / sizeof *marks; i++) {
		snprintf(text, sizeof text, "%s%s", marks[i], number);
		if (strstr(source, text) != NULL)
			return true;
	}
	return false;
}

static int run_out_of_memory(void)
{
	const size_t block = (size_t)64 << 20;
	void *last;

	while ((last = malloc(block)) != NULL)
		memset(last, 1, 1);
	return NVRTC_ERROR_OUT_OF_MEMORY;
}

#define FORWARD(type, name, parameters, arguments, otherwise)                                                          \
	EXPORT type nvrtc##name parameters;                                                                            \
	EXPORT type nvrtc##name parameters                                                                             \
	{                                                                                                              \
		void *symbol = real("nvrtc" #name);                                                                    \
		type(*function) parameters;                                                                            \
		memcpy(&function, &symbol, sizeof function);                                                           \
		return function != NULL ? function arguments : (otherwise);                                            \
	}

FORWARD(const char *, GetErrorString, (int result), (result), result == 0 ? "success" : "failure")
FORWARD(int, DestroyProgram, (nvrtcProgram * program), (program), 0)
FORWARD(int, GetCUBINSize, (nvrtcProgram program, size_t *size), (program, size), NVRTC_ERROR_COMPILATION)
FORWARD(int, GetCUBIN, (nvrtcProgram program, char *cubin), (program, cubin), NVRTC_ERROR_COMPILATION)
FORWARD(int, GetPTXSize, (nvrtcProgram program, size_t *size), (program, size), NVRTC_ERROR_COMPILATION)
FORWARD(int, GetPTX, (nvrtcProgram program, char *ptx), (program, ptx), NVRTC_ERROR_COMPILATION)
FORWARD(int, GetProgramLogSize, (nvrtcProgram program, size_t *size), (program, size), (*size = 1, 0))
FORWARD(int, GetProgramLog, (nvrtcProgram program, char *log), (program, log), (log[0] = '\0', 0))

EXPORT int nvrtcVersion(int *major, int *minor);
EXPORT int nvrtcVersion(int *major, int *minor)
{
	void *symbol = real("nvrtcVersion");
	int (*function)(int *, int *);

	memcpy(&function, &symbol, sizeof function);
	if (function != NULL)
		return function(major, minor);
	*major = 13;
	*minor = 0;
	return 0;
}

EXPORT int nvrtcCreateProgram(nvrtcProgram *program, const char *text, const char *name, int header_count,
			      const char *const *headers, const char *const *names);
EXPORT int nvrtcCreateProgram(nvrtcProgram *program, const char *text, const char *name, int header_count,
			      const char *const *headers, const char *const *names)
{
	void *symbol = real("nvrtcCreateProgram");
	int (*function)(nvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *);

	free(source);
	source = strdup(text);
	memcpy(&function, &symbol, sizeof function);
	return function != NULL ? function(program, text, name, header_count, headers, names) : 0;
}

EXPORT int nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options);
EXPORT int nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
	void *symbol = real("nvrtcCompileProgram");
	int (*function)(nvrtcProgram, int, const char *const *);

	if (has("91"))
		raise(SIGSEGV);
	while (has("92"))
		pause();
	if (has("93"))
		return run_out_of_memory();
	if (has("94"))
		puts("{\"ok\":true}");
	memcpy(&function, &symbol, sizeof function);
	return function != NULL ? function(program, count, options) : NVRTC_ERROR_COMPILATION;
}
