#!/bin/sh
# stable.sh FOLDER SCAN…: each change of the inputs, and whether the closure may change with it.
folder=$1; shift
inputs=$(cd "$(dirname "$0")" && pwd)
bad=0
try() { # try same|other WHAT FILE EXPRESSION
	rm -rf "$folder/changed" && mkdir -p "$folder/changed/deeper" && cp "$inputs"/stable.* "$folder/changed/deeper"
	sed -i "$4" "$folder/changed/deeper/$3"
	cmp -s "$inputs/$3" "$folder/changed/deeper/$3" && echo "nothing changed: $2" && bad=1
	now=$($scan "$folder/changed/deeper/stable.cu" -- -std=c++17 | grep -o '"closure":"[0-9a-f]*"')
	if [ -z "$now" ]; then echo "no closure: $2"; bad=1
	elif [ "$1" = same ] && [ "$now" != "$first" ]; then echo "changed by $2"; bad=1
	elif [ "$1" = other ] && [ "$now" = "$first" ]; then echo "not changed by $2"; bad=1
	fi
}
scan=$*
mkdir -p "$folder/first" && cp "$inputs"/stable.* "$folder/first"
first=$($scan "$folder/first/stable.cu" -- -std=c++17 | grep -o '"closure":"[0-9a-f]*"')
[ -n "$first" ] || exit 1
try same "a comment" stable.cu 's|// field|/* another comment */|'
try same "formatting" stable.cu 's|^{$|\t{\n|; s|y\[0\] = |y [ 0 ]=|'
try same "a line in front" stable.cu '1i // text\n'
try same "an unused function" stable.cu 's|float unused(float a) { return a; }|float renamed(float b) { return -b; }|'
try same "an unused macro" stable.cu 's|UNUSED 1|UNUSED 2|'
try same "another header" stable.cu '1i #include <cstdint>'
try same "an unused function of a header" stable.h 's|a \* 13|a * 17|'
try same "the host's code" stable.cu 's|run(float \*y, int n) {|run(float *y, int n) { n += 1;|'
try same "an operator of a type that nothing uses" stable.h 's|r.width \* 31|r.width * 37|'
try same "a member of a type that nothing uses" stable.h 's|width \* 29|width * 41|'
try other "an operator of a type that the kernel uses" stable.h 's|r.b + 23|r.b + 25|'
try other "a member defined outside of its class" stable.h 's|a + b + 17|a + b + 19|'
try other "a helper" stable.cu 's|a \* 2; }|a * 4; }|'
try other "a helper of a helper in a header" stable.h 's|a \* 11|a * 19|'
try other "a macro inside a macro" stable.cu 's|FACTOR 2|FACTOR 4|'
try other "a macro's body" stable.cu 's|((a) \* FACTOR)|((a) + FACTOR)|'
try other "a field's type" stable.cu 's|int width|short width|'
try other "an enumerator" stable.cu 's|FAST = 2|FAST = 3|'
try other "an alias" stable.cu 's|using real = float|using real = double|'
try other "a constant" stable.cu 's|PAD = 3|PAD = 5|'
try other "constant data" stable.cu 's|{1, 2}|{1, 3}|'
try other "an operator of a class template" stable.cu 's|a + 5|a + 6|'
try other "the kernel" stable.cu 's|s = {PAD}|s = {PAD + 1}|'
exit $bad
