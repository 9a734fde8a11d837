# order.sh KTCC NVCC OPTION...: builds order.cu with and without ktcc, and fails where the two programs print different text,
# or where no variant is launched. Leaves plain.out, and in trace what KTUNE_TRACE says with variants and without.
set -e
ktcc=$1 nvcc=$2
shift 2
"$nvcc" -w -arch=sm_90 "$@" -c order.cu -o plain.o
"$ktcc" "$nvcc" -w -arch=sm_90 "$@" -c order.cu -o tuned.o
g++ plain.o stub.o -o plain
g++ tuned.o stub.o -o tuned
./plain > plain.out
env KTUNE_TRACE=1 ./tuned > tuned.out 2> trace
grep -q 'k variant=[1-9][0-9]* original=0' trace
env KTUNE_TRACE=1 STUB_DEVICES=unknown ./tuned > original.out 2>> trace
diff plain.out tuned.out
diff plain.out original.out
