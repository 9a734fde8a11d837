#ifndef THIRD_BUFFER_HPP
#define THIRD_BUFFER_HPP
#include <new>
#include <string>
namespace third {
struct Buffer {
	std::string name;
	void *data;
	Buffer() { if (cudaMalloc(&data, 16) != cudaSuccess) throw std::bad_alloc(); }
};
}
#endif
