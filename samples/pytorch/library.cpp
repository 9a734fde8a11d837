// What Python sees: torch.ops.ktune_sample.silu_and_mul.
#include <torch/library.h>

at::Tensor silu_and_mul(const at::Tensor &x);

TORCH_LIBRARY(ktune_sample, library)
{
	library.def("silu_and_mul(Tensor x) -> Tensor");
	library.impl("silu_and_mul", c10::DispatchKey::CUDA, &silu_and_mul);
}
