#!/usr/bin/env python3
"""docs/security.md against the tests that it names: security_page.py ROOT.

Each row of a table with a column "test" names tests in it: functions of the module that the column's title or the
paragraph before names (…: any ending), or files, or `file: function`. Each construct of the check's table has a folder
of replies, or a test in its row. Each path and each section that is named anywhere on the page exists."""
import fnmatch
import glob
import os
import re
import sys

ROOT = sys.argv[1]
PAGE = os.path.join(ROOT, "docs", "security.md")
CODE = re.compile(r"`([^`]+)`")
mistakes, named, used = [], 0, set()


def attacks_of(path):
    """Names of the attacks that a module adds, as the harness knows them once it is imported."""
    folder, file = os.path.split(os.path.join(ROOT, path))
    module = file[:-3]
    if folder not in sys.path:
        sys.path.insert(0, folder)
    if not os.path.exists(os.path.join(folder, file)):
        return []
    __import__(module)
    import harness
    return [function.__name__ for function, *_ in harness.ATTACKS if function.__module__ == module]


def functions_of(path):
    with open(os.path.join(ROOT, path), errors="replace") as file:
        return [a or b for a, b in re.findall(r"^def (\w+)|^static void (\w+)", file.read(), re.MULTILINE)]


def check_name(line, name, module):
    """One test that a row names."""
    global named
    named += 1
    if name.startswith("tests/"):
        path, _, function = name.partition(": ")
        if not os.path.exists(os.path.join(ROOT, path)):
            mistakes.append(f"{line}: no file {path}")
        elif function and not fnmatch.filter(functions_of(path), function.replace("…", "*")):
            mistakes.append(f"{line}: {path} has no '{function}'")
        return
    if module is None:
        mistakes.append(f"{line}: no file is named for '{name}'")
        return
    found = fnmatch.filter(attacks_of(module), name.replace("…", "*"))
    used.update(found)
    if not found:
        mistakes.append(f"{line}: {module} has no '{name}'")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def check_page(lines):
    module = None
    column = None
    constructs = False
    for number, line in enumerate(lines, 1):
        for path in re.findall(r"`((?:tests|docs|ktcc|clang_tools)/[\w/.*-]+)`", line):
            if not glob.glob(os.path.join(ROOT, path)):
                mistakes.append(f"{number}: no file {path}")
        for target in re.findall(r"\]\((?!http)([\w./-]+)", line):
            if not os.path.exists(os.path.join(ROOT, "docs", target)):
                mistakes.append(f"{number}: no page {target}")
        modules_here = re.findall(r"`(tests/system/Inputs/attacks/\w+\.py)`", line)
        if modules_here:
            module = modules_here[0]
        if not line.startswith("|"):
            column, constructs = None, False
            continue
        row = cells(line)
        if column is None and not constructs:
            titles = [index for index, title in enumerate(row) if title.startswith("test")]
            constructs = row[0] == "construct"
            column = titles[0] if titles else None
            continue
        if set(line) <= set("| -"):
            continue
        if constructs:
            for name in CODE.findall(row[0]):
                if re.fullmatch(r"[a-z-]+", name) and not glob.glob(os.path.join(ROOT, "tests/corpus/replies", name, "*")):
                    mistakes.append(f"{number}: no reply in tests/corpus/replies/{name}")
        elif column is not None:
            tests = CODE.findall(row[column]) if column < len(row) else []
            for name in tests:
                check_name(number, name, module)
            if not tests:
                mistakes.append(f"{number}: a row without a test")


def check_sections(text):
    """The overview says in which sections its lines are shown."""
    headings = set(re.findall(r"^#+ (.*)$", text, re.MULTILINE))
    table = re.search(r"^\| +\| can \|.*?\n\n", text, re.MULTILINE | re.DOTALL)
    for line in table.group(0).splitlines()[2:]:
        for section in cells(line)[-1].split(", ") if line.startswith("|") else []:
            if section not in headings:
                mistakes.append(f"no section '{section}'")


with open(PAGE) as page:
    text = page.read()
check_page(text.splitlines())
check_sections(text)
for mistake in mistakes:
    print("docs/security.md:", mistake)
print(f"{named} tests named, {len(used)} attacks, {len(mistakes)} mistakes")
# A page whose tables are no longer read has no mistakes either.
sys.exit(1 if mistakes or named < 40 or len(used) < 60 else 0)
