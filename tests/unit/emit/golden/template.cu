#include <ktune/ktune.h>
#line 1 "k.cu"
namespace ops {

template <typename T, int BLOCK>
__global__ void add(T *y, const T *x, T a, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = x[i] + a;
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
#line 3 "k.cu"
template <typename T, int BLOCK>
KTUNE_GENERATED static __global__ void ktune_v_0bc20171175e211e_add(T *y, const T *x, T a, int n)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 900
#line 5 "k.cu"
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = x[i] + a;
}
#else
{
	__trap();
}
#endif
#line 3 "k.cu"
template <typename T, int BLOCK>
KTUNE_GENERATED static __global__ void ktune_v_c09573d5e2a20210_add(T *y, const T *x, T a, int n)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 900
#line 5 "k.cu"
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = x[i] + a;
}
#else
{
	__trap();
}
#endif
#line 9 "k.cu"
KTUNE_GENERATED static inline void ktune_t_4374a27e53deca2a(::ktune::outcome_ ktune_why)
{
	static ::ktune::counters_ ktune_c = {"add", {{0}}};

	if (!KTUNE_EXPECT(!::ktune::tracing_())) {
		static const ::ktune::report_ ktune_r(ktune_c);

		static_cast<void>(ktune_r);
		::ktune::count_(ktune_c, ktune_why);
	}
}
KTUNE_GENERATED static inline void ktune_n_4374a27e53deca2a(::ktune::outcome_ ktune_why, int ktune_failed, const long long *ktune_values)
{
	static const char *const ktune_names[] = {"n"};
	static const ::ktune::condition_ ktune_guards[] = {{"n % BLOCK >= 0", true}};
	static ::ktune::sizes_ ktune_s = {"add", 1, ktune_names, ktune_guards, 0, 0, 0, nullptr};
	static const ::ktune::sizes_report_ ktune_r(ktune_s);

	static_cast<void>(ktune_r);
	::ktune::note_(ktune_s, ktune_why, ktune_failed, ktune_values);
}
KTUNE_GENERATED KTUNE_RARE static ::ktune::timings_ &ktune_z_4374a27e53deca2a()
{
	static const char *const ktune_names[] = {"n"};
	static const char *const ktune_variants[] = {"BLOCK=64", "BLOCK=64"};
	static ::ktune::timings_ ktune_z = {"add", 1, ktune_names, ktune_variants, 0, 0, nullptr};
	static const ::ktune::timings_report_ ktune_r(ktune_z);

	static_cast<void>(ktune_r);
	return ktune_z;
}
namespace
{
template <typename T, int BLOCK> struct ktune_i_4374a27e53deca2a {
template <typename... ktune_A> KTUNE_GENERATED static inline ::ktune::outcome_ run_(const ktune_A &...)
{
	return ::ktune::outcome_absent_;
}
};
template <> struct ktune_i_4374a27e53deca2a<float, 128> {
KTUNE_GENERATED static inline void ktune_named()
{
	static_cast<void>(::ktune::address_(&ktune_v_0bc20171175e211e_add<float, 64>));
}
template <typename ktune_T0, typename ktune_T1, typename ktune_T2, typename ktune_T3> KTUNE_GENERATED static inline ::ktune::outcome_ run_(const void *ktune_k, const ::ktune::launch_ &ktune_at, ktune_T0 &ktune_a0, ktune_T1 &ktune_a1, ktune_T2 &ktune_a2, ktune_T3 &ktune_a3)
{
	::ktune::outcome_ ktune_why = ::ktune::outcome_absent_;
	int ktune_device = KTUNE_UNASKED, ktune_failed = -1;
	bool ktune_f = false;

	const long long ktune_v0 = ::ktune::value_(ktune_f, ktune_a3);
	if (!KTUNE_EXPECT(!ktune_f))
		return ::ktune::outcome_problem_;
	{
		static ::ktune::answers_ ktune_known;
		static const ::ktune::identity_ ktune_tuned = {"NVIDIA H200", 90, 132, 6016, 62914560LL};
		const unsigned long long ktune_word = ::ktune::ask_(ktune_known, ktune_device, ktune_tuned,
		    ::ktune::address_(&ktune_v_0bc20171175e211e_add<float, 64>), false);
		::ktune::outcome_ ktune_now = ::ktune::outcome_of_(ktune_word);

		if (KTUNE_EXPECT(ktune_now == ::ktune::outcome_variant_)) {
			ktune_f = false;
			if (!KTUNE_EXPECT(true &&
			      ::ktune::holds_((::ktune::rem_(ktune_f, static_cast<long long>(ktune_v0), 64LL) >= 0LL) != 0, ktune_failed, 0)))
				ktune_now = ::ktune::outcome_guard_;
			else if (!::ktune::geometry_(::ktune::ceil_div_(ktune_f, static_cast<long long>(ktune_v0), 128LL), 1LL, 1LL, 128LL, 1LL, 1LL, 0LL).is_(ktune_at))
				ktune_now = ::ktune::outcome_geometry_;
			else {
				const ::ktune::geometry_ ktune_g(::ktune::ceil_div_(ktune_f, static_cast<long long>(ktune_v0), 64LL), 1LL, 1LL, 64LL, 1LL, 1LL, 0LL);
				::ktune::turn_ *ktune_u = nullptr;

				if (!KTUNE_EXPECT(!ktune_f && ktune_g.legal_(ktune_word)))
					ktune_now = ::ktune::outcome_problem_;
				else if (!::ktune::launchable_(ktune_g))
					ktune_now = ::ktune::outcome_error_;
				else if (!KTUNE_EXPECT((ktune_word & KTUNE_QUIET) != 0) && ::ktune::timing_() &&
					 ::ktune::has_turn_(ktune_u, ktune_z_4374a27e53deca2a(), 0, ktune_at.stream_, ktune_v0)) {
					::ktune::enqueue_original_(ktune_k, ktune_at, ktune_a0, ktune_a1, ktune_a2, ktune_a3);
					::ktune::end_turn_(ktune_u, ktune_z_4374a27e53deca2a(), ktune_at.stream_);
					return ::ktune::outcome_turn_;
				}
				else {
					::ktune::enqueue_(::ktune::address_(&ktune_v_0bc20171175e211e_add<float, 64>), ktune_g, ktune_at.stream_, ktune_a0, ktune_a1, ktune_a2, ktune_a3);
					if (!::ktune::refused_(ktune_known, ktune_g)) {
						if (!KTUNE_EXPECT(ktune_u == nullptr))
							::ktune::end_turn_(ktune_u, ktune_z_4374a27e53deca2a(), ktune_at.stream_);
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

		ktune_n_4374a27e53deca2a(ktune_why, ktune_failed, ktune_values);
	}
	return ktune_why;
}
};
template <> struct ktune_i_4374a27e53deca2a<double, 128> {
KTUNE_GENERATED static inline void ktune_named()
{
	static_cast<void>(::ktune::address_(&ktune_v_c09573d5e2a20210_add<double, 64>));
}
template <typename ktune_T0, typename ktune_T1, typename ktune_T2, typename ktune_T3> KTUNE_GENERATED static inline ::ktune::outcome_ run_(const void *ktune_k, const ::ktune::launch_ &ktune_at, ktune_T0 &ktune_a0, ktune_T1 &ktune_a1, ktune_T2 &ktune_a2, ktune_T3 &ktune_a3)
{
	::ktune::outcome_ ktune_why = ::ktune::outcome_absent_;
	int ktune_device = KTUNE_UNASKED, ktune_failed = -1;
	bool ktune_f = false;

	const long long ktune_v0 = ::ktune::value_(ktune_f, ktune_a3);
	if (!KTUNE_EXPECT(!ktune_f))
		return ::ktune::outcome_problem_;
	{
		static ::ktune::answers_ ktune_known;
		static const ::ktune::identity_ ktune_tuned = {"NVIDIA H200", 90, 132, 6016, 62914560LL};
		const unsigned long long ktune_word = ::ktune::ask_(ktune_known, ktune_device, ktune_tuned,
		    ::ktune::address_(&ktune_v_c09573d5e2a20210_add<double, 64>), false);
		::ktune::outcome_ ktune_now = ::ktune::outcome_of_(ktune_word);

		if (KTUNE_EXPECT(ktune_now == ::ktune::outcome_variant_)) {
			ktune_f = false;
			if (!KTUNE_EXPECT(true &&
			      ::ktune::holds_((::ktune::rem_(ktune_f, static_cast<long long>(ktune_v0), 64LL) >= 0LL) != 0, ktune_failed, 0)))
				ktune_now = ::ktune::outcome_guard_;
			else if (!::ktune::geometry_(::ktune::ceil_div_(ktune_f, static_cast<long long>(ktune_v0), 128LL), 1LL, 1LL, 128LL, 1LL, 1LL, 0LL).is_(ktune_at))
				ktune_now = ::ktune::outcome_geometry_;
			else {
				const ::ktune::geometry_ ktune_g(::ktune::ceil_div_(ktune_f, static_cast<long long>(ktune_v0), 64LL), 1LL, 1LL, 64LL, 1LL, 1LL, 0LL);
				::ktune::turn_ *ktune_u = nullptr;

				if (!KTUNE_EXPECT(!ktune_f && ktune_g.legal_(ktune_word)))
					ktune_now = ::ktune::outcome_problem_;
				else if (!::ktune::launchable_(ktune_g))
					ktune_now = ::ktune::outcome_error_;
				else if (!KTUNE_EXPECT((ktune_word & KTUNE_QUIET) != 0) && ::ktune::timing_() &&
					 ::ktune::has_turn_(ktune_u, ktune_z_4374a27e53deca2a(), 1, ktune_at.stream_, ktune_v0)) {
					::ktune::enqueue_original_(ktune_k, ktune_at, ktune_a0, ktune_a1, ktune_a2, ktune_a3);
					::ktune::end_turn_(ktune_u, ktune_z_4374a27e53deca2a(), ktune_at.stream_);
					return ::ktune::outcome_turn_;
				}
				else {
					::ktune::enqueue_(::ktune::address_(&ktune_v_c09573d5e2a20210_add<double, 64>), ktune_g, ktune_at.stream_, ktune_a0, ktune_a1, ktune_a2, ktune_a3);
					if (!::ktune::refused_(ktune_known, ktune_g)) {
						if (!KTUNE_EXPECT(ktune_u == nullptr))
							::ktune::end_turn_(ktune_u, ktune_z_4374a27e53deca2a(), ktune_at.stream_);
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

		ktune_n_4374a27e53deca2a(ktune_why, ktune_failed, ktune_values);
	}
	return ktune_why;
}
};
}
template <typename T, int BLOCK> KTUNE_GENERATED static inline void ktune_d_4374a27e53deca2a_add(const ::ktune::launch_ &ktune_at, T * ktune_a0, const T * ktune_a1, T ktune_a2, int ktune_a3)
{
	const void *const ktune_k = ::ktune::address_(static_cast<void (*)(T *, const T *, T, int)>(&add<T, BLOCK>));
	const ::ktune::outcome_ ktune_why = ktune_i_4374a27e53deca2a<T, BLOCK>::run_(ktune_k, ktune_at, ktune_a0, ktune_a1, ktune_a2, ktune_a3);

	if (KTUNE_EXPECT(ktune_why == ::ktune::outcome_uncounted_))
		return;
	ktune_t_4374a27e53deca2a(ktune_why);
	if (ktune_why < ::ktune::outcome_variant_)
		::ktune::enqueue_original_(ktune_k, ktune_at, ktune_a0, ktune_a1, ktune_a2, ktune_a3);
}
#if defined(__NVCC_DIAG_PRAGMA_SUPPORT__)
#pragma nv_diagnostic pop
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#line 9 "k.cu"

template <typename T> void launch(T *y, const T *x, int n)
{
	ktune_d_4374a27e53deca2a_add<T, 128>(::ktune::launch_((n + 127) / 128, 128), y, x, T(1), n);
}
}
void run(float *f, double *d, long *l)
{
	ops::launch(f, f, 10);
	ops::launch(d, d, 10);
	ops::launch(l, l, 10);
}
