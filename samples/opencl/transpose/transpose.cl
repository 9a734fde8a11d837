// y = transpose of x: x is rows x columns, y is columns x rows.
// A work-item moves a block of BX x BY elements; LOCAL: through a tile in local memory. By default: one element.
#ifndef BX
#define BX 1
#endif
#ifndef BY
#define BY 1
#endif
#ifndef LX
#define LX 16
#endif
#ifndef LY
#define LY 16
#endif
#ifndef LOCAL
#define LOCAL 0
#endif

#define WIDTH (LX * BX)
#define HEIGHT (LY * BY)

#pragma ktune problem((rows, columns) = (1024, 1024), (1000, 1500)) in(x[rows * columns]) out(y[rows * columns]) \
	tune(BX = 1, 4, 8, 16; BY = 1, 4, 8, 16; LX = 1, 4, 16; LY = 1, 4, 16; LOCAL = 0, 1)                     \
	restriction(LX * LY <= device.max_threads_per_block)                                                     \
	restriction(LOCAL == 0 || 4 * LX * BX * (LY * BY + 1) <= device.shared_bytes_per_block)                  \
	grid(ceil_div(columns, LX * BX), ceil_div(rows, LY * BY)) local(LX, LY)
kernel void transpose(global float *restrict y, global const float *restrict x, int rows, int columns)
{
	const int lx = get_local_id(0), ly = get_local_id(1);
	const int left = get_group_id(0) * WIDTH, top = get_group_id(1) * HEIGHT;
#if LOCAL
	local float tile[WIDTH * (HEIGHT + 1)];
	for (int j = ly; j < HEIGHT; j += LY) {
		for (int i = lx; i < WIDTH; i += LX) {
			if (top + j < rows && left + i < columns)
				tile[i * (HEIGHT + 1) + j] = x[(size_t)(top + j) * columns + left + i];
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	// Neighbours write neighbours: the work-group is numbered along the columns of x now.
	for (int k = ly * LX + lx; k < WIDTH * HEIGHT; k += LX * LY) {
		const int i = k / HEIGHT, j = k % HEIGHT;
		if (top + j < rows && left + i < columns)
			y[(size_t)(left + i) * rows + top + j] = tile[i * (HEIGHT + 1) + j];
	}
#else
	const int x0 = left + lx * BX, y0 = top + ly * BY;
#pragma unroll
	for (int i = 0; i < BX; i++) {
#pragma unroll
		for (int j = 0; j < BY; j++) {
			if (y0 + j < rows && x0 + i < columns)
				y[(size_t)(x0 + i) * rows + y0 + j] = x[(size_t)(y0 + j) * columns + x0 + i];
		}
	}
#endif
}
