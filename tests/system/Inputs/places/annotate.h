#pragma once
#include <vendor.cuh>
#pragma ktune kernel(::vendor::copy) problem(n = 4096) in(x[n]) out(y[n]) tune(VENDOR_BLOCK = 128, 64) block(VENDOR_BLOCK) \
	grid(ceil_div(n, VENDOR_BLOCK))
#pragma ktune kernel(vendor::detail::add) name(vendor_add) problem(n = 4096) in(x[n]) inout(y[n])
