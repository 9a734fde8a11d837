// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | %FileCheck %s
// Extents that a class keeps in its members: from its constructor's list, from the only function that writes them, by default.
// CHECK: "kernel":"k",{{.*}}"decline":null
// CHECK: "grid":["(n + 128 - 1) / 128"],"block":["128"]
// CHECK: "grid":["(n + 64 - 1) / 64"],"block":["64"]
// CHECK: "grid":["(n + 255) / 256","2"],"block":["32","8"]
// Of limits of the device, for which the constructor asks.
// CHECK: "grid":["device.multiprocessors * 4"],"block":["48"]
// Written by two functions, number by number, from outside; members of two classes with one name.
// CHECK: "grid":[],"block":["96"]
// CHECK: "grid":[],"block":["160"]
// CHECK: "grid":[],"block":["192"]
// CHECK: "grid":[],"block":["224"]
#define CHECKED(call) do { if ((call) != cudaSuccess) throw 1; } while (0)
#pragma ktune problem(n = 8) out(y[n])
__global__ void k(float *y, int n)
{
	y[0] = n;
}
class Listed {
	int n_;
	dim3 grid_, block_ = 128;
	float *y_ = nullptr;

      public:
	explicit Listed(int count) : n_(count), grid_((count + 128 - 1) / 128) {}
	void run() const { k<<<grid_, block_>>>(y_, n_); }
};
struct Assigned {
	static constexpr int threads = 64;
	int size = 0, blocks = 0;
	float *y = nullptr;
	void resize(int n)
	{
		size = n;
		this->blocks = (n + threads - 1) / threads;
	}
	void run() { k<<<blocks, threads>>>(y, size); }
};
struct Both {
	int length;
	dim3 many, few{32, 8};
	Both(int n) : length{n}, many{(unsigned)(n + 255) / 256, 2} {}
	void run(float *y) { k<<<many, few>>>(y, length); }
};
struct Asked {
	int resident, given;
	Asked(int n, int device) : given(n)
	{
		cudaDeviceProp properties;
		CHECKED(cudaGetDeviceProperties(&properties, device));
		resident = properties.multiProcessorCount * 4;
	}
	void run(float *y) { k<<<resident, 48>>>(y, given); }
};
struct Twice {
	int total, halves;
	Twice(int n) : total(n), halves(n / 2) {}
	void grow() { halves = total; }
	void run(float *y) { k<<<halves, 96>>>(y, total); }
};
struct Numbers {
	dim3 single;
	int all;
	void set(int n) { all = n, single.x = n; }
	void run(float *y) { k<<<single, 160>>>(y, all); }
};
struct Outside {
	int number, open;
	void run(float *y) { k<<<open, 192>>>(y, number); }
};
struct First {
	int same;
};
struct Second {
	int same, other;
	Second(int n) : same(n / 2), other(n) {}
	void run(float *y, First f) { k<<<same, 224>>>(y, other + 0 * f.same); }
};
void use(float *y, int n)
{
	Outside o;
	o.open = n;
	o.run(y);
}
