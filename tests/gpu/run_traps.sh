#!/bin/bash
# Builds every program of tests/gpu/traps with and without the launcher, runs both and compares.
#
#   run_traps.sh [--compile] PREFIX [TRAP...]
#
# PREFIX is an installed tree. With --compile nothing is linked or run, so that no GPU is needed. The first comments of
# a trap say what it wants:
#
#   // with: FILE          a second unit            // library: FILE   one that becomes a shared library
#   // flags: …             for nvcc, instead of -arch=sm_90 where they name one
#   // also: FLAG          the whole once more      // device: …   KTUNE_DEVICE while building
#   // entry: REGION θ     a synthetic entry of that configuration, made by make_entry.py
#   // template: FILE      its text, an answer of `ktcc-clang rewrite`
#   // expect: PATTERN     a line of KTUNE_TRACE=1  // stays: REGION   no variant of it may be emitted
set -u
export LC_ALL=C KTUNE_MODE=cached
here=$(cd "$(dirname "$0")" && pwd)
make_entry=$here/../system/Inputs/make_entry.py
present=$here/variants_present.py
compile=0
[ "${1:-}" = --compile ] && compile=1 && shift
prefix=$(cd "${1:?usage: run_traps.sh [--compile] PREFIX [TRAP...]}" && pwd) || exit 2
shift
ktcc=$prefix/bin/ktcc
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

said() { # said FILE KEY: the values of a key
	tr -d '\r' < "$1" | sed -n "1,12s|^\(\xef\xbb\xbf\)\?// $2: ||p"
}

fail() {
	echo "FAIL $name${also:+ $also}: $1"
	failed=1
}

entries() { # entries FILE FLAGS…
	local file=$1 line region words=() template=
	shift
	while read -r line; do
		region=${line%% [A-Za-z_]*=*}
		words+=("$region")
		for pair in ${line#"$region"}; do words+=("$pair"); done
	done < <(said "$file" entry)
	[ ${#words[@]} -eq 0 ] && return
	if [ "$(said "$file" template)" = rules ]; then
		template=$dir/${file%.cu}.rules
		"$prefix/libexec/ktcc/ktcc-clang" rewrite --file "$file" --toolkit "$(realpath "$(dirname "$(realpath "$nvcc")")/..")" \
			--arch 90 -- -x cuda > "$template" 2> "$template.log" || fail "no templates for $file: $(cat "$template.log")"
	fi
	python3 "$make_entry" --ktcc "$ktcc" --lock "$KTUNE_LOCK_DIR" ${template:+--rewrite "$template"} "$file" "${words[@]}" -- "$@" ||
		fail "no entries for $file"
}

build() { # one unit through the launcher, into $dir; the working directory is the traps'
	local file=$1 object=$dir/${1%.cu}.o device variants
	shift
	local flags=("${flags[@]}" "$@")
	export KTUNE_LOCK_DIR=$dir/${file%.cu}.lock KTUNE_CACHE_DIR=$dir/${file%.cu}.cache
	device=$(said "$file" device)
	[ -n "$device" ] && export KTUNE_DEVICE=$device || unset KTUNE_DEVICE
	mkdir -p "$KTUNE_LOCK_DIR"
	entries "$file" "${flags[@]}"
	"$ktcc" "$nvcc" --no-compress "${flags[@]}" -c "$file" -o "$object" > "$object.log" 2>&1 || { fail "$(cat "$object.log")"; return; }
	variants=$(cat "$object.ktune/"* 2> /dev/null | grep -c '^KTUNE_GENERATED static inline void ktune_t_')
	if [ -n "$(said "$file" expect)" ]; then
		[ "$variants" -gt 0 ] || fail "$file: no variant: $(cat "$object.log")"
		"$ktcc" cache stats --json | grep -c '"compiled-specialised": 1' > "$object.stats" || fail "$file: its emission did not compile"
		python3 "$present" "$object" > "$object.missing" || fail "$(cat "$object.missing")"
	else
		[ "$variants" -eq 0 ] || fail "$file: a variant where it should are left unmodified"
	fi
	[ -z "$(said "$file" stays)" ] || grep -q 'is left unmodified: ' "$object.log" || fail "$file: no reason is named"
}

link() { # link OUTPUT ARGUMENTS…, into $dir
	local output=$1
	shift
	"$nvcc" "${flags[@]}" "$@" -o "$dir/$output" > "$dir/link.log" 2>&1 || fail "$(cat "$dir/link.log")"
}

check() { # a trap, with one more flag in $also
	dir=$work/$name$also
	mkdir -p "$dir"
	read -ra flags <<< "$(said "$name.cu" flags) $also"
	[[ ${flags[*]-} == *gencode* ]] || flags=(-arch=sm_90 "${flags[@]}")
	files=("$name.cu" $(said "$name.cu" with))
	for file in "${files[@]}"; do build "$file"; done
	library=$(said "$name.cu" library)
	[ -z "$library" ] || build "$library" -Xcompiler=-fPIC
	[ $compile -eq 1 ] && return
	mkdir -p "$dir/plain.lib" "$dir/tuned.lib"
	if [ -n "$library" ]; then
		mv "$dir/${library%.cu}.o" "$dir/tuned.lib/"
		link plain.lib/libother.so -shared -Xcompiler=-fPIC "$library"
		link tuned.lib/libother.so -shared "$dir/tuned.lib/${library%.cu}.o"
	fi
	link plain "${files[@]}" ${library:+-L"$dir/plain.lib" -lother -Xlinker="-rpath=$dir/plain.lib"}
	link tuned "$dir"/*.o ${library:+-L"$dir/tuned.lib" -lother -Xlinker="-rpath=$dir/tuned.lib"}
	timeout 60 "$dir/plain" > "$dir/plain.out" 2> "$dir/plain.err" || fail "the plain program ends with $?"
	KTUNE_TRACE=1 timeout 60 "$dir/tuned" > "$dir/tuned.out" 2> "$dir/tuned.err" || fail "the tuned program ends with $?"
	cmp -s "$dir/plain.out" "$dir/tuned.out" || fail "$(diff "$dir/plain.out" "$dir/tuned.out")"
	for file in "${files[@]}" $library; do
		while read -r pattern; do
			grep -Eq "^ktune: $pattern" "$dir/tuned.err" || fail "no counter '$pattern': $(cat "$dir/tuned.err")"
		done < <(said "$file" expect)
	done
}

cd "$here/traps" || exit 2
all=0
[ $# -eq 0 ] && set -- $(grep -L '^// Part of' ./*.cu | sed 's|^\./||; s|\.cu$||')
for name; do
	failed=0
	also=
	check
	for also in $(said "$name.cu" also); do check; done
	also=
	[ $failed -eq 0 ] && echo "ok $name" || all=1
done
exit $all
