// The declaration of header_defaults' kernel, with its default arguments.
#pragma once
namespace ops
{
template <typename T = float> __global__ void k(T *y, int n = 1000, T a = T(2));
}
