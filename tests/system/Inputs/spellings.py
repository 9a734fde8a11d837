#!/usr/bin/env python3
"""Places where the rules or ktcc-clang compare the spelling of a type or a name.

  spellings.py ROOT ALLOWED

What something is, is asked of its type or of its declaration: another spelling of the same, or the same spelling of
something else, must not change what is done. ALLOWED lists the functions that compare text nevertheless, a line each:
"file function: why". Fails where there is another one, or one of the list is gone.
"""
import glob
import os
import re
import sys

FOLDERS = ("ktcc/generation/rules", "clang_tools")
COMPARES = re.compile(r"\b(?:strcmp|strncmp|strcasecmp|strstr|strchr|strpbrk|strspn|strcspn|memcmp|kt_has_text|KT_FIND)\s*\(")
NAMED = re.compile(r"type|element\b|elements\b|spelling|spelled|canonical|declaration|(?:->|\.|\b)(?:\w*name|names|kernel|callee|function)\b",
                   re.IGNORECASE)
# Empty unless a header of the toolkit, or of the language's library, declares the function.
BY_DECLARATION = re.compile(r"(?:->|\.)known\b")


def call(text, at):
    """The call that begins there, up to its closing parenthesis."""
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == "(") - (text[end] == ")")
        if depth == 0 and text[end] == ")":
            return text[at:end + 1]
    return text[at:]


def function_at(text, at):
    begins = list(re.finditer(r"^(?:[\w*][^\n;={}]*?\b|)(\w+)\([^;{}]*\)\n\{", text[:at], re.MULTILINE))
    return begins[-1].group(1) if begins else "?"


def found(root):
    places = set()
    for folder in FOLDERS:
        for path in sorted(glob.glob(os.path.join(root, folder, "*.c"))):
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"/\*.*?\*/", lambda comment: re.sub(r"[^\n]", " ", comment.group(0)), file.read(), flags=re.DOTALL)
            for match in COMPARES.finditer(text):
                words = call(text, match.start())
                if NAMED.search(words[len(match.group(0)):]) and not BY_DECLARATION.search(words):
                    places.add(f"{os.path.relpath(path, root)} {function_at(text, match.start())}")
    return places


def main():
    root, allowed = sys.argv[1:3]
    with open(allowed, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    listed = {line.split(":", 1)[0] for line in lines}
    unexplained = [line for line in lines if not line.partition(":")[2].strip()]
    places = found(root)
    for place in sorted(places - listed):
        print(f"{place}: compares the spelling of a type or a name")
    for place in sorted(listed - places):
        print(f"{place}: is listed, and compares none")
    for line in unexplained:
        print(f"{line}: without a reason")
    sys.exit(places != listed or bool(unexplained))


if __name__ == "__main__":
    main()
