"""The three kernels in Triton, as one would write them for speed. Each *_configurations lists what is tried for a
shape."""
import triton
import triton.language as tl


@triton.jit
def silu_kernel(out, inp, d, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < d
    gate = tl.load(inp + row * 2 * d + at, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(inp + row * 2 * d + d + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * d + at, (gate * tl.sigmoid(gate) * up).to(out.dtype.element_ty), mask=inside)


def silu_configurations(rows, d):
    return [(512, 2), (1024, 4), (2048, 4), (2048, 8), (4096, 8)]


def silu(out, inp, rows, d, configuration):
    block, warps = configuration
    silu_kernel[(rows, triton.cdiv(d, block))](out, inp, d, BLOCK=block, num_warps=warps)


@triton.jit
def merge_kernel(v, s, v_a, s_a, v_b, s_b, rows, ROWS: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    inside = row < rows
    a = tl.load(s_a + row, mask=inside, other=0.0)
    b = tl.load(s_b + row, mask=inside, other=0.0)
    largest = tl.maximum(a, b)
    a = tl.exp2(a - largest)
    b = tl.exp2(b - largest)
    total = a + b
    at = row[:, None] * D + tl.arange(0, D)[None, :]
    from_a = tl.load(v_a + at, mask=inside[:, None], other=0.0).to(tl.float32)
    from_b = tl.load(v_b + at, mask=inside[:, None], other=0.0).to(tl.float32)
    merged = from_a * (a / total)[:, None] + from_b * (b / total)[:, None]
    tl.store(v + at, merged.to(v.dtype.element_ty), mask=inside[:, None])
    tl.store(s + row, largest + tl.log2(total), mask=inside)


def merge_configurations(rows, head_dim):
    return [(items // head_dim, head_dim, warps)
            for items, warps in ((1024, 4), (2048, 4), (2048, 8), (4096, 8), (8192, 8))]


def merge(v, s, v_a, s_a, v_b, s_b, rows, configuration):
    block, head_dim, warps = configuration
    merge_kernel[(triton.cdiv(rows, block),)](v, s, v_a, s_a, v_b, s_b, rows, ROWS=block, D=head_dim, num_warps=warps)


@triton.jit
def rmsnorm_kernel(y, residual, x, weight, eps, d, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < d
    value = tl.load(x + row * d + at, mask=inside, other=0.0).to(tl.float32)
    value += tl.load(residual + row * d + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(residual + row * d + at, value.to(residual.dtype.element_ty), mask=inside)
    scale = tl.rsqrt(tl.sum(value * value, axis=0) / d + eps)
    factor = tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + row * d + at, (value * scale * factor).to(y.dtype.element_ty), mask=inside)


def rmsnorm_configurations(rows, d):
    block = triton.next_power_of_2(d)
    return [(block, warps) for warps in (4, 8, 16, 32)]


def rmsnorm(y, residual, x, weight, eps, rows, d, configuration):
    block, warps = configuration
    rmsnorm_kernel[(rows,)](y, residual, x, weight, eps, d, BLOCK=block, num_warps=warps)
