#include <ktune/ktune.h>
#line 1 "k.cu"
#define V 1
namespace ops {
struct pair { int a, b; };
template <typename T = float, typename = void> __global__ void fill(T *y, pair p = {1, 2}, long n = 4);
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
template <typename T = float, typename ktune_t1 = void> KTUNE_GENERATED static inline void ktune_d_02f7644dfb2c2481_fill(const ::ktune::launch_ &ktune_at, T * ktune_a0, pair ktune_a1 = {1, 2}, long ktune_a2 = 4);
#if defined(__NVCC_DIAG_PRAGMA_SUPPORT__)
#pragma nv_diagnostic pop
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#line 4 "k.cu"

void early(float *y)
{
	ktune_d_02f7644dfb2c2481_fill(::ktune::launch_(4, 32), y);
}

template <typename T, typename> __global__ void fill(T *y, pair p, long n)
{
	for (int i = 0; i < V; i++)
		y[i] = p.a + n;
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
#pragma push_macro("V")
#undef V
#define V 2
#line 10 "k.cu"
template <typename T, typename> KTUNE_GENERATED static __global__ void ktune_v_601e50cc1df8655e_fill(T *y, pair p, long n)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 900
#line 11 "k.cu"
{
	for (int i = 0; i < V; i++)
		y[i] = p.a + n;
}
#else
{
	__trap();
}
#endif
#pragma pop_macro("V")
#line 14 "k.cu"
KTUNE_GENERATED static inline void ktune_t_02f7644dfb2c2481(::ktune::outcome_ ktune_why)
{
	static ::ktune::counters_ ktune_c = {"fill", {{0}}};

	if (!KTUNE_EXPECT(!::ktune::tracing_())) {
		static const ::ktune::report_ ktune_r(ktune_c);

		static_cast<void>(ktune_r);
		::ktune::count_(ktune_c, ktune_why);
	}
}
KTUNE_GENERATED static inline void ktune_n_02f7644dfb2c2481(::ktune::outcome_ ktune_why, int ktune_failed, const long long *ktune_values)
{
	static const char *const ktune_names[] = {"n"};
	static const ::ktune::condition_ ktune_guards[] = {{"", false}};
	static ::ktune::sizes_ ktune_s = {"fill", 1, ktune_names, ktune_guards, 0, 0, 0, nullptr};
	static const ::ktune::sizes_report_ ktune_r(ktune_s);

	static_cast<void>(ktune_r);
	::ktune::note_(ktune_s, ktune_why, ktune_failed, ktune_values);
}
KTUNE_GENERATED KTUNE_RARE static ::ktune::timings_ &ktune_z_02f7644dfb2c2481()
{
	static const char *const ktune_names[] = {"n"};
	static const char *const ktune_variants[] = {"V=2"};
	static ::ktune::timings_ ktune_z = {"fill", 1, ktune_names, ktune_variants, 0, 0, nullptr};
	static const ::ktune::timings_report_ ktune_r(ktune_z);

	static_cast<void>(ktune_r);
	return ktune_z;
}
namespace
{
template <typename T, typename ktune_t1> struct ktune_i_02f7644dfb2c2481 {
template <typename... ktune_A> KTUNE_GENERATED static inline ::ktune::outcome_ run_(const ktune_A &...)
{
	return ::ktune::outcome_absent_;
}
};
template <> struct ktune_i_02f7644dfb2c2481<float, void> {
KTUNE_GENERATED static inline void ktune_named()
{
	static_cast<void>(::ktune::address_(&ktune_v_601e50cc1df8655e_fill<float, void>));
}
template <typename ktune_T0, typename ktune_T1, typename ktune_T2> KTUNE_GENERATED static inline ::ktune::outcome_ run_(const void *ktune_k, const ::ktune::launch_ &ktune_at, ktune_T0 &ktune_a0, ktune_T1 &ktune_a1, ktune_T2 &ktune_a2)
{
	::ktune::outcome_ ktune_why = ::ktune::outcome_absent_;
	int ktune_device = KTUNE_UNASKED, ktune_failed = -1;
	bool ktune_f = false;

	const long long ktune_v0 = ::ktune::value_(ktune_f, ktune_a2);
	if (!KTUNE_EXPECT(!ktune_f))
		return ::ktune::outcome_problem_;
	{
		static ::ktune::answers_ ktune_known;
		static const ::ktune::identity_ ktune_tuned = {"NVIDIA H200", 90, 132, 6016, 62914560LL};
		const unsigned long long ktune_word = ::ktune::ask_(ktune_known, ktune_device, ktune_tuned,
		    ::ktune::address_(&ktune_v_601e50cc1df8655e_fill<float, void>), false);
		::ktune::outcome_ ktune_now = ::ktune::outcome_of_(ktune_word);

		if (KTUNE_EXPECT(ktune_now == ::ktune::outcome_variant_)) {
			ktune_f = false;
			if (!KTUNE_EXPECT(true))
				ktune_now = ::ktune::outcome_guard_;
			else if (!::ktune::geometry_(static_cast<long long>(ktune_v0), 1LL, 1LL, 32LL, 1LL, 1LL, 0LL).is_(ktune_at))
				ktune_now = ::ktune::outcome_geometry_;
			else {
				const ::ktune::geometry_ ktune_g(static_cast<long long>(ktune_v0), 1LL, 1LL, 32LL, 1LL, 1LL, 0LL);
				::ktune::turn_ *ktune_u = nullptr;

				if (!KTUNE_EXPECT(!ktune_f && ktune_g.legal_(ktune_word)))
					ktune_now = ::ktune::outcome_problem_;
				else if (!::ktune::launchable_(ktune_g))
					ktune_now = ::ktune::outcome_error_;
				else if (!KTUNE_EXPECT((ktune_word & KTUNE_QUIET) != 0) && ::ktune::timing_() &&
					 ::ktune::has_turn_(ktune_u, ktune_z_02f7644dfb2c2481(), 0, ktune_at.stream_, ktune_v0)) {
					::ktune::enqueue_original_(ktune_k, ktune_at, ktune_a0, ktune_a1, ktune_a2);
					::ktune::end_turn_(ktune_u, ktune_z_02f7644dfb2c2481(), ktune_at.stream_);
					return ::ktune::outcome_turn_;
				}
				else {
					::ktune::enqueue_(::ktune::address_(&ktune_v_601e50cc1df8655e_fill<float, void>), ktune_g, ktune_at.stream_, ktune_a0, ktune_a1, ktune_a2);
					if (!::ktune::refused_(ktune_known, ktune_g)) {
						if (!KTUNE_EXPECT(ktune_u == nullptr))
							::ktune::end_turn_(ktune_u, ktune_z_02f7644dfb2c2481(), ktune_at.stream_);
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

		ktune_n_02f7644dfb2c2481(ktune_why, ktune_failed, ktune_values);
	}
	return ktune_why;
}
};
}
template <typename T, typename ktune_t1> KTUNE_GENERATED static inline void ktune_d_02f7644dfb2c2481_fill(const ::ktune::launch_ &ktune_at, T * ktune_a0, pair ktune_a1, long ktune_a2)
{
	const void *const ktune_k = ::ktune::address_(static_cast<void (*)(T *, pair, long)>(&fill<T, ktune_t1>));
	const ::ktune::outcome_ ktune_why = ktune_i_02f7644dfb2c2481<T, ktune_t1>::run_(ktune_k, ktune_at, ktune_a0, ktune_a1, ktune_a2);

	if (KTUNE_EXPECT(ktune_why == ::ktune::outcome_uncounted_))
		return;
	ktune_t_02f7644dfb2c2481(ktune_why);
	if (ktune_why < ::ktune::outcome_variant_)
		::ktune::enqueue_original_(ktune_k, ktune_at, ktune_a0, ktune_a1, ktune_a2);
}
#if defined(__NVCC_DIAG_PRAGMA_SUPPORT__)
#pragma nv_diagnostic pop
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#line 14 "k.cu"

void late(float *y)
{
	ktune_d_02f7644dfb2c2481_fill<float>(::ktune::launch_(dim3(4), 32, 0), y, pair{3, 4}, 4);
}
}
