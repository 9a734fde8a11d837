#!/bin/sh
# Makes FOLDER an installed tree like that of PREFIX whose rules write other text for the same kernels: a statement more.
#   changed.sh PREFIX FOLDER
set -e
sh "$(dirname "$0")/program.sh" "$1" "$2"
cat > "$2/libexec/ktcc/ktcc-clang" <<SCRIPT
#!/bin/sh
[ "\$1" = rewrite ] || exec "$1/libexec/ktcc/ktcc-clang" "\$@"
"$1/libexec/ktcc/ktcc-clang" "\$@" | python3 -c '
import json, sys
answer = json.load(sys.stdin)
for each in answer["templates"]:
    each["body"] = each["body"].rstrip()[:-1] + "\tdo {\n\t} while (0);\n}"
json.dump(answer, sys.stdout)'
SCRIPT
