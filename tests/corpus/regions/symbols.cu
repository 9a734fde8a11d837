/*
# y = x gains + shift, kept as well: three device symbols, each larger than what the clauses count of it.
backend = "cuda"
arguments = ["y", "x", "i32 n"]
buffers = ["out f32 y[n]", "in f32 x[n] uniform -1 1", "in f32 gains[16] uniform 1 2 symbol=20:_ZL11corpus_gain",
           "in f32 shift[n] uniform -1 1 symbol=4099:_ZN12_GLOBAL__N_112corpus_shiftE",
           "out f32 kept[n] symbol=4098:_ZN6corpus4keptE"]
problems = [{n = 1000}, {n = 4096}]
checks = [{n = 1}, {n = 77}, {n = 256, x = "special -1 1", shift = "special -1 1"}, {n = 4000, gains = "large"},
          {n = 512, x = "offset=4"}, {n = 512, y = "offset=4"}, {n = 320, y = "alias=shift"}, {n = 321, x = "alias=kept"}]
block = [64]
grid = ["n / bx"]
*/
#define SYMBOLS float *y, const float *x, int n
static __constant__ float corpus_gain[20];
namespace {
__device__ float corpus_shift[4099];
}
namespace corpus {
__device__ float kept[4098];
}

KERNEL ORIGINAL(SYMBOLS)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		float v = x[i] * corpus_gain[i % 16] + corpus_shift[i];
		y[i] = v;
		corpus::kept[i] = v;
	}
}
