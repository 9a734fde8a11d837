struct __half {
	short bits;
	__device__ __half twice() const { return {short(2 * bits)}; }
};
