#!/bin/sh
# Makes FOLDER an installed tree like that of PREFIX whose ktcc-clang answers `rewrite` with the file rewrite.json beside it,
# and keeps a line of each such question in `asked`, and of each `check` in `checked`; without that file it is one that cannot rewrite.
#   program.sh PREFIX FOLDER
set -e
programs=$2/libexec/ktcc
mkdir -p "$2/bin" "$programs"
cp "$1/bin/ktcc" "$2/bin/ktcc"
for each in "$1"/*; do
	[ -e "$2/$(basename "$each")" ] || ln -s "$each" "$2/"
done
for each in "$1"/libexec/ktcc/*; do
	[ "$(basename "$each")" = ktcc-clang ] || ln -s "$each" "$programs/"
done
here=$(cd "$(dirname "$0")" && pwd)
cat > "$programs/ktcc-clang" <<SCRIPT
#!/usr/bin/env python3
import json, sys
sys.path.insert(0, "$here")
import session

def note(verb):
    if verb in ("rewrite", "check"):
        with open("$programs/" + {"rewrite": "asked", "check": "checked"}[verb], "a") as file:
            print(*sys.argv[1:], file=file)

def rewrite(ask):
    with open("$programs/rewrite.json") as file:
        return json.load(file)

session.run("$1/libexec/ktcc/ktcc-clang", rewrite, note)
SCRIPT
chmod +x "$programs/ktcc-clang"
