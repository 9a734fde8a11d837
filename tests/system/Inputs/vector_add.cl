// Written for Kernel Tuner: the parameters are macros that the tuner defines.
kernel void vector_add(global float *c, global const float *a, global const float *b, int n)
{
	for (int k = 0; k < items; k++) {
		int i = (get_group_id(0) * items + k) * block_size_x + get_local_id(0);
		if (i < n)
			c[i] = a[i] + b[i];
	}
}
