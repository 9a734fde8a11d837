#!/usr/bin/env python3
"""Makes FOLDER an installed tree like that of PREFIX whose ktcc-clang goes wrong in one way.

  program.py PREFIX FOLDER differs   what it lowers adds where the kernel multiplies
  program.py PREFIX FOLDER broken    what it lowers does not compile
  program.py PREFIX FOLDER dies      it ends at the first request for the text of a configuration with bounds"""
import os
import sys

prefix, folder, mode = sys.argv[1:]
here = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "rules")
programs = os.path.join(folder, "libexec", "ktcc")
os.makedirs(programs)
os.makedirs(os.path.join(folder, "bin"))
for name in os.listdir(prefix):
    if name not in ("bin", "libexec"):
        os.symlink(os.path.join(prefix, name), os.path.join(folder, name))
for name in os.listdir(os.path.join(prefix, "libexec", "ktcc")):
    if name != "ktcc-clang":
        os.symlink(os.path.join(prefix, "libexec", "ktcc", name), os.path.join(programs, name))
with open(os.path.join(prefix, "bin", "ktcc"), "rb") as source, open(os.path.join(folder, "bin", "ktcc"), "wb") as copy:
    copy.write(source.read())
os.chmod(os.path.join(folder, "bin", "ktcc"), 0o755)
with open(os.path.join(programs, "ktcc-clang"), "w") as script:
    script.write(f"""#!/usr/bin/env python3
import sys
sys.path.insert(0, {here!r})
import session

def specialise(answer):
    if {mode!r} == "dies" and "__launch_bounds__" in answer["head"]:
        sys.exit(3)
    if {mode!r} == "differs":
        answer["body"] = answer["body"].replace(" * ", " + ")
    if {mode!r} == "broken":
        answer["body"] = answer["body"].replace(";", "", 1)
    return answer

session.run({os.path.join(prefix, "libexec", "ktcc", "ktcc-clang")!r}, change={{"specialise": specialise}})
""")
os.chmod(os.path.join(programs, "ktcc-clang"), 0o755)
