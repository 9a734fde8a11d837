#!/bin/sh
# A compiler in front of the real one. FAKE says what becomes of a compilation of an object; else the real one runs.
real=@REAL@
case " $* " in *" -c "*) ;; *) FAKE= ;; esac
case $FAKE in
exit:*)
	echo "says something"
	echo "complains" >&2
	exit "${FAKE#exit:}" ;;
kill:*)
	kill "-${FAKE#kill:}" $$ ;;
wait)
	# Cleans up in its own time when it is told to stop.
	trap 'sleep 0.1; rm -f "$FAKE_MARK"; exit 42' INT
	trap 'sleep 0.1; rm -f "$FAKE_MARK"; exit 43' TERM
	echo started > "$FAKE_MARK"
	while :; do sleep 0.05; done ;;
write)
	while [ "$1" != -o ]; do
		[ "$1" = -MF ] && printf 'x.o : saxpy.cu\n' > "$2"
		shift
	done
	echo object > "$2"
	exit ;;
record)
	exec python3 "$(dirname "$0")/record.py" "$FAKE_MARK" ;;
read)
	exec cat > "$FAKE_MARK" ;;
esac
exec "$real" "$@"
