#!/bin/bash
# Device symbols through the whole product: each wrong form of symbols.cu is rejected for what is wrong with it, the right
# ones are accepted; what is tuned and built works on the symbols of the program.
#
#   symbols.sh PREFIX
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
ktcc=$(cd "${1:?usage: symbols.sh PREFIX}" && pwd)/bin/ktcc
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/ktune.lock"
export KTUNE_LOCK_DIR=$work/ktune.lock KTUNE_CACHE_DIR=$work/cache PATH=$PATH:$(dirname "$nvcc")
cp "$here/symbols.cu" "$work"
cd "$work"
failed=0

form() { # form NUMBER VERDICT PROBLEM DETAIL: patterns of the row that is not right
	"$ktcc" verify --json --configuration "FORM=$1" symbols.cu -- -arch=sm_90 > "form$1.json" 2> "form$1.err" || true
	python3 - "form$1.json" "$2" "$3" "$4" <<-'END' || { failed=1; cat "form$1.err"; }
		import json, re, sys
		name, verdict, problem, detail = sys.argv[1:]
		result = json.load(open(name))[0]
		rows = result["rows"]
		wrong = [row for row in rows if row["verdict"] not in ("ok", "skipped")]
		shared = [row["problem"] for row in rows if "alias=" in row["problem"] and row["verdict"] != "skipped"]
		first = wrong[0] if wrong else {"problem": "", "detail": ""}
		print(name, result["verdict"], first["problem"], first.get("detail"), len(rows), "rows", shared)
		good = result["verdict"] == verdict and re.search(problem, first["problem"]) and re.search(detail, first.get("detail") or "")
		if verdict == "ok":
		    # An argument led into each symbol that may be written, and nothing moved a symbol.
		    good = good and any("alias=y:shift" in p for p in shared) and any("alias=x:kept" in p for p in shared)
		    good = good and not any(re.search("offset=(gains|shift|kept)", row["problem"]) for row in rows)
		sys.exit(not good)
	END
}

form 0 ok '' ''
form 1 out-of-bounds '' 'past the end of kept'
form 2 wrong-answer 'alias=y:shift' ''
form 3 wrong-answer '' 'input shift was changed'
form 4 wrong-answer '' 'kept'
form 5 ok '' ''

"$nvcc" -arch=sm_90 symbols.cu -o plain
./plain > plain.out
KTUNE_BUDGET=20 "$ktcc" "$nvcc" -arch=sm_90 -c symbols.cu -o symbols.o
"$nvcc" -arch=sm_90 symbols.o -o tuned
KTUNE_TRACE=1 ./tuned > tuned.out 2> tuned.err
cat plain.out tuned.err
diff plain.out tuned.out || failed=1
# Whatever won, it is one of those that are right.
! grep -hE '"FORM": *[1234]' ktune.lock/*/*.json || failed=1
exit $failed
