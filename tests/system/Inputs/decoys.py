"""Builds a file without and with decoys in the build tree: headers of the same names that must not be read.

  decoys.py --ktcc KTCC --nvcc NVCC --entry make_entry.py FOLDER
"""
import argparse
import os
import shutil
import subprocess
import sys

FILES = {
    "src/types.cuh": "#pragma once\ntypedef float real;\n#define TYPES_FROM __FILE__\n",
    "src/wide/limits.cuh": "#pragma once\n#include \"../types.cuh\"\n#define LIMIT 1024\n",
    "src/ops/local.cuh": "#pragma once\n#include \"part/inner.cuh\"\n",
    "src/ops/part/inner.cuh": "#pragma once\n#include \"../../types.cuh\"\n#define INNER 1\n",
    "src/ops/by_macro.cuh": "#pragma once\n#define BY_MACRO 2\n",
    "src/ops/stamp": "#define STAMP 3\n",
    "first/next.cuh": "#pragma once\n#include_next \"next.cuh\"\n#define FIRST 1\n",
    "second/next.cuh": "#define SECOND 1\n",
    "second/quoted.cuh": "#pragma once\n#define QUOTED 4\n",
    # A header with a region: it gets a copy.
    "src/ops/kernel.cuh": """#pragma once
#include "../wide/limits.cuh"
#include "local.cuh"
#define WIDTH 128
#pragma ktune problem(n = 1024) out(y[n]) tune(WIDTH = 64, 128)
__global__ void in_header(real *y, int n)
{
	if (blockIdx.x * WIDTH + threadIdx.x < n)
		y[blockIdx.x * WIDTH + threadIdx.x] = sizeof(real) + INNER;
}
""",
    "src/ops/k.cu": """#include "../types.cuh"
#include "local.cuh"
#include "stamp"
#define NAME "by_macro.cuh"
#include NAME
#include "next.cuh"
#include "quoted.cuh"
#if __has_include("../ops/decoy_only.cuh") || __has_include("decoy_only.cuh")
#error a decoy
#endif
#include "kernel.cuh"
#define BLOCK 128
#pragma ktune problem(n = 1024) out(y[n]) tune(BLOCK = 64, 128)
__global__ void in_source(real *y, int n)
{
	if (blockIdx.x * BLOCK + threadIdx.x < n)
		y[blockIdx.x * BLOCK + threadIdx.x] = sizeof(real) + BY_MACRO + STAMP + FIRST + SECOND + QUOTED;
}
const char *types_from() { return TYPES_FROM; }
void run(real *y, int n)
{
	in_header<<<(n + 127) / 128, 128>>>(y, n);
	in_source<<<(n + 127) / 128, 128>>>(y, n);
}
""",
}
# The same without a name that a macro makes.
FILES["src/ops/j.cu"] = FILES["src/ops/k.cu"].replace('#define NAME "by_macro.cuh"\n#include NAME', '#include "by_macro.cuh"')
NAMES = ["types.cuh", "wide/limits.cuh", "limits.cuh", "local.cuh", "part/inner.cuh", "by_macro.cuh", "next.cuh",
         "quoted.cuh", "kernel.cuh", "decoy_only.cuh", "ops/local.cuh", "ops/decoy_only.cuh"]
OPTIONS = ["-arch=sm_90", "-Ifirst", "-Isecond", "-objtemp"]


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as out:
        out.write(text)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def dependencies(path, own):
    words = read(path).decode().replace("\\\n", " ").split(":", 1)[1].split()
    # ktune.h reads some headers of the system that the source may not.
    return [word for word in words if not word.startswith("/usr/") and
            (not own or ("ktune" not in word and not word.endswith(":")))]


def build(options, command, source, cache):
    environment = dict(os.environ, KTUNE_CACHE_DIR=os.path.abspath(cache), KTUNE_MODE="cached",
                       KTUNE_LOCK_DIR=os.path.abspath("ktune.lock"), TMPDIR=os.path.abspath("tmp/own"))
    done = subprocess.run(command + [options.nvcc] + OPTIONS + ["-MD", "-c", source, "-o", "out/deep/k.o"],
                          capture_output=True, text=True, env=environment)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{done.stderr}{done.stdout}")
    return read("out/deep/k.o"), read("out/deep/k.d")


def place_decoys():
    """Beside the object, in each folder of ktcc's, in the working folder, in those of temporary files and in each parent."""
    count = 0
    folders = {"", "out", "out/deep", "tmp", "tmp/own"}
    for folder, _, _ in os.walk("out/deep/k.o.ktune"):
        folders.add(folder)
        while folder:
            folder = os.path.dirname(folder)
            folders.add(folder)
    for folder in folders:
        for name in NAMES:
            if not folder and name.startswith("ops/"):
                continue  # -Ifirst leads there: first/../ops
            path = os.path.join(folder, name)
            if not os.path.exists(path):
                write(path, "#error a decoy\n")
                count += 1
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--ktcc", "--nvcc", "--entry"):
        parser.add_argument(name, required=True)
    parser.add_argument("folder")
    options = parser.parse_args()
    # Room above the tree for decoys, which are a part of it.
    top = os.path.join(options.folder, "above", "tree")
    for path, text in FILES.items():
        write(os.path.join(top, path), text)
    os.chdir(top)
    for folder in ("out/deep", "tmp/own"):
        os.makedirs(folder)
    subprocess.run([sys.executable, options.entry, "--ktcc", options.ktcc, "--lock", "ktune.lock", "src/ops/k.cu",
                    "in_header", "WIDTH=64", "in_source", "BLOCK=64", "--"] + OPTIONS[:3], check=True)
    sources = {"relative": "src/ops/k.cu", "absolute": os.path.abspath("src/ops/j.cu")}
    clean, plain = {}, {}
    for name, source in sources.items():
        build(options, [], source, "none")
        plain[name] = dependencies("out/deep/k.d", False)
        clean[name] = build(options, [options.ktcc], source, "cache-" + name)
        symbols = subprocess.run(["nm", "out/deep/k.o"], capture_output=True, text=True, check=True).stdout
        assert "ktune_v_" in symbols, "no variant"
    for name, source in list(sources.items()) + [("again", sources["absolute"])]:
        assert place_decoys() > 10
        key = "absolute" if name == "again" else name
        # Fresh: units are compiled aside. Again: the known emission is put in place.
        found = build(options, [options.ktcc], source, ("cache-" if name == "again" else "fresh-") + key)
        same = [word if a == b else "another " + word[5:] for word, a, b in
                zip(("same object", "same depfile"), found, clean[key])]
        ours = dependencies("out/deep/k.d", True)
        if ours != plain[key]:
            print("not the same:", sorted(set(ours) ^ set(plain[key])))
        print(f"{name}: {', '.join(same)} as without decoys, {'same' if ours == plain[key] else 'other'} "
              "dependencies as nvcc")
    # A link in the folder leads nowhere.
    write("elsewhere/types.cuh", "#error a decoy\n")
    write("elsewhere/inner.cuh", "#error a decoy\n")
    folder = os.path.dirname(next(os.path.join(at, "j.cu") for at, _, names in os.walk("out/deep/k.o.ktune")
                                  if "j.cu" in names))
    shutil.rmtree(os.path.join(folder, "part"), ignore_errors=True)
    os.symlink(os.path.abspath("elsewhere"), os.path.join(folder, "part"))
    os.symlink(os.path.abspath("elsewhere/types.cuh"), os.path.join(folder, "local.cuh"))
    found = build(options, [options.ktcc], sources["absolute"], "cache-absolute")
    assert found[0] == clean["absolute"][0], "another object"
    assert sorted(os.listdir("elsewhere")) == ["inner.cuh", "types.cuh"], "a file elsewhere is gone"
    print("links: nothing behind them was touched")


main()
