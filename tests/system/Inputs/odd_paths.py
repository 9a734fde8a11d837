"""Compiles a source under strange names with a compiler alone and with ktcc in front of it, and compares.

usage: odd_paths.py KTCC NVCC SOURCES LOCK FOLDER NAME…

SOURCES holds saxpy.cu and saxpy.h; NAME is the path of a source below FOLDER, with python's escapes for bytes. Prints
what differs in exit code, messages or depfile. A line "NAME: specialised", "NAME: as written" or "NAME: the compiler
fails" for each.
"""
import os
import re
import shutil
import subprocess
import sys


def words(path):
    """A depfile's names with their escapes as they stand."""
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        text = file.read().replace(b"\\\n", b" ")
    return re.findall(rb"(?:\\.|[^\s\\])+", text)


def compile_one(command, folder):
    for name in (b"out/x.o", b"out/x.d"):
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    done = subprocess.run(command, cwd=folder, capture_output=True)
    errors = re.sub(rb"tmpxft_[-\w]+", b"tmpxft", done.stderr)
    return done.returncode, done.stdout, errors, words(os.path.join(folder, b"out/x.d"))


def main():
    ktcc, nvcc, sources, lock, folder, *names = sys.argv[1:]
    os.environ["KTUNE_LOCK_DIR"] = lock
    os.environ["KTUNE_MODE"] = "cached"
    for name in names:
        path = name.encode().decode("unicode_escape").encode("latin-1")
        place = os.path.join(folder.encode(), os.path.dirname(path))
        os.makedirs(os.path.join(place, b"out"), exist_ok=True)
        base = os.path.basename(path)
        shutil.copy(os.path.join(sources, "saxpy.cu"), os.path.join(place, base))
        shutil.copy(os.path.join(sources, "saxpy.h"), os.path.join(place, b"saxpy.h"))
        given = b"./" + base if base.startswith(b"-") else base
        # The host compiler's part takes longest, and reads these names once.
        stage = "-c" if name == names[0] else "-cubin"
        command = [nvcc, "-arch=sm_90", "-MD", "-MF", "out/x.d", stage, given, "-o", "out/x.o"]
        plain = compile_one(command, place)
        first = compile_one([ktcc, *command], place)
        known = compile_one([ktcc, *command], place)
        copy = os.path.join(place, b"out/x.o.ktune", base)
        # Where the name is no text every "#line" that repeats it is one more warning of the compiler's.
        if b"\xff" in path:
            plain, first, known = ((*each[:2], b"", *each[3:]) for each in (plain, first, known))
        for when, found in (("first", first), ("again", known)):
            if found[:3] != plain[:3]:
                print(f"{name}: {when}: {plain[:3]} without ktcc, {found[:3]} with it")
            if plain[0] != 0:
                continue
            # Of ktcc's own: the stamp, the lock folder, what ktune.h includes. "./" and an escaped "#" name the same
            # file.
            have, wanted = ({word.removeprefix(b"./").replace(b"\\#", b"#") for word in each[3]}
                            for each in (found, plain))
            missing = sorted(wanted - have)
            more = [word for word in have - wanted if not word.startswith(b"/")]
            if missing or more or any(word.endswith(b".ktune/" + base) for word in have):
                print(f"{name}: {when}: the depfile lacks {missing[:5]} and has {more[:5]}")
        print(f"{name}:", "the compiler fails" if plain[0] != 0 else "specialised" if os.path.exists(copy)
              else "as written")


main()
