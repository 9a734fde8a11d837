#!/usr/bin/env python3
"""Stands for nvcc in rebuild_table.test where an object is compiled; anything else goes to the real one.

The object is the preprocessed text, with the dependency file that gcc writes. REBUILD_LOG gets a line per compilation,
the source's name. REBUILD_NVCC is the real compiler.
"""
import os
import subprocess
import sys

OURS = ("a.cu", "b.cu", "declined.cu", "plain.cu")


def words_of(arguments):
    """The command's words, those of option files in their place."""
    words = []
    arguments = iter(arguments)
    for word in arguments:
        if word in ("--options-file", "-optf"):
            with open(next(arguments)) as file:
                words += words_of(file.read().split())
        else:
            words.append(word)
    return words


def preprocess(words):
    """The words for gcc: what bears on the preprocessor and the dependency file."""
    told, output, source, makes, named = [], None, None, False, False
    words = iter(words)
    for word in words:
        if word in ("-o", "-MF", "-MT", "-MQ", "-I", "-D", "-isystem"):
            value = next(words)
            output = value if word == "-o" else output
            named = named or word == "-MF"
            told += [word, value] if word != "-o" else []
        elif word.startswith("-isystem="):
            told += word.split("=", 1)
        elif word.startswith("-Xcompiler="):
            told += [part.strip('"') for part in word[len("-Xcompiler="):].split(",") if not part.startswith("-W")]
        elif word.startswith(("-I", "-D", "-M")):
            told.append(word)
            makes = makes or word in ("-MD", "-MMD")
        elif os.path.basename(word) in OURS:
            source = word
    if makes and not named:
        told += ["-MF", os.path.splitext(output)[0] + ".d"]
    # Without a target gcc would name one after the source.
    if makes and "-MT" not in told and "-MQ" not in told:
        told += ["-MT", output]
    return told, output, source


def main():
    real = os.environ["REBUILD_NVCC"]
    words = words_of(sys.argv[1:])
    told, output, source = preprocess(words)
    if "-c" not in words or source is None or "-dryrun" in words:
        os.execv(real, [real] + sys.argv[1:])
    with open(os.environ["REBUILD_LOG"], "a") as log:
        log.write(os.path.basename(source) + "\n")
    toolkit = os.path.dirname(os.path.dirname(os.path.realpath(real)))
    sys.exit(subprocess.run(["g++", "-E", "-x", "c++", "-D__CUDA_ARCH__=900", "-D__CUDACC__", *told, "-isystem",
                             os.path.join(toolkit, "include"), "-o", output, source]).returncode)


main()
