"""Compiles variants in random configurations behind the files that they came from, as a build does: by nvcc, for host and
device. A line a file: how many variants, or what the compiler says.

  compiled.py [--configs 3] [--seed 1] CLANG TOOLKIT FILE...
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import emulate


def variants(clang, toolkit, file, configs, chance):
    done = subprocess.run([clang, "rewrite", "--toolkit", toolkit, "--arch", "90", "--file", file, "--", "-std=c++17"],
                          capture_output=True, text=True, check=True)
    scan = subprocess.run([clang, "scan", "--toolkit", toolkit, "--arch", "90", "--file", file, "--", "-std=c++17"],
                          capture_output=True, text=True, check=True)
    regions = json.loads(scan.stdout)["regions"]
    for template in json.loads(done.stdout)["templates"]:
        region = regions[template["region"]]
        names = {**emulate.constants(region), **emulate.shape(region, chance)}
        for config in emulate.configurations(template, configs, chance, names):
            yield template, config


def compile_file(options, file, folder):
    chance, text, count = random.Random(options.seed), [open(file).read()], 0
    for template, config in variants(options.clang, options.toolkit, file, options.configs, chance):
        text += [emulate.render(template[part], config, f"v{count}") for part in ("helpers", "head", "body")]
        count += 1
    source = os.path.join(folder, os.path.basename(file))
    with open(source, "w") as out:
        out.write("\n".join(text))
    # No assembler: what it would refuse is a candidate's own affair.
    done = subprocess.run([f"{options.toolkit}/bin/nvcc", "-std=c++17", "-gencode", "arch=compute_90,code=compute_90",
                           "-I", os.path.dirname(file), "-c", source, "-o", source + ".o"], capture_output=True, text=True)
    print(os.path.basename(file), f"{count} compiled" if done.returncode == 0 else "does not compile:", flush=True)
    print(done.stderr if done.returncode else "", end="")
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--configs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("clang")
    parser.add_argument("toolkit")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(not all([compile_file(options, file, folder) for file in options.files]))


if __name__ == "__main__":
    main()
