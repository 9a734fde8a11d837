#!/usr/bin/env python3
"""Removes each condition of the passes over the kernel IR in turn (mutants.py), and prints which test fails without it.

  run.py [--files NAME[:FIRST-LAST]...] [--every N] [--jobs N] [--seconds N] [--list] [--as-built] [--build FOLDER] [--needless FILE]

A condition that no test misses is a survivor. Those that needless.txt lists with the reason are known; any other one is printed, and
the exit code is 1; so is a row of needless.txt whose condition is gone, or seen by a test. --files: of these files alone, FIRST-LAST: of these
lines. --every N: each Nth condition of every file, for a suite. --seconds: no further condition after that time; those that were
not tried are counted.

The IR is compiled beside the build, optimised (--as-built: it is the build's, and there are no random kernels: the start is short); of a
mutant one file is compiled again. Unit tests of what it is for
come first, then random kernels that are lowered once and run before and after each pass (ir_compare)."""
import argparse
import concurrent.futures
import glob
import os
import resource
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
IR = os.path.join(ROOT, "ktcc/generation/ir")
UNIT = os.path.join(ROOT, "tests/unit/ir")
sys.path[:0] = [HERE, os.path.join(ROOT, "tests/fuzz/kernels")]
import generate
import mutants

SHARED = ["independent", "distributed", "distributed_order", "distributed_sums", "combined", "bins", "launch_value", "team", "team_carried", "warps",
          "launch_text", "bounds", "unstage", "unstage_order", "unstage_owner", "unstage_place", "unstage_product", "unstage_slice", "unstage_way", "unstage_digit", "elements",
          "product", "product_bounds", "product_flat", "product_leaf", "product_limit", "product_view", "product_wide"]
PRODUCT, VIEW = ["product"], ["product_view", "product"]
UNSTAGE = ["unstage_conditions", "unstage_limits", "unstage"]
TESTS = {"pass_block_size": ["items", "warps"], "pass_blocks": ["blocks", "bins"], "pass_combine": ["combine"], "pass_bins": ["bins"], "pass_items": ["items", "warps"],
         "pass_launch_bounds": ["pass", "warps"], "pass_loop_unroll": ["pass"], "pass_loop_vector": ["loop_vector"],
         "pass_read_only": ["pass"], "pass_stride": ["stride", "cooperate"], "pass_team": ["team"],
         "independent": ["items", "stride", "warps", "blocks", "pass", "combine"], "distributed": ["stride", "cooperate"],
         "distributed_order": ["stride", "team"], "distributed_sums": ["stride", "cooperate"], "combined": ["combine", "bins"], "bins": ["bins"], "launch_value": ["blocks"], "team": ["team"],
         "team_carried": ["team"], "warps": ["warps"], "launch_text": ["items", "stride"], "bounds": UNSTAGE,
         "unstage": UNSTAGE, "unstage_order": UNSTAGE, "unstage_owner": UNSTAGE, "unstage_slice": UNSTAGE, "unstage_way": UNSTAGE,
         "unstage_place": UNSTAGE, "unstage_product": UNSTAGE, "unstage_digit": UNSTAGE, "pass_unstage": UNSTAGE, "pass_join": UNSTAGE, "elements": ["elements"],
         "pass_product": VIEW, "product": PRODUCT, "product_flat": VIEW, "product_view": VIEW, "product_wide": VIEW,
         "product_results": VIEW, "product_forward": VIEW, "product_digits": VIEW, "product_index": VIEW, "product_whole": VIEW,
         "product_bounds": PRODUCT, "product_leaf": PRODUCT, "product_limit": PRODUCT}
HELPERS = sorted(os.path.basename(path)[:-2] for path in glob.glob(UNIT + "/*.c") if not os.path.basename(path).startswith("test_"))
FLAGS = ["-std=gnu17", "-O2", "-w", "-D_GNU_SOURCE", f"-I{ROOT}/ktcc", f"-I{UNIT}"]
# Seconds of processor time of a test, however busy the machine is, and of the clock for one that waits.
KERNELS, LAUNCHES, LIMIT, LONGEST = 24, 2, 120, 1800


class Build:
    def __init__(self, build, folder, tests, is_as_built):
        self.build, self.folder = build, folder
        self.base = os.path.join(build, "ktcc/base/libkt_base.a")
        self.as_built = [os.path.join(build, "ktcc/generation/ir/libkt_ir.a")] if is_as_built else None
        sources = [f"{UNIT}/{name}.c" for name in HELPERS + ["test_" + name for name in tests]]
        if not is_as_built:
            sources += glob.glob(IR + "/*.c") + [ROOT + "/tests/fuzz/ir/compare.c"]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda source: self.compile(source, self.object(source)), sources))
        self.objects = [self.object(source) for source in glob.glob(IR + "/*.c")]
        self.kernels = None if is_as_built else self.lower()

    def object(self, source):
        return os.path.join(self.folder, os.path.basename(source)[:-2] + ".o")

    @staticmethod
    def compile(source, to):
        subprocess.run(["gcc", *FLAGS, "-c", source, "-o", to], check=True)

    def lower(self):
        """Random kernels as IR text; None: there is no toolkit."""
        cu, ir = os.path.join(self.folder, "kernels.cu"), os.path.join(self.folder, "kernels.ir")
        with open(cu, "w") as out:
            out.write("#include <cuda_fp16.h>\n" + "\n".join(generate.kernel(29, at).text for at in range(KERNELS)) + "\n")
        toolkit = os.environ.get("CUDA_PATH", "/usr/local/cuda")
        with open(ir, "w") as out:
            done = subprocess.run([os.path.join(self.build, "clang_tools/ktcc-clang"), "lower", "--file", cu, "--toolkit", toolkit, "--all",
                                   "--", "-std=c++17"], stdout=out, stderr=subprocess.DEVNULL, check=False)
        return ir if done.returncode == 0 else None

    def link(self, name, to, mutant_object):
        # Those with assertions of cmocka are for its tests only.
        helpers = ["compare"] + [each for each in HELPERS if not each.endswith("_case")] if name == "ir_compare" else ["test_" + name] + HELPERS
        objects = [os.path.join(self.folder, helper + ".o") for helper in helpers]
        # What is defined already is not taken from the library.
        own = [mutant_object] if mutant_object else []
        objects += own + (self.as_built or [each for each in self.objects if os.path.basename(each) not in map(os.path.basename, own)])
        subprocess.run(["gcc", "-o", to, *objects, self.base, "-lcmocka", "-lcjson", "-lsodium", "-lzstd", "-lm"], check=True, stderr=subprocess.DEVNULL)

    def fails(self, name, folder, mutant_object):
        program = os.path.join(folder, name)
        self.link(name, program, mutant_object)
        words = [program] if name != "ir_compare" else [program, "--launches", str(LAUNCHES), self.kernels]
        try:
            done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LONGEST,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT)), check=False)
            return done.returncode != 0
        except subprocess.TimeoutExpired:
            return True
        finally:
            os.unlink(program)

    def seen_by(self, mutant):
        """The name of the test that fails, "the compiler", or None."""
        stem = os.path.basename(mutant.path)[:-2]
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            source, made = os.path.join(folder, stem + ".c"), os.path.join(folder, stem + ".o")
            with open(source, "w") as out:
                out.write(mutant.source)
            try:
                self.compile(source, made)
            except subprocess.CalledProcessError:
                return "the compiler"
            for name in TESTS[stem] + (["ir_compare"] if self.kernels else []):
                if self.fails(name, folder, made):
                    return name
        return None


def conditions(name):
    """Those of a file, or of lines of it: NAME:FIRST-LAST."""
    stem, _, lines = name.partition(":")
    first, _, last = lines.partition("-")
    found = list(mutants.mutants(f"{IR}/{stem}.c"))
    return [one for one in found if int(first) <= one.line <= int(last or first)] if lines else found


def needless(file):
    """Conditions that no test can miss, by file and text, with the reason."""
    found = {}
    with open(file) as text:
        for line in text:
            if line.strip() and not line.startswith("#"):
                name, condition, reason = (part.strip() for part in line.split(" | "))
                found[name, condition] = reason
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", nargs="*")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--as-built", action="store_true")
    parser.add_argument("--build", default=os.path.join(ROOT, "build/debug"))
    parser.add_argument("--needless", default=os.path.join(HERE, "needless.txt"))
    options = parser.parse_args()
    names = sorted(os.path.basename(each)[:-2] for each in glob.glob(IR + "/pass_*.c")) + SHARED
    chosen = [one for name in options.files or names for one in conditions(name)[::options.every]]
    if options.list:
        print("\n".join(f"{os.path.basename(one.path)}:{one.line}: {one.text}" for one in chosen))
        return 0
    known, used, end = needless(options.needless), set(), time.monotonic() + options.seconds
    counts, wrong = {"seen": 0, "needless": 0, "survived": 0, "not tried": 0}, False
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tests = sorted({test for one in chosen for test in TESTS[os.path.basename(one.path)[:-2]]})
        build = Build(options.build, folder, tests, options.as_built)
        for name in tests:
            if build.fails(name, folder, None):
                print(f"{name} fails with all conditions")
                return 1
        for one, found in zip(chosen, pool.map(lambda one: build.seen_by(one) if time.monotonic() < end else "late", chosen)):
            name = os.path.basename(one.path)[:-2]
            reason = known.get((name, one.text))
            kind = "not tried" if found == "late" else "seen" if found else "needless" if reason else "survived"
            counts[kind] += 1
            wrong |= kind == "survived"
            if kind == "needless":
                used.add((name, one.text))
            if kind != "not tried":
                print(f"{name}.c:{one.line}: {one.text}: {found or ('needless: ' + reason if reason else 'SURVIVED')}", flush=True)
    whole = set(options.files or names) if options.every == 1 and not options.as_built and not counts["not tried"] else set()
    for name, text in sorted(known.keys() - used):
        if name in whole:
            wrong = True
            print(f"needless.txt: {name}: {text}: no condition of that text is needless")
    print(f"{len(chosen)} conditions, " + ", ".join(f"{number} {kind}" for kind, number in counts.items()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
