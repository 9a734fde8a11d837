#!/bin/sh
# Makes FOLDER a toolkit like TOOLKIT whose nvcc does each compilation of candidates once: the same text gets the same cubins.
#   memo_nvcc.sh TOOLKIT FOLDER
set -e
mkdir -p "$2/bin" "$2/memo"
for each in "$1"/*; do
	[ "${each##*/}" = bin ] || ln -s "$each" "$2/"
done
for each in "$1"/bin/*; do
	[ "${each##*/}" = nvcc ] || ln -s "$each" "$2/bin/"
done
cat > "$2/bin/nvcc" <<SCRIPT
#!/bin/sh
real="$1/bin/nvcc" memo="$2/memo"
SCRIPT
cat >> "$2/bin/nvcc" <<'SCRIPT'
out= in= words=
for word; do
	case $word in
	-o) take=yes; continue ;;
	*.cu) in=$word ;;
	esac
	[ -z "$take" ] && words="$words $(basename -- "$word")" || out=$word
	take=
done
case " $* " in *" -dryrun "*) exec "$real" "$@" ;; *" -cubin "* | *" -ptx "*) ;; *) exec "$real" "$@" ;; esac
key=$( (echo "$words"; cat "$in") | cksum | tr ' ' -)
if [ -e "$memo/$key" ]; then
	cp "$memo/$key" "$out"
	exit
fi
"$real" "$@" && cp "$out" "$memo/$key"
SCRIPT
chmod +x "$2/bin/nvcc"
