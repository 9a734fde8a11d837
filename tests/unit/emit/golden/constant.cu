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
template <typename T> static __device__        inline T ktune_v_e8958776e0fd349f_halve_f0(T v)
{
	return v / (decltype(TILE){8} / 8);
}
#line 9 "k.cu"
KTUNE_GENERATED static        __global__ void ktune_v_e8958776e0fd349f_halve(float *__restrict__ y, int rows)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 900
#line 10 "k.cu"
{
	__shared__ float t[decltype(TILE){8}];
	t[threadIdx.x % decltype(TILE){8}] = ktune_v_e8958776e0fd349f_halve_f0(y[threadIdx.x]);
	y[threadIdx.x] = t[threadIdx.x % decltype(TILE){8}] + rows;
}
#else
{
	__trap();
}
#endif
#line 14 "k.cu"
#pragma push_macro("min")
#undef min
#pragma push_macro("max")
#undef max
#pragma push_macro("div")
#undef div
#pragma push_macro("rem")
#undef rem
KTUNE_GENERATED static inline void ktune_t_66cc461f35311528(::ktune::outcome ktune_why)
{
	static ::ktune::counters ktune_c = {"halve", {{0}}};

	if (!KTUNE_EXPECT(!::ktune::tracing())) {
		static const ::ktune::report ktune_r(ktune_c);

		static_cast<void>(ktune_r);
		::ktune::count(ktune_c, ktune_why);
	}
}
KTUNE_GENERATED static inline void ktune_n_66cc461f35311528(::ktune::outcome ktune_why, int ktune_failed, const long long *ktune_values)
{
	static const char *const ktune_names[] = {"count"};
	static const ::ktune::condition ktune_guards[] = {{"aligned(y, 16)", false}, {"rows >= 0 && rows < count * 5", true}};
	static ::ktune::sizes ktune_s = {"halve", 1, ktune_names, ktune_guards, 0, 0, 0, nullptr};
	static const ::ktune::sizes_report ktune_r(ktune_s);

	static_cast<void>(ktune_r);
	::ktune::note(ktune_s, ktune_why, ktune_failed, ktune_values);
}
KTUNE_GENERATED KTUNE_RARE static ::ktune::timings &ktune_z_66cc461f35311528()
{
	static const char *const ktune_names[] = {"count"};
	static const char *const ktune_variants[] = {"TILE=8"};
	static ::ktune::timings ktune_z = {"halve", 1, ktune_names, ktune_variants, 0, 0, nullptr};
	static const ::ktune::timings_report ktune_r(ktune_z);

	static_cast<void>(ktune_r);
	return ktune_z;
}
template <typename ktune_T0, typename ktune_T1> KTUNE_GENERATED static inline ::ktune::outcome ktune_r_66cc461f35311528(const void *ktune_k, const ::ktune::launch &ktune_at, const ::ktune::binding &ktune_b0, ktune_T0 &ktune_a0, ktune_T1 &ktune_a1)
{
	::ktune::outcome ktune_why = ::ktune::outcome_absent;
	int ktune_device = KTUNE_UNASKED, ktune_failed = -1;
	bool ktune_f = false;

	const long long ktune_v0 = ktune_b0.get(ktune_f);
	if (!KTUNE_EXPECT(!ktune_f))
		return ::ktune::outcome_problem;
	{
		static ::ktune::answers ktune_known;
		static const ::ktune::identity ktune_tuned = {"NVIDIA H200", 90, 132, 6016, 62914560LL};
		const unsigned long long ktune_word = ::ktune::ask(ktune_known, ktune_device, ktune_tuned,
		    ::ktune::address(&ktune_v_e8958776e0fd349f_halve), false);
		::ktune::outcome ktune_now = ::ktune::outcome_of(ktune_word);

		if (KTUNE_EXPECT(ktune_now == ::ktune::outcome_variant)) {
			ktune_f = false;
			if (!KTUNE_EXPECT(true &&
			      ::ktune::holds(::ktune::aligned(ktune_f, (ktune_a0), 16LL) != 0, ktune_failed, 0) &&
			      ::ktune::holds(((static_cast<long long>(::ktune::value(ktune_f, ktune_a1)) >= 0LL) && (static_cast<long long>(::ktune::value(ktune_f, ktune_a1)) < ::ktune::mul(ktune_f, static_cast<long long>(ktune_v0), 5LL))) != 0, ktune_failed, 1)))
				ktune_now = ::ktune::outcome_guard;
			else if (!::ktune::geometry(static_cast<long long>(ktune_v0), 1LL, 1LL, 16LL, 1LL, 1LL, 0LL).is(ktune_at))
				ktune_now = ::ktune::outcome_geometry;
			else {
				const ::ktune::geometry ktune_g(static_cast<long long>(ktune_v0), 1LL, 1LL, 8LL, 1LL, 1LL, 0LL);
				::ktune::turn *ktune_u = nullptr;

				if (!KTUNE_EXPECT(!ktune_f && ktune_g.legal(ktune_word)))
					ktune_now = ::ktune::outcome_problem;
				else if (!::ktune::launchable(ktune_g))
					ktune_now = ::ktune::outcome_error;
				else if (!KTUNE_EXPECT((ktune_word & KTUNE_QUIET) != 0) && ::ktune::timing() &&
					 ::ktune::has_turn(ktune_u, ktune_z_66cc461f35311528(), 0, ktune_at.stream, ktune_v0)) {
					::ktune::enqueue_original(ktune_k, ktune_at, ktune_a0, ktune_a1);
					::ktune::end_turn(ktune_u, ktune_z_66cc461f35311528(), ktune_at.stream);
					return ::ktune::outcome_turn;
				}
				else {
					::ktune::enqueue(::ktune::address(&ktune_v_e8958776e0fd349f_halve), ktune_g, ktune_at.stream, ktune_a0, ktune_a1);
					if (!::ktune::refused(ktune_known, ktune_g)) {
						if (!KTUNE_EXPECT(ktune_u == nullptr))
							::ktune::end_turn(ktune_u, ktune_z_66cc461f35311528(), ktune_at.stream);
						return ::ktune::launched(ktune_word);
					}
					ktune_now = ::ktune::outcome_error;
				}
			}
		}
		ktune_why = ::ktune::further(ktune_why, ktune_now);
	}
	if (!KTUNE_EXPECT(!::ktune::tracing())) {
		const long long ktune_values[] = {ktune_v0, 0LL};

		ktune_n_66cc461f35311528(ktune_why, ktune_failed, ktune_values);
	}
	return ktune_why;
}
KTUNE_GENERATED static inline void ktune_d_66cc461f35311528_halve(const ::ktune::launch &ktune_at, const ::ktune::binding &ktune_b0, float *__restrict ktune_a0, int ktune_a1)
{
	const void *const ktune_k = ::ktune::address(static_cast<void (*)(float *__restrict, int)>(&halve));
	const ::ktune::outcome ktune_why = ktune_r_66cc461f35311528(ktune_k, ktune_at, ktune_b0, ktune_a0, ktune_a1);

	if (KTUNE_EXPECT(ktune_why == ::ktune::outcome_uncounted))
		return;
	ktune_t_66cc461f35311528(ktune_why);
	if (ktune_why < ::ktune::outcome_variant)
		::ktune::enqueue_original(ktune_k, ktune_at, ktune_a0, ktune_a1);
}
#pragma pop_macro("min")
#pragma pop_macro("max")
#pragma pop_macro("div")
#pragma pop_macro("rem")
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
	ktune_d_66cc461f35311528_halve(::ktune::launch(
	dim3(count, 1), TILE
	), ::ktune::binding(count), 
y,
	3);
}
}
