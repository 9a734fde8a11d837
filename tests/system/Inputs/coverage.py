"""Lists what gcov's notes hold: each function's file and line, and the lines that are counted of each file.

usage: coverage.py FOLDER NOTES
"""
import json
import re
import subprocess
import sys

done = subprocess.run(["gcov", "-i", "-t", "-o", sys.argv[1], sys.argv[2]], capture_output=True, text=True)
for file in json.loads(done.stdout)["files"]:
    # A temporary file's name holds the process's number; what stands in that one is nvcc's.
    if "tmpxft_" in file["file"]:
        continue
    for function in file["functions"]:
        # nvcc counts functions of its own in front of the source's first line.
        if not function["name"].startswith("_ZL37__nv_save_fatbinhandle"):
            print(file["file"], re.sub(r"tmpxft_\w+", "", function["name"]), function["start_line"])
    for line in sorted({line["line_number"] for line in file["lines"]} - {1}):
        print(file["file"], line)
