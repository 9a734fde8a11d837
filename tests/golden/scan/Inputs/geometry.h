#ifndef GEOMETRY_H
#define GEOMETRY_H
#include <algorithm>
typedef long index_type;
namespace helper {
constexpr int threads = 192;
template <typename T> inline T round_up(T a, T b) { return (a + b - 1) / b; }
inline int capped(const int n, const int each)
{
	int wanted = (n + each - 1) / each;
	const int most = 4096;
	return std::min(wanted, most);
}
inline int at_least_one(int n)
{
	if (n < 1)
		return 1;
	return n;
}
}
#endif
