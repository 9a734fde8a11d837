#include <algorithm>
#include <iostream>
#include <vector>

using std::vector;
using namespace std;

static vector<float> history;

template <typename T>
static void print(const vector<T> &values)
{
	for (const T &value : values)
		cout << value << endl;
}

struct Options {
	string name;
	int n;
};

#define BLOCK 128

#pragma ktune problem(n = 65536, 1048576) in(in[n]) out(out[n]) tune(BLOCK = 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void absolute(float *out, const float *in, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		out[i] = max(in[i], -in[i]);
}

int main(int argc, char **argv)
{
	vector<float> x(1 << 16);
	print(x);
	return 0;
}

void run(float *out, const float *in, int n)
{
	absolute<<<(n + 127) / 128, 128>>>(out, in, n);
}
