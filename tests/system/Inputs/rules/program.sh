#!/bin/sh
# Makes FOLDER an installed tree like that of PREFIX whose ktcc-clang answers `rewrite` with the file rewrite.json beside it,
# and keeps a line of each such question in `asked`, and of each start for `check` in `checked`; without that file it is one that cannot rewrite.
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
cat > "$programs/ktcc-clang" <<SCRIPT
#!/bin/sh
[ "\$1" != check ] || echo check >> "$programs/checked"
[ "\$1" = rewrite ] || exec "$1/libexec/ktcc/ktcc-clang" "\$@"
echo "\$*" >> "$programs/asked"
cat "$programs/rewrite.json"
SCRIPT
chmod +x "$programs/ktcc-clang"
