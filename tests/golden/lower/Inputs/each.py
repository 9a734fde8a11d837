"""Lowers each FILE with each library and compares with the text that is kept beside it.

   each.py A,B,... KTCC-CLANG TOOLKIT FILE..."""
import os
import re
import subprocess
import sys

libraries, program, toolkit, *files = sys.argv[1:]
differ = 0
for file in files:
    with open(file) as text:
        options, arguments = re.search(r"RUN: %lower %s (.*)-- ([^|]*)", text.read()).groups()
    with open(re.sub(r"\.cu$", ".ir", file)) as text:
        expected = text.read()
    for library in libraries.split(","):
        command = [program, "lower", "--toolkit", toolkit, *options.split(), "--file", file, "--", *arguments.split()]
        done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, KTUNE_LIBCLANG=library))
        if done.returncode != 0 or done.stdout != expected:
            differ += 1
            print(f"{file}: {library}: {done.returncode} {done.stderr}")
print(f"{len(files)} files, {differ} differ")
sys.exit(differ != 0)
