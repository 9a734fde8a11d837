#include "nvrtc/headers.h"

/*
 * Types have the widths and the names that they have on 64-bit Linux, so that overloads and mangled names are nvcc's.
 * Headers of CCCL define the fixed-width integers themselves where they are compiled by NVRTC, with other types of the
 * same width; KTUNE_CCCL_INTEGERS takes theirs. Functions of the device's runtime that have a body in the toolkit are
 * templates here, so that the toolkit's own go before them.
 */
static const char first[] =
    "#ifndef KTUNE_DEVICE_HOST_H\n"
    "#define KTUNE_DEVICE_HOST_H\n"
    "#ifdef KTUNE_CCCL_INTEGERS\n"
    "#include <cuda/std/cstdint>\n"
    "#else\n"
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;\n"
    "typedef unsigned long uint64_t;\n"
    "typedef signed char int_least8_t; typedef short int_least16_t; typedef int int_least32_t;\n"
    "typedef long int_least64_t;\n"
    "typedef unsigned char uint_least8_t; typedef unsigned short uint_least16_t; typedef unsigned int uint_least32_t;\n"
    "typedef unsigned long uint_least64_t;\n"
    "typedef signed char int_fast8_t; typedef long int_fast16_t; typedef long int_fast32_t; typedef long "
    "int_fast64_t;\n"
    "typedef unsigned char uint_fast8_t; typedef unsigned long uint_fast16_t; typedef unsigned long uint_fast32_t;\n"
    "typedef unsigned long uint_fast64_t;\n"
    "typedef long intptr_t; typedef unsigned long uintptr_t; typedef long intmax_t; typedef unsigned long uintmax_t;\n"
    "#define INT8_MIN (-128)\n#define INT16_MIN (-32767-1)\n#define INT32_MIN (-2147483647-1)\n"
    "#define INT64_MIN (-9223372036854775807L-1)\n"
    "#define INT8_MAX 127\n#define INT16_MAX 32767\n#define INT32_MAX 2147483647\n"
    "#define INT64_MAX 9223372036854775807L\n"
    "#define UINT8_MAX 255\n#define UINT16_MAX 65535\n#define UINT32_MAX 4294967295U\n"
    "#define UINT64_MAX 18446744073709551615UL\n#define SIZE_MAX 18446744073709551615UL\n"
    "#define INTPTR_MAX INT64_MAX\n#define UINTPTR_MAX UINT64_MAX\n"
    "#endif\n"
    "#include \"ktune_device_constants.h\"\n"
    "namespace std {\n"
    "using ::size_t; using ::ptrdiff_t; typedef decltype(nullptr) nullptr_t;\n"
    "using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;\n"
    "using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;\n"
    "using ::intptr_t; using ::uintptr_t; using ::intmax_t; using ::uintmax_t;\n"
    "using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atan2; using ::atanh;\n"
    "using ::cbrt; using ::ceil; using ::copysign; using ::cos; using ::cosh; using ::erf; using ::erfc;\n"
    "using ::exp; using ::exp2; using ::expm1; using ::fabs; using ::fdim; using ::floor; using ::fma;\n"
    "using ::fmax; using ::fmin; using ::fmod; using ::frexp; using ::hypot; using ::ilogb; using ::ldexp;\n"
    "using ::lgamma; using ::llrint; using ::llround; using ::log; using ::log10; using ::log1p; using ::log2;\n"
    "using ::logb; using ::lrint; using ::lround; using ::modf; using ::nearbyint; using ::nextafter; using ::pow;\n"
    "using ::remainder; using ::remquo; using ::rint; using ::round; using ::scalbln; using ::scalbn;\n"
    "using ::sin; using ::sinh; using ::sqrt; using ::tan; using ::tanh; using ::tgamma; using ::trunc;\n"
    "using ::isfinite; using ::isinf; using ::isnan; using ::signbit; using ::abs;\n"
    "using ::memcpy; using ::memset; using ::malloc; using ::free; using ::printf;\n"
    "}\n"
    "static __device__ __forceinline__ void __assert_fail(const char *text, const char *file, unsigned line, const char *function)\n"
    "{ __assertfail(text, file, line, function, 1); }\n"
    "#if __CUDA_ARCH__ >= 900\n"
    "template <int = 0> static __device__ __forceinline__ void cudaTriggerProgrammaticLaunchCompletion()\n"
    "{ asm volatile(\"griddepcontrol.launch_dependents;\":::); }\n"
    "template <int = 0> static __device__ __forceinline__ void cudaGridDependencySynchronize()\n"
    "{ asm volatile(\"griddepcontrol.wait;\":::\"memory\"); }\n"
    "#endif\n"
    "#endif\n";

/* Limits and constants of <limits.h>, <float.h> and <math.h>. */
static const char constants[] =
    "typedef unsigned short ushort; typedef unsigned int uint; typedef unsigned long ulong;\n"
    "#ifndef CHAR_BIT\n"
    "#define CHAR_BIT 8\n#define SCHAR_MIN (-128)\n#define SCHAR_MAX 127\n#define UCHAR_MAX 255\n"
    "#define CHAR_MIN SCHAR_MIN\n#define CHAR_MAX SCHAR_MAX\n#define SHRT_MIN (-32768)\n#define SHRT_MAX 32767\n"
    "#define USHRT_MAX 65535\n#define INT_MIN (-2147483647-1)\n#define INT_MAX 2147483647\n"
    "#define UINT_MAX 4294967295U\n#define LONG_MIN (-9223372036854775807L-1)\n"
    "#define LONG_MAX 9223372036854775807L\n#define ULONG_MAX 18446744073709551615UL\n"
    "#define LLONG_MIN (-9223372036854775807LL-1)\n#define LLONG_MAX 9223372036854775807LL\n"
    "#define ULLONG_MAX 18446744073709551615ULL\n"
    "#endif\n"
    "#ifndef FLT_MAX\n"
    "#define FLT_RADIX 2\n#define FLT_MANT_DIG 24\n#define DBL_MANT_DIG 53\n#define FLT_DIG 6\n#define DBL_DIG 15\n"
    "#define FLT_MIN_EXP (-125)\n#define FLT_MAX_EXP 128\n#define DBL_MIN_EXP (-1021)\n#define DBL_MAX_EXP 1024\n"
    "#define FLT_MAX 3.40282346638528859811704183484516925e+38F\n"
    "#define DBL_MAX 1.79769313486231570814527423731704357e+308\n"
    "#define FLT_MIN 1.17549435082228750796873653722224568e-38F\n"
    "#define DBL_MIN 2.22507385850720138309023271733240406e-308\n"
    "#define FLT_EPSILON 1.19209289550781250000000000000000000e-7F\n"
    "#define DBL_EPSILON 2.22044604925031308084726333618164062e-16\n"
    "#endif\n"
    "#ifndef M_PI\n"
    "#define M_E 2.7182818284590452354\n#define M_LOG2E 1.4426950408889634074\n"
    "#define M_LOG10E 0.43429448190325182765\n#define M_LN2 0.69314718055994530942\n"
    "#define M_LN10 2.30258509299404568402\n#define M_PI 3.14159265358979323846\n"
    "#define M_PI_2 1.57079632679489661923\n#define M_PI_4 0.78539816339744830962\n"
    "#define M_1_PI 0.31830988618379067154\n#define M_2_PI 0.63661977236758134308\n"
    "#define M_2_SQRTPI 1.12837916709551257390\n#define M_SQRT2 1.41421356237309504880\n"
    "#define M_SQRT1_2 0.70710678118654752440\n"
    "#endif\n"
    "#ifndef INFINITY\n"
    "#define INFINITY (__int_as_float(0x7f800000))\n#define NAN (__int_as_float(0x7fffffff))\n"
    "#define HUGE_VALF INFINITY\n#define HUGE_VAL (__longlong_as_double(0x7ff0000000000000LL))\n"
    "#endif\n";

static const char algorithm[] =
    "#ifndef KTUNE_ALGORITHM\n"
    "#define KTUNE_ALGORITHM\n"
    "namespace std {\n"
    "template <class T> __host__ __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }\n"
    "template <class T> __host__ __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }\n"
    "}\n"
    "#endif\n";

/* Headers of CCCL do for device code what these do for the host. */
static const char limits[] = "#include <cuda/std/limits>\nnamespace std { using cuda::std::numeric_limits; }\n";
static const char type_traits[] = "#include <cuda/std/type_traits>\nnamespace std { using namespace cuda::std; }\n";
static const char utility[] = "#include <cuda/std/utility>\nnamespace std { using namespace cuda::std; }\n";
static const char tuple[] = "#include <cuda/std/tuple>\nnamespace std { using namespace cuda::std; }\n";
static const char array[] = "#include <cuda/std/array>\nnamespace std { using namespace cuda::std; }\n";
static const char functional[] = "#include <cuda/std/functional>\nnamespace std { using namespace cuda::std; }\n";

/* Names of headers whose contents the first one has, or that only host code needs. */
static const struct kt_nvrtc_header headers[] = {
    {KT_NVRTC_FIRST, first},
    {"ktune_device_constants.h", constants},
    {"algorithm", algorithm},
    {"array", array},
    {"assert.h", ""},
    {"atomic", ""},
    {"cassert", ""},
    {"cctype", ""},
    {"cerrno", ""},
    {"cfloat", ""},
    {"chrono", ""},
    {"cinttypes", ""},
    {"climits", ""},
    {"cmath", ""},
    {"condition_variable", ""},
    {"cstdarg", ""},
    {"cstddef", ""},
    {"cstdint", ""},
    {"cstdio", ""},
    {"cstdlib", ""},
    {"cstring", ""},
    {"ctime", ""},
    {"ctype.h", ""},
    {"cuda_profiler_api.h", ""},
    {"deque", ""},
    {"errno.h", ""},
    {"exception", ""},
    {"float.h", ""},
    {"fstream", ""},
    {"functional", functional},
    {"getopt.h", ""},
    {"initializer_list", ""},
    {"inttypes.h", ""},
    {"iomanip", ""},
    {"ios", ""},
    {"iostream", ""},
    {"istream", ""},
    {"iterator", ""},
    {"limits", limits},
    {"limits.h", ""},
    {"list", ""},
    {"locale", ""},
    {"map", ""},
    {"math.h", ""},
    {"memory", ""},
    {"memory.h", ""},
    {"mutex", ""},
    {"new", ""},
    {"numeric", ""},
    {"omp.h", ""},
    {"optional", ""},
    {"ostream", ""},
    {"queue", ""},
    {"random", ""},
    {"set", ""},
    {"sstream", ""},
    {"stdarg.h", ""},
    {"stddef.h", ""},
    {"stdexcept", ""},
    {"stdint.h", ""},
    {"stdio.h", ""},
    {"stdlib.h", ""},
    {"string", ""},
    {"string.h", ""},
    {"sys/time.h", ""},
    {"sys/types.h", ""},
    {"thread", ""},
    {"time.h", ""},
    {"tuple", tuple},
    {"type_traits", type_traits},
    {"unistd.h", ""},
    {"unordered_map", ""},
    {"unordered_set", ""},
    {"utility", utility},
    {"vector", ""},
};

const struct kt_nvrtc_header *kt_nvrtc_headers(size_t *count)
{
	*count = sizeof headers / sizeof *headers;
	return headers;
}
