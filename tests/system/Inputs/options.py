"""Every option of nvcc that ktcc knows, on a probe that looks at all that options can change: options.py KTCC NVCC OPTIONS.DEF FOLDER

PTX differs: closure, near and region key differ. PTX is equal: the PTX part of the region key is. What only ptxas gets
differs in closure and region key, and in the assembler's part. (That the manifest key differs: tests/unit/launch/test_key.c.)
A row of options.def without a line here is a failure. Prints what is wrong.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from ptx import code

STAGE = "makes something else than an object: the command is passed on"
RESULT = "decides which kind of file is made"
TARGET = "which architectures: an entry is for one, which the look-up compares"
AS_WRITTEN = "such a command is compiled as written"
WINDOWS = "for Windows only"
UNKNOWN = "nvcc 13 knows the name no longer"
LINK_TIME = "there is no PTX until the program is linked"
COMPILERS = "needs a tool that is not installed here"
# A row: the words that give the option, or a text that says why there are none.
ROWS = {
    "CUDA": STAGE, "CUBIN": RESULT, "FATBIN": RESULT, "PTX": RESULT, "OPTIX_IR": STAGE, "LTOIR": STAGE,
    "PREPROCESS": STAGE, "M": STAGE, "MM": STAGE, "MD": ["-MD"], "MMD": ["-MMD"], "MF": ["-MD", "-MF", "other.d"],
    "MP": ["-MD", "-MP"], "COMPILE": RESULT, "DEVICE_C": RESULT, "DEVICE_W": RESULT, "DEVICE_LINK": STAGE,
    "LINK": STAGE, "LIB": STAGE, "RUN": STAGE, "OUTPUT": RESULT, "PRE_INCLUDE": ["-include", "forced.h"],
    "OBJDIR_AS_TEMPDIR": ["-objtemp"], "LIBRARY": ["-lm"], "DEFINE": ["-DPROBE=2"], "UNDEFINE": ["-DPROBE=2", "-UPROBE"],
    "INCLUDE_PATH": ["-Iown"], "SYSTEM_INCLUDE": ["-isystem", "foreign"], "LIBRARY_PATH": ["-L."],
    "OUTPUT_DIRECTORY": ["-odir", "."], "COMPILER_BINDIR": ["-ccbin", "./compiler/g++"],
    "ALLOW_UNSUPPORTED_COMPILER": ["-allow-unsupported-compiler"], "ARCHIVER_BINARY": ["-arbin", "ar"],
    "CUDART": ["-cudart", "none"], "CUDADEVRT": ["-cudadevrt", "none"], "LIBDEVICE_DIRECTORY": COMPILERS,
    "TARGET_DIRECTORY": COMPILERS, "USE_LOCAL_ENV": WINDOWS, "FORCE_CL_ENV_SETUP": WINDOWS, "PROFILE": ["-pg"],
    "DEBUG": ["-g"], "DEVICE_DEBUG": AS_WRITTEN, "LINE_INFO": ["-lineinfo"], "OPTIMIZATION_INFO": ["-opt-info", "inline"],
    "OPTIMIZE": ["-O3"], "OFAST_COMPILE": ["-Ofc=max"], "DOPT": ["-dopt=on"], "DLINK_TIME_OPT": LINK_TIME,
    "LTO": LINK_TIME, "GEN_OPT_LTO": LINK_TIME, "TEMPLATE_BACKTRACE_LIMIT": ["-ftemplate-backtrace-limit", "3"],
    "TEMPLATE_DEPTH": ["-ftemplate-depth", "99"], "NO_EXCEPTIONS": ["-noeh"], "SHARED": ["-shared"],
    "LANGUAGE": ["-x", "cu"], "STANDARD": ["-std=c++20"], "NO_HD_INITIALIZER_LIST": ["-nohdinitlist"],
    "NO_HD_MOVE_FORWARD": ["-nohdmoveforward"], "RELAXED_CONSTEXPR": ["-expt-relaxed-constexpr"],
    "EXTENDED_LAMBDA": ["-extended-lambda"], "EXPT_EXTENDED_LAMBDA": ["-expt-extended-lambda"], "MACHINE": ["-m64"],
    "M64": ["-m64"], "XCOMPILER": ["-Xcompiler", "-ffast-math"], "XLINKER": ["-Xlinker", "-s"],
    "XARCHIVE": ["-Xarchive", "-v"], "XPTXAS": ["-Xptxas", "-O1"], "XNVLINK": ["-Xnvlink", "-v"],
    "STATIC_TEMPLATE_STUB": ["-static-global-template-stub=false"],
    "HIDDEN_VISIBILITY": ["-device-entity-has-hidden-visibility=false"],
    "FORWARD_COMPILER": ["-forward-unknown-to-host-compiler", "-ffast-math"],
    "FORWARD_LINKER": ["-forward-unknown-to-host-linker"], "FORWARD_BOTH": ["-forward-unknown-opts"],
    "DONT_USE_PROFILE": COMPILERS, "DRYRUN": STAGE, "VERBOSE": ["-v"], "THREADS": ["-t2"],
    "SPLIT_COMPILE": ["-split-compile=2"], "SPLIT_COMPILE_EXTENDED": ["-split-compile-extended=2"],
    "DEVICE_SYNTAX_ONLY": STAGE, "DEVICE_TIME_TRACE": ["-fdevice-time-trace", "trace.json"], "KEEP": ["-keep", "-keep-dir", "kept/keep"],
    "KEEP_DIR": ["-keep-dir", "kept"], "SAVE_TEMPS": ["-save-temps", "-keep-dir", "kept"], "CLEAN": STAGE, "TIME": ["-time", "times.csv"],
    "RUN_ARGS": ["-run-args", "x"], "INPUT_DRIVE_PREFIX": WINDOWS, "DEPENDENCY_DRIVE_PREFIX": WINDOWS,
    "DRIVE_PREFIX": WINDOWS, "MT": ["-MD", "-MT", "other"], "NO_ALIGN_DOUBLE": UNKNOWN, "NO_DEVICE_LINK": ["-nodlink"],
    "ARCHITECTURE": TARGET, "GPU_CODE": TARGET, "GENCODE": TARGET, "RDC": ["-rdc=true"], "ENTRIES": AS_WRITTEN,
    "MAXRREGCOUNT": ["-maxrregcount=32"], "USE_FAST_MATH": ["--use_fast_math"], "FTZ": ["-ftz=true"],
    "PREC_DIV": ["-prec-div=false"], "PREC_SQRT": ["-prec-sqrt=false"], "FMAD": ["-fmad=false"],
    "DEVICE_VECTORIZATION": ["-extra-device-vectorization"], "DEFAULT_STREAM": ["-default-stream=per-thread"],
    "DISABLE_WARNINGS": ["-w"], "KEEP_DEVICE_FUNCTIONS": ["-keep-device-functions"], "SOURCE_IN_PTX": ["-lineinfo", "-src-in-ptx"],
    "RESTRICT": ["-restrict"], "WREORDER": ["-Wreorder"], "WDEFAULT_STREAM_LAUNCH": ["-Wdefault-stream-launch"],
    "WMISSING_LAUNCH_BOUNDS": ["-Wmissing-launch-bounds"], "WEXT_LAMBDA_CAPTURES_THIS": ["-Wext-lambda-captures-this"],
    "WNO_DEPRECATED_DECLARATIONS": ["-Wno-deprecated-declarations"],
    "WNO_DEPRECATED_GPU_TARGETS": ["-Wno-deprecated-gpu-targets"], "WERROR": ["-Werror", "cross-execution-space-call"],
    "RESOURCE_USAGE": ["-res-usage"], "EXTENSIBLE_WHOLE_PROGRAM": ["-ewp"], "NO_COMPRESS": ["-no-compress"],
    "QPP_CONFIG": COMPILERS, "AS_TOOLS_PATCH": STAGE, "LIST_GPU_CODE": STAGE, "LIST_GPU_ARCH": STAGE,
    "DISPLAY_ERROR_NUMBER": ["-err-no"], "NO_DISPLAY_ERROR_NUMBER": ["-no-err-no"], "DIAG_ERROR": ["-diag-error", "177"],
    "DIAG_SUPPRESS": ["-diag-suppress", "177"], "DIAG_WARN": ["-diag-warn", "177"], "HOST_LINKER_SCRIPT": STAGE,
    "AUGMENT_HOST_LINKER_SCRIPT": ["-aug-hls"], "RELOCATABLE_LINK": ["-r"], "BRIEF_DIAGNOSTICS": ["-brief-diag=true"],
    "JUMP_TABLE_DENSITY": ["-jtd=1"], "RELOCATABLE_PTX": ["-reloc-ptx"], "DEVICE_STACK_PROTECTOR": ["-device-stack-protector=true"],
    "COMPRESS_MODE": ["-compress-mode=none"], "RANDOM_SEED": ["-frandom-seed", "7"], "SANITIZE": ["-sanitize=memcheck"],
    "JOBSERVER": ["-jobserver"], "HELP": STAGE, "VERSION": STAGE, "OPTIONS_FILE": ["-optf", "words"],
    "XCUDAFE": ["-Xcudafe", "--diag_suppress=177"], "XCICC": ["-Xcicc", "-O0"], "XFATBIN": ["-Xfatbin", "-compress-all"],
    "OLD_RELAXED_CONSTEXPR": UNKNOWN,
}
# Further words for a row, and variables of the environment: macros of the toolkit's headers, folders of headers.
MORE = [
    ("DEFINE -DNDEBUG", ["-DNDEBUG"], {}),
    ("DEFINE of a path", ["-DROOT=\"/a/b\""], {}),
    ("OPTIMIZE 1", ["-O1"], {}),
    ("XCOMPILER -D", ["-Xcompiler", "-DPROBE=4"], {}),
    ("NVCC_APPEND_FLAGS", [], {"NVCC_APPEND_FLAGS": "-DPROBE=5"}),
    ("NVCC_PREPEND_FLAGS", [], {"NVCC_PREPEND_FLAGS": "--use_fast_math"}),
    ("NVCC_APPEND_FLAGS of ptxas", [], {"NVCC_APPEND_FLAGS": "-maxrregcount=40"}),
    ("NVCC_CCBIN", [], {"NVCC_CCBIN": "./compiler/g++"}),
    ("CPATH", [], {"CPATH": "own"}),
    ("CPLUS_INCLUDE_PATH", [], {"CPLUS_INCLUDE_PATH": "foreign"}),
]
# What only ptxas gets.
ASSEMBLER = {"MAXRREGCOUNT", "XPTXAS", "SPLIT_COMPILE", "SPLIT_COMPILE_EXTENDED", "OFAST_COMPILE",
             "DEVICE_STACK_PROTECTOR", "SANITIZE", "NVCC_APPEND_FLAGS of ptxas"}
PROBE = """#include <cassert>
#if __has_include(<own.h>)
#include <own.h>
#endif
#if __has_include(<foreign.h>)
#include <foreign.h>
#else
__device__ float foreign(float v) { return v; }
#endif
#ifndef PROBE
#define PROBE 1
#endif
#ifndef OWN
#define OWN 1
#endif
#ifndef FORCED
#define FORCED 1
#endif
constexpr int BLOCK = 64;
__device__ __noinline__ float apart(float v) { return v * v + 1.0f; }
#pragma ktune problem(n = 1024) inout(x[n]) in(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void probe(float *x, const float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	assert(n > 0);
	if (i >= n)
		return;
	float v = x[i] / y[i] + sqrtf(y[i]) * x[i] + sinf(y[i]) + apart(x[i]) + foreign(y[i]) + y[i] * 1e-40f;
	v += PROBE * OWN * FORCED + __cplusplus;
#define SEE(name) v = v * 3.0f + name
#ifdef __OPTIMIZE__
	SEE(1);
#endif
#ifdef __EXCEPTIONS
	SEE(2);
#endif
#ifdef __FAST_MATH__
	SEE(3);
#endif
#ifdef __CUDACC_RDC__
	SEE(4);
#endif
#ifdef __CUDACC_EWP__
	SEE(5);
#endif
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
	SEE(6);
#endif
#ifdef __CUDACC_EXTENDED_LAMBDA__
	SEE(7);
#endif
#ifdef __CUDACC_RELAXED_CONSTEXPR__
	SEE(8);
#endif
	x[i] = v;
}
void run(float *x, float *y, int n) { probe<<<n / 64, 64>>>(x, y, n); }
"""
FILES = {"probe.cu": PROBE, "own/own.h": "#define OWN 7\n", "forced.h": "#define FORCED 3\n", "words": "-DPROBE=3\n",
         "foreign/foreign.h": "inline __device__ float foreign(float v) { return v + 9.0f; }\n"}
BASE = ["-arch=sm_90"]


class Probe:
    def __init__(self, ktcc, nvcc, folder):
        self.ktcc, self.nvcc, self.folder = ktcc, nvcc, folder
        for name, text in FILES.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w") as out:
                out.write(text)
        os.makedirs(os.path.join(folder, "compiler"), exist_ok=True)
        # Rows are checked at once: two must not write the same files.
        for name in ("keep", "dir", "temps"):
            os.makedirs(os.path.join(folder, "kept", name), exist_ok=True)
        with open(os.path.join(folder, "compiler/g++"), "w") as out:
            out.write('#!/bin/sh\nexec g++ -DPROBE=6 "$@"\n')
        os.chmod(os.path.join(folder, "compiler/g++"), 0o755)

    def run(self, command, environment):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                              env=dict(os.environ, KTUNE_CACHE_DIR=os.path.join(self.folder, "cache"), **environment))

    def pipeline(self, words, environment):
        """The preprocessor's and the device compiler's commands: where they are the same, PTX is."""
        done = self.run([self.nvcc, "--dryrun", "-ptx"] + BASE + words + ["probe.cu"], environment)
        lines = [line for line in done.stderr.splitlines() if re.search(r'cicc"?\b.*-arch|-D__CUDA_ARCH__=', line)]
        return re.sub(r"tmpxft_\w+-\d+_", "", "\n".join(lines)) if done.returncode == 0 and lines else None

    def ptx(self, name, words, environment):
        path = "ptx/" + re.sub(r"\W", "_", name)
        os.makedirs(os.path.join(self.folder, "ptx"), exist_ok=True)
        done = self.run([self.nvcc, "-ptx"] + BASE + words + ["probe.cu", "-o", path], environment)
        if done.returncode != 0:
            return None, done.stderr or done.stdout
        with open(os.path.join(self.folder, path)) as file:
            return code(file.read()), ""

    def keys(self, words, environment):
        done = self.run([self.ktcc, "explain", "--json", "probe.cu", "--"] + BASE + words + ["-c"], environment)
        try:
            return json.loads(done.stdout)["regions"][0]["keys"], ""
        except (ValueError, LookupError):
            return None, (done.stderr + done.stdout)[:300]


def judge(name, base, ptx_differs, keys):
    """What is wrong with the keys of an option, as text."""
    differ = {part for part in ("closure", "near", "region") if keys.get(part) != base[part]}
    # Absent where a row before it had the same closure: its region key is remembered.
    part = keys.get("ptx")
    if ptx_differs and (differ != {"closure", "near", "region"} or part == base["ptx"]):
        return f"PTX differs, of the keys only {sorted(differ)} do; its part: {part}"
    if not ptx_differs and part not in (None, base["ptx"]):
        return "PTX is equal, the PTX part of the region key is not"
    if (name in ASSEMBLER) != (keys.get("assembler") != base.get("assembler")):
        return f"the assembler's part is {keys.get('assembler')}"
    if name in ASSEMBLER and not {"closure", "region"} <= differ:
        return f"ptxas gets something else, of the keys only {sorted(differ)} differ"
    return None


def main():
    ktcc, nvcc, table, folder = sys.argv[1:]
    with open(table) as file:
        known = re.findall(r"^OPTION\((\w+),", file.read(), re.M)
    wrong = [f"{name}: no line in this table" for name in known if name not in ROWS]
    wrong += [f"{name}: no row of options.def" for name in ROWS if name not in known]
    probe = Probe(ktcc, nvcc, folder)
    plain, message = probe.ptx("base", [], {})
    base, message = probe.keys([], {}) if plain else (None, message)
    if base is None or "ptx" not in base:
        sys.exit(f"FAIL the probe: {message} {base}")
    pipeline = probe.pipeline([], {})

    def check(row):
        name, words, environment = row
        same = not environment and pipeline is not None and probe.pipeline(words, environment) == pipeline
        # Files that are read by other names change PTX without changing a command.
        if same and name not in ("PRE_INCLUDE", "INCLUDE_PATH", "SYSTEM_INCLUDE", "OPTIONS_FILE", "COMPILER_BINDIR"):
            text, message = plain, ""
        else:
            text, message = probe.ptx(name, words, environment)
        if text is None:
            return f"{name}: nvcc: {message[:200]}", False
        keys, message = probe.keys(words, environment)
        if keys is None or "region" not in keys:
            return f"{name}: no keys: {message} {keys}", False
        fault = judge(name, base, text != plain, keys)
        return (f"{name}: {fault}" if fault else None), text != plain

    rows = [(name, words, {}) for name, words in ROWS.items() if isinstance(words, list)] + MORE
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(check, rows))
    wrong += [fault for fault, _ in results if fault]
    for line in wrong:
        print("FAIL", line)
    changed = sorted(row[0] for row, (_, differs) in zip(rows, results) if differs)
    print(f"{len(rows)} options, {len(changed)} change PTX, {len(wrong)} wrong")
    print("they do:", ", ".join(changed))


if __name__ == "__main__":
    main()
