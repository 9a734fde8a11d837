#!/usr/bin/env python3
"""Builds the extension with whatever PYTORCH_NVCC says, compares it with torch's own result, and times it.

check.py [--build DIR] [--build-only]

Exit code 1: a wrong result; 77: built, but there is no CUDA device.
"""
import argparse
import os
import sys
import time

import torch
from torch.utils.cpp_extension import load

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKED = [(1, 4096), (3, 1001), (64, 11008), (5, 4098), (256, 128)]
TIMED = [(1, 4096), (1, 11008), (64, 4096), (64, 11008), (4096, 4096), (4096, 11008)]
WARM_UPS, REPETITIONS = 20, 100


def build(folder):
    os.makedirs(folder, exist_ok=True)
    begin = time.monotonic()
    load(name="ktune_sample", sources=[os.path.join(HERE, name) for name in ("silu_and_mul.cu", "library.cpp")],
         build_directory=folder, extra_cuda_cflags=["-O3"], is_python_module=False, verbose=True)
    print(f"built in {time.monotonic() - begin:.1f} s with {os.environ.get('PYTORCH_NVCC', 'nvcc')}")


def reference(x):
    gate, up = x.float().chunk(2, dim=1)
    return (torch.nn.functional.silu(gate) * up).to(x.dtype)


def check(rows, d, dtype, offset):
    """`offset` elements off the start of an allocation: pointers that no wide access may take."""
    flat = torch.randn(rows * 2 * d + offset, device="cuda", dtype=dtype)
    x = flat[offset:].view(rows, 2 * d)
    result, expected = torch.ops.ktune_sample.silu_and_mul(x), reference(x)
    tolerance = 2e-2 if dtype == torch.bfloat16 else 2e-3
    close = torch.allclose(result.float(), expected.float(), rtol=tolerance, atol=tolerance)
    if not close:
        print(f"wrong: rows={rows} d={d} {dtype} offset={offset}")
    return close


def microseconds(rows, d, dtype):
    """Of one call, by events around all repetitions; inputs rotate past the L2 cache."""
    size = rows * 2 * d * 2
    inputs = [torch.randn(rows, 2 * d, device="cuda", dtype=dtype) for _ in range(max(1, min(64, 2**28 // size)))]
    for i in range(WARM_UPS):
        torch.ops.ktune_sample.silu_and_mul(inputs[i % len(inputs)])
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for i in range(REPETITIONS):
        torch.ops.ktune_sample.silu_and_mul(inputs[i % len(inputs)])
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000 / REPETITIONS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join("build", "pytorch"), help="folder of the ninja file and its outputs")
    parser.add_argument("--build-only", action="store_true")
    options = parser.parse_args()
    build(os.path.abspath(options.build))
    if options.build_only:
        return 0
    if not torch.cuda.is_available():
        print("no CUDA device")
        return 77
    torch.manual_seed(0)
    types = (torch.float16, torch.bfloat16)
    right = [check(rows, d, dtype, offset) for rows, d in CHECKED for dtype in types for offset in (0, 1)]
    print(f"{sum(right)} of {len(right)} results agree with torch")
    for dtype in types:
        for rows, d in TIMED:
            print(f"{str(dtype):<15} rows={rows:<5} d={d:<6} {microseconds(rows, d, dtype):9.2f} us")
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
