/*
 * Cooperative groups as the kernel IR sees them: this folder replaces the toolkit's headers while kernels are lowered, and in
 * the certificate of what was lowered. Each function has in plain CUDA the body of the toolkit's. Groups have no data: the
 * threads of a tile follow from the thread index. What has no body here cannot be analysed.
 * Public names and meaning: CUDA C++ Programming Guide, "Cooperative Groups".
 */
#ifndef KTUNE_COOPERATIVE_GROUPS_H
#define KTUNE_COOPERATIVE_GROUPS_H

#define KTUNE_G inline __device__
#define KTUNE_HERE (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))
#define KTUNE_ALL (blockDim.x * blockDim.y * blockDim.z)

namespace cooperative_groups
{
inline namespace __v1
{
/* Where the toolkit's return dim3: of that only the members are understood. */
struct thread_block {
	static KTUNE_G void sync()
	{
		__syncthreads();
	}
	static KTUNE_G unsigned thread_rank()
	{
		return KTUNE_HERE;
	}
	static KTUNE_G unsigned size()
	{
		return KTUNE_ALL;
	}
	static KTUNE_G unsigned num_threads()
	{
		return KTUNE_ALL;
	}
	static KTUNE_G uint3 group_index()
	{
		return make_uint3(blockIdx.x, blockIdx.y, blockIdx.z);
	}
	static KTUNE_G uint3 thread_index()
	{
		return make_uint3(threadIdx.x, threadIdx.y, threadIdx.z);
	}
	static KTUNE_G uint3 group_dim()
	{
		return make_uint3(blockDim.x, blockDim.y, blockDim.z);
	}
	static KTUNE_G uint3 dim_threads()
	{
		return make_uint3(blockDim.x, blockDim.y, blockDim.z);
	}
	static KTUNE_G bool is_valid()
	{
		return true;
	}
};

/* All threads of the launch. Waiting for them is not understood. */
struct grid_group {
	KTUNE_G void sync() const;
	KTUNE_G bool is_valid() const;
	static KTUNE_G unsigned long long block_rank()
	{
		return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	}
	static KTUNE_G unsigned long long num_blocks()
	{
		return (unsigned long long)gridDim.x * (gridDim.y * gridDim.z);
	}
	static KTUNE_G unsigned long long thread_rank()
	{
		return block_rank() * KTUNE_ALL + KTUNE_HERE;
	}
	static KTUNE_G unsigned long long num_threads()
	{
		return num_blocks() * KTUNE_ALL;
	}
	static KTUNE_G unsigned long long size()
	{
		return num_threads();
	}
	static KTUNE_G uint3 group_dim()
	{
		return make_uint3(gridDim.x, gridDim.y, gridDim.z);
	}
	static KTUNE_G uint3 dim_blocks()
	{
		return make_uint3(gridDim.x, gridDim.y, gridDim.z);
	}
	static KTUNE_G uint3 block_index()
	{
		return make_uint3(blockIdx.x, blockIdx.y, blockIdx.z);
	}
};

/* N threads of a warp; M: those of the tile that it is a part of, 0: it is a part of the block. */
template <unsigned N, unsigned M> struct tile_of {
	static KTUNE_G unsigned thread_rank()
	{
		return KTUNE_HERE % N;
	}
	static KTUNE_G unsigned meta_group_rank()
	{
		return (M == 0 ? KTUNE_HERE : KTUNE_HERE % (M == 0 ? 1 : M)) / N;
	}
	static KTUNE_G unsigned meta_group_size()
	{
		return M == 0 ? (KTUNE_ALL + N - 1) / N : M / N;
	}
	static KTUNE_G unsigned size()
	{
		return N;
	}
	static KTUNE_G unsigned num_threads()
	{
		return N;
	}
	static KTUNE_G void sync()
	{
		__syncwarp(mask());
	}
	template <class T> static KTUNE_G T shfl(T value, int lane)
	{
		return __shfl_sync(mask(), value, lane, N);
	}
	template <class T> static KTUNE_G T shfl_down(T value, unsigned delta)
	{
		return __shfl_down_sync(mask(), value, delta, N);
	}
	template <class T> static KTUNE_G T shfl_up(T value, int delta)
	{
		return __shfl_up_sync(mask(), value, delta, N);
	}
	template <class T> static KTUNE_G T shfl_xor(T value, unsigned lanes)
	{
		return __shfl_xor_sync(mask(), value, lanes, N);
	}
	static KTUNE_G int any(int predicate)
	{
		return (__ballot_sync(mask(), predicate) & mask()) != 0;
	}
	static KTUNE_G int all(int predicate)
	{
		return (__ballot_sync(mask(), predicate) & mask()) == mask();
	}
	static KTUNE_G unsigned ballot(int predicate)
	{
		return (__ballot_sync(mask(), predicate) & mask()) >> shift();
	}
	template <class T> static KTUNE_G unsigned match_any(T value);
	template <class T> static KTUNE_G unsigned match_all(T value, int &predicate);

private:
	static KTUNE_G unsigned shift()
	{
		return N == 32 ? 0 : KTUNE_HERE % 32 / N * N;
	}
	static KTUNE_G unsigned mask()
	{
		return N == 32 ? 0xffffffffu : ((1u << N % 32) - 1) << shift();
	}
};

template <class P> struct threads_of {
	enum { value = 0 };
};
template <unsigned N, unsigned M> struct threads_of<tile_of<N, M>> {
	enum { value = N };
};
template <unsigned N, class P = void> using thread_block_tile = tile_of<N, threads_of<P>::value>;

KTUNE_G thread_block this_thread_block()
{
	return thread_block();
}
KTUNE_G grid_group this_grid()
{
	return grid_group();
}
template <unsigned N> KTUNE_G tile_of<N, 0> tiled_partition(const thread_block &)
{
	return tile_of<N, 0>();
}
template <unsigned N, unsigned M, unsigned O> KTUNE_G tile_of<N, M> tiled_partition(const tile_of<M, O> &)
{
	return tile_of<N, M>();
}
template <class G> KTUNE_G void sync(const G &group)
{
	group.sync();
}
template <class G> KTUNE_G unsigned thread_rank(const G &group)
{
	return group.thread_rank();
}
template <class G> KTUNE_G unsigned group_size(const G &group)
{
	return group.size();
}

/* ---- Groups that are not understood */

struct thread_group {
	KTUNE_G void sync() const;
	KTUNE_G unsigned long long size() const;
	KTUNE_G unsigned long long num_threads() const;
	KTUNE_G unsigned long long thread_rank() const;
	KTUNE_G bool is_valid() const;
};
struct coalesced_group {
	KTUNE_G void sync() const;
	KTUNE_G unsigned size() const;
	KTUNE_G unsigned num_threads() const;
	KTUNE_G unsigned thread_rank() const;
	KTUNE_G unsigned meta_group_size() const;
	KTUNE_G unsigned meta_group_rank() const;
	template <class T> KTUNE_G T shfl(T value, int lane) const;
	template <class T> KTUNE_G T shfl_down(T value, int delta) const;
	template <class T> KTUNE_G T shfl_up(T value, int delta) const;
	KTUNE_G int any(int predicate) const;
	KTUNE_G int all(int predicate) const;
	KTUNE_G unsigned ballot(int predicate) const;
	template <class T> KTUNE_G unsigned match_any(T value) const;
};
struct cluster_group {
	static KTUNE_G void sync();
	static KTUNE_G void barrier_arrive();
	static KTUNE_G void barrier_wait();
	static KTUNE_G unsigned size();
	static KTUNE_G unsigned num_threads();
	static KTUNE_G unsigned thread_rank();
	static KTUNE_G unsigned block_rank();
	static KTUNE_G unsigned num_blocks();
	static KTUNE_G dim3 block_index();
	static KTUNE_G dim3 dim_blocks();
	template <class T> static KTUNE_G T *map_shared_rank(T *address, int rank);
	static KTUNE_G unsigned query_shared_rank(const void *address);
};
KTUNE_G cluster_group this_cluster();
KTUNE_G coalesced_group coalesced_threads();
KTUNE_G thread_group tiled_partition(const thread_block &, unsigned);
template <class G, class L> KTUNE_G coalesced_group labeled_partition(const G &, L);
template <class G> KTUNE_G coalesced_group binary_partition(const G &, bool);
}
}

#endif
