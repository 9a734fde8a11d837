#include <ktune/ktune.h>
#line 1 "k.cu"
namespace ops {
namespace {
constexpr unsigned TILE = 16;
template <typename T> __device__ static inline T half_of(T v)
{
	return v / (TILE / 8);
}

static __global__ void halve(float *__restrict__ y, int rows)
{
	__shared__ float t[TILE];
	t[threadIdx.x % TILE] = half_of(y[threadIdx.x]);
	y[threadIdx.x] = t[threadIdx.x % TILE] + rows;
}
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC diagnostic ignored "-Wredundant-decls"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wunused-local-typedefs"
#endif
#if defined(__NVCC_DIAG_PRAGMA_SUPPORT__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 39, 61, 62, 63, 68, 111, 128, 174, 177, 179, 186, 237, 550
#endif
template <typename T> static __device__        inline T ktune_v_a4ffb2346900380c_halve_f0(T v)
{
	return v / (decltype(TILE){8} / 8);
}
#line 9 "k.cu"
KTUNE_GENERATED static        __global__ void ktune_v_a4ffb2346900380c_halve(float *__restrict__ y, int rows)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 900
#line 10 "k.cu"
{
	__shared__ float t[decltype(TILE){8}];
	t[threadIdx.x % decltype(TILE){8}] = ktune_v_a4ffb2346900380c_halve_f0(y[threadIdx.x]);
	y[threadIdx.x] = t[threadIdx.x % decltype(TILE){8}] + rows;
}
#else
{
	__trap();
}
#endif
#line 14 "k.cu"
KTUNE_GENERATED static inline void ktune_t_f74540c4d69cfedc(::ktune::outcome_ ktune_why)
{
	static ::ktune::counters_ ktune_c = {"halve", {{0}}};

	if (!KTUNE_EXPECT(!::ktune::tracing_())) {
		static const ::ktune::report_ ktune_r(ktune_c);

		static_cast<void>(ktune_r);
		::ktune::count_(ktune_c, ktune_why);
	}
}
KTUNE_GENERATED static inline void ktune_n_f74540c4d69cfedc(::ktune::outcome_ ktune_why, int ktune_failed, const long long *ktune_values)
{
	static const char *const ktune_names[] = {"count"};
	static const ::ktune::condition_ ktune_guards[] = {{"aligned(y, 16)", false}, {"rows >= 0 && rows < count * 5", true}};
	static ::ktune::sizes_ ktune_s = {"halve", 1, ktune_names, ktune_guards, 0, 0, 0, nullptr};
	static const ::ktune::sizes_report_ ktune_r(ktune_s);

	static_cast<void>(ktune_r);
	::ktune::note_(ktune_s, ktune_why, ktune_failed, ktune_values);
}
KTUNE_GENERATED KTUNE_RARE static ::ktune::timings_ &ktune_z_f74540c4d69cfedc()
{
	static const char *const ktune_names[] = {"count"};
	static const char *const ktune_variants[] = {"TILE=8"};
	static ::ktune::timings_ ktune_z = {"halve", 1, ktune_names, ktune_variants, 0, 0, nullptr};
	static const ::ktune::timings_report_ ktune_r(ktune_z);

	static_cast<void>(ktune_r);
	return ktune_z;
}
template <typename ktune_T0, typename ktune_T1> KTUNE_GENERATED static inline ::ktune::outcome_ ktune_r_f74540c4d69cfedc(const void *ktune_k, const ::ktune::launch_ &ktune_at, const ::ktune::binding_ &ktune_b0, ktune_T0 &ktune_a0, ktune_T1 &ktune_a1)
{
	::ktune::outcome_ ktune_why = ::ktune::outcome_absent_;
	int ktune_device = KTUNE_UNASKED, ktune_failed = -1;
	bool ktune_f = false;

	const long long ktune_v0 = ktune_b0.get_(ktune_f);
	if (!KTUNE_EXPECT(!ktune_f))
		return ::ktune::outcome_problem_;
	{
		static ::ktune::answers_ ktune_known;
		static const ::ktune::identity_ ktune_tuned = {"NVIDIA H200", 90, 132, 6016, 62914560LL};
		const unsigned long long ktune_word = ::ktune::ask_(ktune_known, ktune_device, ktune_tuned,
		    ::ktune::address_(&ktune_v_a4ffb2346900380c_halve), false);
		::ktune::outcome_ ktune_now = ::ktune::outcome_of_(ktune_word);

		if (KTUNE_EXPECT(ktune_now == ::ktune::outcome_variant_)) {
			ktune_f = false;
			if (!KTUNE_EXPECT(true &&
			      ::ktune::holds_(::ktune::aligned_(ktune_f, (ktune_a0), 16LL) != 0, ktune_failed, 0) &&
			      ::ktune::holds_(((static_cast<long long>(::ktune::value_(ktune_f, ktune_a1)) >= 0LL) && (static_cast<long long>(::ktune::value_(ktune_f, ktune_a1)) < ::ktune::mul_(ktune_f, static_cast<long long>(ktune_v0), 5LL))) != 0, ktune_failed, 1)))
				ktune_now = ::ktune::outcome_guard_;
			else if (!::ktune::geometry_(static_cast<long long>(ktune_v0), 1LL, 1LL, 16LL, 1LL, 1LL, 0LL).is_(ktune_at))
				ktune_now = ::ktune::outcome_geometry_;
			else {
				const ::ktune::geometry_ ktune_g(static_cast<long long>(ktune_v0), 1LL, 1LL, 8LL, 1LL, 1LL, 0LL);
				::ktune::turn_ *ktune_u = nullptr;

				if (!KTUNE_EXPECT(!ktune_f && ktune_g.legal_(ktune_word)))
					ktune_now = ::ktune::outcome_problem_;
				else if (!::ktune::launchable_(ktune_g))
					ktune_now = ::ktune::outcome_error_;
				else if (!KTUNE_EXPECT((ktune_word & KTUNE_QUIET) != 0) && ::ktune::timing_() &&
					 ::ktune::has_turn_(ktune_u, ktune_z_f74540c4d69cfedc(), 0, ktune_at.stream_, ktune_v0)) {
					::ktune::enqueue_original_(ktune_k, ktune_at, ktune_a0, ktune_a1);
					::ktune::end_turn_(ktune_u, ktune_z_f74540c4d69cfedc(), ktune_at.stream_);
					return ::ktune::outcome_turn_;
				}
				else {
					::ktune::enqueue_(::ktune::address_(&ktune_v_a4ffb2346900380c_halve), ktune_g, ktune_at.stream_, ktune_a0, ktune_a1);
					if (!::ktune::refused_(ktune_known, ktune_g)) {
						if (!KTUNE_EXPECT(ktune_u == nullptr))
							::ktune::end_turn_(ktune_u, ktune_z_f74540c4d69cfedc(), ktune_at.stream_);
						return ::ktune::launched_(ktune_word);
					}
					ktune_now = ::ktune::outcome_error_;
				}
			}
		}
		ktune_why = ::ktune::further_(ktune_why, ktune_now);
	}
	if (!KTUNE_EXPECT(!::ktune::tracing_())) {
		const long long ktune_values[] = {ktune_v0, 0LL};

		ktune_n_f74540c4d69cfedc(ktune_why, ktune_failed, ktune_values);
	}
	return ktune_why;
}
KTUNE_GENERATED static inline void ktune_d_f74540c4d69cfedc_halve(const ::ktune::launch_ &ktune_at, const ::ktune::binding_ &ktune_b0, float *__restrict ktune_a0, int ktune_a1)
{
	const void *const ktune_k = ::ktune::address_(static_cast<void (*)(float *__restrict, int)>(&halve));
	const ::ktune::outcome_ ktune_why = ktune_r_f74540c4d69cfedc(ktune_k, ktune_at, ktune_b0, ktune_a0, ktune_a1);

	if (KTUNE_EXPECT(ktune_why == ::ktune::outcome_uncounted_))
		return;
	ktune_t_f74540c4d69cfedc(ktune_why);
	if (ktune_why < ::ktune::outcome_variant_)
		::ktune::enqueue_original_(ktune_k, ktune_at, ktune_a0, ktune_a1);
}
#if defined(__NVCC_DIAG_PRAGMA_SUPPORT__)
#pragma nv_diagnostic pop
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#line 14 "k.cu"

}
void run(float *y, unsigned long count)
{
	ktune_d_f74540c4d69cfedc_halve(::ktune::launch_(
	dim3(count, 1), TILE
	), ::ktune::binding_(count), 
y,
	3);
}
}
