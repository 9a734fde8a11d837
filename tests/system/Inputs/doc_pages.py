"""The command blocks of documentation pages: each has a label under it, and those that are run in CI are run here.

  doc_pages.py DOCS FOLDER FEATURE… -- PAGE…

A block with a title is a file. A block of sh with the label "Run in CI" is run in a folder with the files of its page, in the
order of the page; "Run in CI where an OpenCL device is" needs the feature opencl. A label that names a test or a script
names one that exists. Ends with "N blocks run, N not".
"""
import os
import re
import subprocess
import sys

BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```\n\s*(?:\*((?:Run|Not run)[^*]*)\*)?', re.M | re.S)
COMMANDS = {"sh", "cmake", "ini"}
LABEL = re.compile(r"Run in CI(?: where an OpenCL device is)?\.$|Run (?:in CI: |by )`[\w./-]+`\.$|"
                   r"Not run(?: in CI| here)?: .*\.$", re.S)


def fail(page, what):
    sys.exit(f"FAIL {page}: {what}")


def run_block(page, folder, text):
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", text], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        fail(page, f"{text}\n{done.stdout}{done.stderr}")


def check_label(page, root, text, label):
    if not label or not LABEL.match(label):
        fail(page, f"no label under the block, or {label!r}:\n{text}")
    for name in re.findall(r"`((?:script|tests|samples)/[\w./-]+)`", label):
        if not os.path.exists(os.path.join(root, name)):
            fail(page, f"{label!r} names {name}, which is not there")


def main():
    docs, folder = sys.argv[1:3]
    cut = sys.argv.index("--")
    features, pages = sys.argv[3:cut], sys.argv[cut + 1:]
    ran = left = 0
    for page in pages:
        here = os.path.join(folder, page.replace("/", "-"))
        os.makedirs(here)
        with open(os.path.join(docs, page), encoding="utf-8") as file:
            blocks = [match.groups() for match in BLOCK.finditer(file.read())]
        for _, title, text, _ in blocks:
            if title:
                with open(os.path.join(here, title), "w", encoding="utf-8") as file:
                    file.write(text)
        for language, title, text, label in blocks:
            if title or language not in COMMANDS:
                continue
            check_label(page, os.path.dirname(docs), text, label)
            runs = language == "sh" and label.startswith("Run in CI") and "`" not in label
            if runs and ("OpenCL" not in label or "opencl" in features):
                run_block(page, here, text)
                ran += 1
            else:
                left += 1
    print(f"{ran} blocks run, {left} not")


main()
