#include "tuning/compiled.h"

const char *kt_compiled_name(enum kt_compiled_refusal refusal)
{
	static const char *const names[] = {
#define KT_COMPILED_ROW(id, name) name,
	    KT_COMPILED_REFUSALS(KT_COMPILED_ROW)
#undef KT_COMPILED_ROW
	};
	return (size_t)refusal < KT_COMPILED_COUNT ? names[refusal] : "";
}

static int64_t known(int64_t value)
{
	return value < 0 ? 0 : value;
}

static int64_t resident_warps(const struct kt_device *device, const struct kt_usage *usage)
{
	const int64_t warps = device->warp_size > 0 ? (usage->threads + device->warp_size - 1) / device->warp_size : 0;

	return warps * kt_device_occupancy_blocks(device, usage->threads, known(usage->registers), usage->shared_bytes);
}

enum kt_compiled_refusal kt_compiled_judge(const struct kt_device *device, const struct kt_usage *candidate,
					   const struct kt_usage *original, double relax)
{
	double least = KT_SCHEDULERS;

	/* Other devices' records lack what the rounding needs. */
	if (device->cc == 0 || device->registers_per_multiprocessor == 0 || candidate->threads <= 0)
		return KT_COMPILED_NONE;
	if (kt_device_occupancy_blocks(device, candidate->threads, known(candidate->registers), 0) == 0)
		return KT_COMPILED_REGISTERS;
	if (kt_device_occupancy_blocks(device, candidate->threads, 0, candidate->shared_bytes) == 0)
		return KT_COMPILED_STATIC_SHARED;
	if (original == NULL)
		return KT_COMPILED_NONE;
	if (candidate->local_bytes >= 0 &&
	    (double)candidate->local_bytes > (double)known(original->local_bytes) + KT_SPILL_BYTES * (1 + relax))
		return KT_COMPILED_SPILLS;
	if ((double)resident_warps(device, original) < least)
		least = (double)resident_warps(device, original);
	return (double)resident_warps(device, candidate) < least * (1 - relax) ? KT_COMPILED_OCCUPANCY : KT_COMPILED_NONE;
}

void kt_compiled_explain(struct kt_buf *out, enum kt_compiled_refusal refusal, const struct kt_device *device,
			 const struct kt_usage *candidate, const struct kt_usage *original)
{
	kt_buf_addf(out, "%s: ", kt_compiled_name(refusal));
	switch (refusal) {
	case KT_COMPILED_REGISTERS:
		kt_buf_addf(out, "%lld threads of %lld registers, the device has %lld", (long long)candidate->threads,
			    (long long)candidate->registers, (long long)device->registers_per_block);
		break;
	case KT_COMPILED_STATIC_SHARED:
		kt_buf_addf(out, "%lld bytes of shared memory a block", (long long)candidate->shared_bytes);
		break;
	case KT_COMPILED_SPILLS:
		kt_buf_addf(out, "%lld bytes of local memory a thread, the original has %lld",
			    (long long)candidate->local_bytes, (long long)known(original->local_bytes));
		break;
	case KT_COMPILED_OCCUPANCY:
		kt_buf_addf(out, "%lld warps on a multiprocessor", (long long)resident_warps(device, candidate));
		break;
	default:
		break;
	}
}
