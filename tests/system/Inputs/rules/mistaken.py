"""Gives the tree FOLDER (program.sh) a ktcc-clang whose rules are wrong where VEC is 2 and write no OpenCL C where it
   is 4; with "all" they are wrong everywhere, with "late" only on a check that a search does not run.
   mistaken.py PREFIX FOLDER [all|late]"""
import os
import sys

prefix, folder = sys.argv[1:3]
named, mistake = {"all": (r"\bgelu\(", "1 + gelu("), "late": (r"\bgelu\(", "(d == 1025) + gelu("),
                  "": (r"gelu\(x_pack", "${if VEC == 4}missing${end}gelu(${if VEC == 2}1 + ${end}x_pack")}[
                      "".join(sys.argv[3:])]
path = os.path.join(folder, "libexec", "ktcc", "ktcc-clang")
here = os.path.dirname(os.path.abspath(__file__))
with open(path, "w") as out:
    out.write(f"""#!/usr/bin/env python3
import re, sys
sys.path.insert(0, {here!r})
import session

def rewrite(ask):
    answer = ask()
    for made in answer["templates"]:
        made["body"] = re.sub({named!r}, {mistake!r}, made["body"])
        assert {mistake!r} in made["body"]
    return answer

session.run("{prefix}/libexec/ktcc/ktcc-clang", rewrite)
""")
os.chmod(path, 0o755)
