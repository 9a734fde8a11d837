#!/bin/bash
# Buffers of vectors, structures and arrays through the whole product: each wrong form of elements.cu is rejected for the
# number that is wrong, the right ones are accepted; what is tuned and built gives the results of the program as written.
#
#   elements.sh PREFIX
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
ktcc=$(cd "${1:?usage: elements.sh PREFIX}" && pwd)/bin/ktcc
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/ktune.lock"
export KTUNE_LOCK_DIR=$work/ktune.lock KTUNE_CACHE_DIR=$work/cache PATH=$PATH:$(dirname "$nvcc")
cp "$here/elements.cu" "$work"
cd "$work"
failed=0

form() { # form NUMBER VERDICT DETAIL: a pattern of the row that is not right
	"$ktcc" verify --json --configuration "FORM=$1" elements.cu -- -arch=sm_90 > "form$1.json" 2> "form$1.err" || true
	python3 - "form$1.json" "$2" "$3" <<-'END' || { failed=1; cat "form$1.err"; }
		import json, re, sys
		name, verdict, detail = sys.argv[1:]
		result = json.load(open(name))[0]
		wrong = [row for row in result["rows"] if row["verdict"] not in ("ok", "skipped")]
		first = wrong[0] if wrong else {}
		print(name, result["verdict"], first.get("problem"), first.get("detail"), len(result["rows"]), "rows")
		sys.exit(not (result["verdict"] == verdict and re.search(detail, first.get("detail") or "")))
	END
}

form 0 ok ''
form 1 wrong-answer 'y: 1 wrong numbers, first at index 77 \(z\)'
form 2 wrong-answer 'e: 1 wrong numbers, first at index 77 \(to\)'
form 3 wrong-answer 'h: 1 wrong numbers, first at index 77 \(y\)'
form 4 wrong-answer 'y: 1 wrong numbers, first at index 77 \(w\)'
form 5 ok ''
form 6 out-of-bounds 'past the end of y'

"$nvcc" -arch=sm_90 elements.cu -o plain
./plain > plain.out
KTUNE_BUDGET=20 "$ktcc" "$nvcc" -arch=sm_90 -c elements.cu -o elements.o
"$nvcc" -arch=sm_90 elements.o -o tuned
./tuned > tuned.out
cat plain.out
diff plain.out tuned.out || failed=1
# Whatever won, it is one of those that are right.
! grep -hE '"FORM": *[12346]' ktune.lock/*/*.json || failed=1
exit $failed
