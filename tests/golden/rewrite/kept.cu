// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// RUN: python3 %S/Inputs/emulate.py --configs 12 --shapes 2 --with TURNS %ktcc-clang %toolkit %s | %FileCheck --check-prefix=SAME %s
// SAME: kept.cu {{[1-9][0-9]*}} same
// What a loop keeps in registers is what a later one stores there, also where that one does not load it. Nothing is kept
// where something else of the row writes the elements.
// CHECK: template of 0 0
// CHECK-COUNT-3: &y_pack = y_pack_kept[turn];
// CHECK: template of 1 0
// CHECK-COUNT-3: &ids_pack = ids_pack_kept[turn];
// CHECK-NOT: _kept[
// CHECK: template of 2 0
// CHECK-NOT: _kept[
// CHECK: template of 3 0
// CHECK-NOT: _kept[
#pragma ktune problem(rows = 16, 4096; d = 1024, 50000) in(x[rows * d]) out(y[rows * d])
__global__ void scaled(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float part[128];
	float most = -3.4e38f, total = 0;
	for (int i = threadIdx.x; i < d; i += 128)
		y[(size_t)blockIdx.x * d + i] = x[(size_t)blockIdx.x * d + i] * 0.5f;
	for (int i = threadIdx.x; i < d; i += 128)
		most = fmaxf(most, y[(size_t)blockIdx.x * d + i]);
	part[threadIdx.x] = most;
	__syncthreads();
	for (int half = 64; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
		__syncthreads();
	}
	most = part[0];
	__syncthreads();
	for (int i = threadIdx.x; i < d; i += 128) {
		const float e = expf(x[(size_t)blockIdx.x * d + i] * 0.5f - most);
		y[(size_t)blockIdx.x * d + i] = e;
		total += e;
	}
	part[threadIdx.x] = total;
	__syncthreads();
	for (int half = 64; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	total = part[0];
	__syncthreads();
	for (int i = threadIdx.x; i < d; i += 128)
		y[(size_t)blockIdx.x * d + i] = y[(size_t)blockIdx.x * d + i] / total;
}
void run0(float *__restrict__ y, const float *__restrict__ x, int rows, int d) { scaled<<<rows, 128>>>(y, x, d); }
#pragma ktune problem(rows = 16, 4096; d = 1024, 50000) inout(ids[rows * d]) in(x[rows * d]) out(y[rows])
__global__ void clamped(int *__restrict__ ids, float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float part[128];
	float total = 0;
	for (int i = threadIdx.x; i < d; i += 128)
		total += ids[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = total;
	__syncthreads();
	for (int half = 64; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	total = part[0];
	__syncthreads();
	for (int i = threadIdx.x; i < d; i += 128)
		ids[(size_t)blockIdx.x * d + i] = x[(size_t)blockIdx.x * d + i] > 0 ? 1 : -1;
	for (int i = threadIdx.x; i < d; i += 128)
		ids[(size_t)blockIdx.x * d + i] = max(ids[(size_t)blockIdx.x * d + i], 0);
	if (threadIdx.x == 0)
		y[blockIdx.x] = total;
}
void run1(int *__restrict__ ids, float *__restrict__ y, const float *__restrict__ x, int rows, int d) { clamped<<<rows, 128>>>(ids, y, x, d); }
#pragma ktune problem(rows = 16, 4096; d = 1024, 50000) inout(x[rows * d]) out(y[rows * d])
__global__ void once(float *__restrict__ y, float *__restrict__ x, int d)
{
	__shared__ float part[128];
	float total = 0;
	for (int i = threadIdx.x; i < d; i += 128)
		total += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = total;
	__syncthreads();
	for (int half = 64; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	total = part[0];
	__syncthreads();
	if (threadIdx.x == 0)
		x[(size_t)blockIdx.x * d] = 5;
	__syncthreads();
	for (int i = threadIdx.x; i < d; i += 128)
		y[(size_t)blockIdx.x * d + i] = x[(size_t)blockIdx.x * d + i] / total;
}
void run2(float *__restrict__ y, float *__restrict__ x, int rows, int d) { once<<<rows, 128>>>(y, x, d); }
#pragma ktune problem(rows = 16, 4096; d = 1024, 50000) inout(x[rows * d]) out(y[rows * d])
__global__ void elsewhere(float *__restrict__ y, float *__restrict__ x, int d)
{
	__shared__ float part[128];
	float total = 0;
	for (int i = threadIdx.x; i < d; i += 128)
		total += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = total;
	__syncthreads();
	for (int half = 64; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	total = part[0];
	__syncthreads();
	for (int i = threadIdx.x; i < d; i += 128)
		if (i % 3 == 0)
			x[(size_t)blockIdx.x * d + i] = total;
	for (int i = threadIdx.x; i < d; i += 128)
		y[(size_t)blockIdx.x * d + i] = x[(size_t)blockIdx.x * d + i] / total;
}
void run3(float *__restrict__ y, float *__restrict__ x, int rows, int d) { elsewhere<<<rows, 128>>>(y, x, d); }
