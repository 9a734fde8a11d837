/* Reductions of groups (see ../cooperative_groups.h). */
#ifndef KTUNE_COOPERATIVE_GROUPS_REDUCE_H
#define KTUNE_COOPERATIVE_GROUPS_REDUCE_H

#include <cooperative_groups.h>

#define KTUNE_OPERATION(name, expression) \
	template <class T> struct name { \
		KTUNE_G T operator()(T a, T b) const \
		{ \
			return expression; \
		} \
	};

namespace cooperative_groups
{
inline namespace __v1
{
KTUNE_OPERATION(plus, a + b)
KTUNE_OPERATION(less, b < a ? b : a)
KTUNE_OPERATION(greater, a < b ? b : a)
KTUNE_OPERATION(bit_and, a & b)
KTUNE_OPERATION(bit_or, a | b)
KTUNE_OPERATION(bit_xor, a ^ b)

template <unsigned N, unsigned M, class T, class F> KTUNE_G T reduce(const tile_of<N, M> &, T value, F operation)
{
	for (unsigned lanes = N / 2; lanes > 0; lanes /= 2)
		value = operation(value, tile_of<N, M>::shfl_xor(value, lanes));
	return value;
}
template <class T, class F> KTUNE_G T reduce(const coalesced_group &, T, F);
}
}

#undef KTUNE_OPERATION
#endif
