#!/bin/sh
# Makes FOLDER an installed tree like that of PREFIX whose rules write other text for the same kernels: a statement more.
#   changed.sh PREFIX FOLDER
set -e
sh "$(dirname "$0")/program.sh" "$1" "$2"
here=$(cd "$(dirname "$0")" && pwd)
cat > "$2/libexec/ktcc/ktcc-clang" <<SCRIPT
#!/usr/bin/env python3
import sys
sys.path.insert(0, "$here")
import session

def rewrite(ask):
    answer = ask()
    for each in answer["templates"]:
        each["body"] = each["body"].rstrip()[:-1] + "\tdo {\n\t} while (0);\n}"
    return answer

session.run("$1/libexec/ktcc/ktcc-clang", rewrite)
SCRIPT
