// Part of header_nested: launches a kernel of the main file, behind it.
inline void grow_all(float *y, int n)
{
	grow<<<blocks_of(n, BLOCK), BLOCK>>>(y, n);
}
inline const char *tail_file() { return __FILE__; }
inline int tail_line() { return __LINE__; }
