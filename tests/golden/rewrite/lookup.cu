// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A row's number that is read from memory is the same for a group that lies in one row: it is read once, in front.
// CHECK: template of 0
// CHECK: strategy hoist
// CHECK: {{\(?d\)?}} % ${VEC} == 0
// CHECK: const pack_f32 table_pack = *reinterpret_cast<const pack_f32 *>(table + ((long long)d * token[{{\(?group_row\)?}}] + {{\(?group_column\)?}}));
// CHECK: out_pack.item[lane] = table_pack.item[lane];
#pragma ktune problem((tokens, d) = (64, 1024)) in(table[1000 * d], token[tokens] : range(0, 999)) out(out[tokens * d])
__global__ void gather(float *__restrict__ out, const float *__restrict__ table, const int *__restrict__ token, int tokens,
                       int d)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < tokens * d) {
		int row = i / d;
		out[i] = table[token[row] * d + i % d];
	}
}
// One that is kept in a local of its own, and where the row is written.
// CHECK: template of 1
// CHECK: sums_pack
// CHECK: *reinterpret_cast<pack_f32 *>(sums + ((long long)d * place[{{\(?group_row\)?}}] + {{\(?group_column\)?}})) = sums_pack;
#pragma ktune problem((tokens, d) = (64, 1024)) in(x[tokens * d], place[tokens] : iota) inout(sums[tokens * d])
__global__ void scatter(float *__restrict__ sums, const float *__restrict__ x, const int *__restrict__ place, int tokens,
                        int d)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < tokens * d; i += gridDim.x * blockDim.x) {
		int to = place[i / d];
		sums[to * d + i % d] = x[i];
	}
}
// A place of each element's own is followed by nobody.
// CHECK: template of 2
// CHECK-NOT: table_pack
// CHECK: 'table[order[i]]' is not contiguous here: its index depends on data or moves unevenly
#pragma ktune problem(n = 65536) in(table[n], order[n] : range(0, 65535)) out(out[n])
__global__ void permute(float *__restrict__ out, const float *__restrict__ table, const int *__restrict__ order, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		out[i] = table[order[i]];
}
void run(float *out, const float *table, const int *token, int tokens, int d, int n)
{
	gather<<<(tokens * d + 255) / 256, 256>>>(out, table, token, tokens, d);
	scatter<<<1024, 256>>>(out, table, token, tokens, d);
	permute<<<1024, 256>>>(out, table, token, n);
}
