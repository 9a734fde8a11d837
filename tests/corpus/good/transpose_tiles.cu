/*
# Tiles in shared memory with a column more than they need.
region = "transpose"
launch.block = [16, 4]
launch.grid = ["columns / 16", "rows / 16"]
*/
KERNEL CANDIDATE(TRANSPOSE)
{
	SHARED float t[16][17];
	int column = 16 * GROUP_ID(x) + LOCAL_ID(x), row = 16 * GROUP_ID(y) + LOCAL_ID(y);
	for (int k = 0; k < 16; k += 4)
		if (row + k < rows && column < columns)
			t[LOCAL_ID(y) + k][LOCAL_ID(x)] = x[(i64)(row + k) * columns + column];
	BARRIER();
	column = 16 * GROUP_ID(x) + LOCAL_ID(y);
	row = 16 * GROUP_ID(y) + LOCAL_ID(x);
	for (int k = 0; k < 16; k += 4)
		if (row < rows && column + k < columns)
			y[(i64)(column + k) * rows + row] = t[LOCAL_ID(x)][LOCAL_ID(y) + k];
}
