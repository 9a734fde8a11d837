"""Writes a project of N copies of one region, each a source of its own, and one of them built into two objects.

usage: copies.py SOURCES FOLDER N
"""
import os
import re
import sys

sources, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.makedirs(folder, exist_ok=True)
with open(os.path.join(sources, "saxpy.cu")) as file:
    text = file.read()
names = [f"copy {number}.cu" for number in range(count)]
for number, name in enumerate(names):
    with open(os.path.join(folder, name), "w") as out:
        out.write(text.replace("run_saxpy", f"run_saxpy_{number}"))
with open(os.path.join(sources, "saxpy.h")) as file, open(os.path.join(folder, "saxpy.h"), "w") as out:
    out.write(file.read())
with open(os.path.join(folder, "build.ninja"), "w") as out:
    out.write("rule nvcc\n  command = $launcher nvcc -arch=sm_90 $stage -MD -MF $out.d $in -o $out\n"
              "  depfile = $out.d\n  deps = gcc\ninclude launcher.ninja\n")
    for name in names:
        escaped = name.replace(" ", "$ ")
        out.write(f"build out/{re.sub(' ', '_', name)}.o: nvcc {escaped}\n  stage = -cubin\n")
    out.write("build out/again.o: nvcc copy$ 0.cu\n  stage = -c\n")
with open(os.path.join(folder, "Makefile"), "w") as out:
    out.write("NVCC = nvcc\nall: make/a.o make/b.o\nmake/a.o: copy\\ 1.cu\n"
              "\t+$(NVCC) -arch=sm_90 -MMD -MP -MF make/a.d -MT $@ -cubin '$<' -o $@\nmake/b.o: copy\\ 2.cu\n"
              "\t+$(NVCC) -arch=sm_90 -MD -MT $@ -cubin '$<' -o $@ -MF make/b.d\n"
              "-include make/a.d make/b.d\n")
