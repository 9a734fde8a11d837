/*
 * NVRTC, loaded at run time: the library of the toolkit that the user's nvcc
 * belongs to. Its header is not needed to build ktcc, so the few functions that
 * are called are declared here, as nvrtc.h of CUDA 11.2 to 13 declares them.
 */
#ifndef KT_NVRTC_LIBRARY_H
#define KT_NVRTC_LIBRARY_H

#include <stddef.h>

#include "base/buf.h"

typedef struct kt_nvrtc_program *nvrtcProgram;

/* Results that are distinguished. */
enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_OUT_OF_MEMORY = 1, NVRTC_ERROR_INVALID_OPTION = 5, NVRTC_ERROR_COMPILATION = 6 };

/* X(return type, member, parameters): the symbol is "nvrtc" and the member. */
#define KT_NVRTC_FUNCTIONS(X)                                                                                          \
	X(int, Version, (int *major, int *minor))                                                                      \
	X(const char *, GetErrorString, (int result))                                                                  \
	X(int, CreateProgram,                                                                                          \
	  (nvrtcProgram * program, const char *source, const char *name, int header_count, const char *const *headers, \
	   const char *const *include_names))                                                                          \
	X(int, DestroyProgram, (nvrtcProgram * program))                                                               \
	X(int, CompileProgram, (nvrtcProgram program, int option_count, const char *const *options))                   \
	X(int, GetCUBINSize, (nvrtcProgram program, size_t * size))                                                    \
	X(int, GetCUBIN, (nvrtcProgram program, char *cubin))                                                          \
	X(int, GetPTXSize, (nvrtcProgram program, size_t * size))                                                      \
	X(int, GetPTX, (nvrtcProgram program, char *ptx))                                                              \
	X(int, GetProgramLogSize, (nvrtcProgram program, size_t * size))                                               \
	X(int, GetProgramLog, (nvrtcProgram program, char *log))

struct kt_nvrtc {
	void *library;
	int major, minor;
#define KT_NVRTC_MEMBER(type, name, parameters) type(*name) parameters;
	KT_NVRTC_FUNCTIONS(KT_NVRTC_MEMBER)
#undef KT_NVRTC_MEMBER
};

/* KT_ERR_MISSING: the file is no NVRTC, or one without one of the functions. It stays loaded until the process ends. */
kt_status kt_nvrtc_load(struct kt_nvrtc *out, const char *path, struct kt_error *err) KT_MUST_CHECK;

#endif
