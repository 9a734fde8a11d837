#!/usr/bin/env python3
"""Kernels of public code bases, tuned as they are: public.txt says which, and the clauses of each.

  public.py CHECKOUTS --ktcc KTCC --out FILE.csv [--only REGEX] [--budget 10] [--list public.txt] [--scan] [--templates]
  public.py CLONES --extract CHECKOUTS

CHECKOUTS/OWNER/NAME holds the files of a repository. --extract writes them from clones (CLONES/OWNER/NAME, a work tree
or a bare one): the folders that are needed, at the commit that is named. The files are copied to --work, where the
pragma is put above the kernel's definition; nothing else of them is changed. Columns and exit code: collection.py; with
code_base and commit.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

import collection
import tuning

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = (".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".inl")


def read(path):
    """[{"repository", "commit", "folders", "file", "kernel", "unit", "flags", "clauses"}]"""
    found, repository, commit, folders = [], None, None, []
    for line in open(path):
        fields = line.split()
        if not fields or line.startswith("#"):
            continue
        if line.startswith("repository "):
            repository, commit, folders = fields[1], fields[2], fields[3:]
        elif line.startswith("kernel "):
            rest = fields[3:]
            unit = rest.pop(0) if rest and not rest[0].startswith("-") else fields[1]
            found.append({"repository": repository, "commit": commit, "folders": folders, "file": fields[1],
                          "kernel": fields[2], "unit": unit, "flags": rest, "clauses": []})
        else:
            found[-1]["clauses"].append(line.strip())
    return found


def extract(kernels, clones, checkouts):
    """Sources and headers only: what else lies beside them (pictures, data, binaries) no compiler reads."""
    for repository, commit, folders in sorted({(k["repository"], k["commit"], tuple(k["folders"])) for k in kernels}):
        def git(*command, folder=f"{clones}/{repository}"):
            return subprocess.run(["git", "-C", folder, *command], check=True, capture_output=True).stdout

        for name in git("ls-tree", "-r", "--name-only", commit, *folders).decode().splitlines():
            if name.endswith(SOURCES):
                path = f"{checkouts}/{repository}/{name}"
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as out:
                    out.write(git("show", f"{commit}:{name}"))


def annotate(path, kernel, clauses):
    """Puts the pragma above the definition: above its template line and its storage class as well."""
    text = open(path).read()
    found = re.search(r"^(?:template\s*<[^;{}]*>\s*)?(?:static\s+)?(?:__launch_bounds__\([^)]*\)\s*)?"
                      r"__global__[^;{}]*\b"
                      + re.escape(kernel) + r"\s*\([^;{}]*\{", text, re.MULTILINE)
    if not found:
        sys.exit(f"{path}: no definition of {kernel}")
    pragma = "#pragma ktune " + " \\\n    ".join(clauses) + "\n"
    with open(path, "w") as out:
        out.write(text[:found.start()] + pragma + text[found.start():])


def copies(options, kernels):
    """A job a kernel, on a copy of its repository's folders."""
    for each in kernels:
        name = f"{each['repository'].split('/')[1]}.{each['kernel']}"
        if not re.search(options.only, name):
            continue
        root = os.path.abspath(f"{options.work}/copies/{name}")
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(f"{options.checkouts}/{each['repository']}", root)
        annotate(f"{root}/{each['file']}", each["kernel"], each["clauses"])
        flags = [f"{root}/{flag}" if before == "-I" else flag
                 for before, flag in zip([""] + each["flags"], each["flags"])]
        yield name, f"{root}/{each['unit']}", flags, {"code_base": each["repository"], "commit": each["commit"]}


def main():
    parser = argparse.ArgumentParser()
    tuning.arguments(parser, "public.work")
    parser.add_argument("checkouts")
    parser.add_argument("--list", default=f"{HERE}/public.txt")
    parser.add_argument("--extract", metavar="CHECKOUTS", help="write the files that are needed there, from clones")
    tuning.judged(parser)
    options = parser.parse_args()
    kernels = read(options.list)
    if options.extract:
        extract(kernels, options.checkouts, options.extract)
        return
    jobs = list(copies(options, kernels))
    if options.scan or options.templates:
        sys.exit((collection.scan if options.scan else collection.templates)(options, jobs) != 0)
    tuning.main_table(options, jobs)


main()
