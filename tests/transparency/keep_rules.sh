#!/bin/sh
# Called as `ninja` by a build that writes its ninja file itself, PyTorch's for
# one: appends the commands to $KEEP_RULES (for transparency.py rules:FILE) and
# makes each object an empty one instead of building.
{ echo "# in $PWD" && "${KEEP_RULES_NINJA:-/usr/bin/ninja}" -t commands; } >>"$KEEP_RULES"
"${KEEP_RULES_NINJA:-/usr/bin/ninja}" -t targets all | sed -n 's/: \(cuda_\)\{0,1\}compile$//p' | while read -r object; do
	mkdir -p "$(dirname "$object")" && echo "" | cc -x c -c -o "$object" -
done
