"""The first CUDA text of a README as a file of its own: what stands behind the ellipsis is a function's."""
import re
import sys

text = re.search(r"```cuda\n(.*?)```", open(sys.argv[1], encoding="utf-8").read(), re.S).group(1)
kernel, launch = text.split("…\n")
print("#include <algorithm>\n#include <cuda_fp16.h>\n" + kernel)
print("void run(__half *y, const __half *x, int rows, int d, cudaStream_t stream)\n{\n" + launch + "}")
