"""words.py KTUNE_H HEADER OPTIONS: macros of the words that ktune.h's names consist of, in a header and as options.

Words that system headers, the toolkit's or the program use are no macros in any program: they are left out.
"""
import re
import subprocess
import sys


def words(text):
    return set(re.findall(r"[A-Za-z_]\w*", text))


def main():
    text = re.sub(r"/\*.*?\*/|\"(\\.|[^\"\\])*\"", "", open(sys.argv[1]).read(), flags=re.S)
    text = re.sub(r"^\s*#.*(\\\n.*)*", "", text, flags=re.M)
    own = {word[:-1] if word.endswith("_") else word for word in words(text) if word[0].islower()}
    program = open("main.cu").read().replace("words.h", "stdio.h")
    with open("program.cu", "w") as file:
        file.write(program)
    used = words(program)
    for dump in ([], ["-Xcompiler", "-dM"]):
        used |= words(subprocess.run(["nvcc", "-std=c++17", "-E", *dump, "program.cu"], check=True, text=True,
                                     capture_output=True).stdout)
    chosen = sorted(word for word in own - used if len(word) > 1 and not word.startswith("cuda"))
    if len(chosen) < 150:
        sys.exit(f"only {len(chosen)} words")
    with open(sys.argv[2], "w") as file:
        file.writelines(f"#define {word} nothing_of_the_program\n" for word in chosen)
    with open(sys.argv[3], "w") as file:
        file.write(" ".join(f"-D{word}=nothing_of_the_program" for word in chosen) + "\n")


main()
