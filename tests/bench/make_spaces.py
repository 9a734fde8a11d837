"""Synthetic recorded spaces: T1 and T4 files of models that behave like kernels on a GPU.

usage: make_spaces.py OUT [SEEDS [DEVICES]]

With DEVICES above 1 each kernel is recorded on so many devices: NAME.T1.json, NAME_d0.T4.json.gz, NAME_d1.T4.json.gz, …
The device of a model that has one is drawn anew; half of what the compiler's choices add, and all of it of models
without a device, differs between devices.
"""
import gzip, json, os, sys
import numpy as np

INF = np.inf

def grid(params):
    mesh = np.meshgrid(*[np.array(v) for v in params.values()], indexing="ij")
    return {k: m.ravel() for k, m in zip(params, mesh)}

def keep(c, mask):
    return {k: v[mask] for k, v in c.items()}

def occupancy(device, threads, regs, shared):
    """Resident warps a multiprocessor, by threads, registers and shared memory; 0: does not fit."""
    warps = np.ceil(threads / 32)
    by_threads = np.floor(device["warps"] / warps)
    by_regs = np.floor(device["regs"] / (np.ceil(regs / 8) * 8 * warps * 32))
    by_shared = np.floor(device["shared"] / np.maximum(shared, 1))
    blocks = np.minimum.reduce([by_threads, by_regs, by_shared, np.full_like(warps, device["blocks"])])
    return blocks, warps

OTHER_DEVICE = None  # a seed: the device is drawn from it, and the kernel stays the same

def device(rng):
    first = draw_device(rng)
    return first if OTHER_DEVICE is None else draw_device(np.random.default_rng([OTHER_DEVICE, 77]))

def draw_device(rng):
    return {"sms": rng.choice([46, 84, 108, 110, 132]), "warps": rng.choice([32, 48, 64]), "regs": 65536,
            "shared": rng.choice([64, 100, 164]) * 1024, "blocks": rng.choice([16, 32]), "block_shared": 48 * 1024,
            "hide": rng.uniform(8, 30), "bw": rng.uniform(0.6, 2.0), "fl": rng.uniform(0.6, 2.0),
            "issue": rng.uniform(0.05, 0.4),
            "regs_most": 255}

def finish(d, rng, work, blocks_total, threads, regs, shared, traffic, flops, extra):
    blocks, warps = occupancy(d, threads, regs, shared)
    fits = blocks >= 1
    blocks = np.maximum(blocks, 1)
    active = blocks * warps
    hide = np.minimum(1, (active / d["hide"]) ** 0.7)
    waves = np.ceil(blocks_total / (d["sms"] * blocks))
    tail = waves * d["sms"] * blocks / np.maximum(blocks_total, 1)
    spill = np.maximum(0, regs - d["regs_most"])
    t = np.maximum(traffic * d["bw"], flops * d["fl"]) / hide + 0.35 * np.minimum(traffic * d["bw"], flops * d["fl"])
    t = t * tail * (1 + spill / 64) * extra + d["issue"] * 0.02 * waves
    return np.where(fits, t, INF)

def tiled2d(rng):
    """A stencil or convolution with a tile a block in shared memory."""
    p = {"block_size_x": [16 * i for i in range(1, 17)] if rng.random() < .6 else [8, 16, 32, 64, 128, 256],
         "block_size_y": [1, 2, 4, 8, 16, 32], "tile_size_x": list(range(1, rng.integers(4, 9))),
         "tile_size_y": list(range(1, rng.integers(4, 9))),
         "use_shmem": [0, 1], "use_padding": [0, 1], "read_only": [0, 1], "vector": [1, 2, 4]}
    if rng.random() < .5: del p["vector"]
    f = int(rng.choice([3, 7, 15]))
    c = grid(p)
    bx, by, tx, ty, sh, pad, ro = (c[k] for k in ("block_size_x", "block_size_y", "tile_size_x", "tile_size_y",
                                                  "use_shmem", "use_padding", "read_only"))
    v = c.get("vector", np.ones_like(bx))
    conds = ["block_size_x*block_size_y <= 1024", "block_size_x*block_size_y >= 32",
             "use_padding == 0 or (use_shmem == 1 and block_size_x % 32 != 0)"]
    m = (bx * by <= 1024) & (bx * by >= 32) & ((pad == 0) | ((sh == 1) & (bx % 32 != 0)))
    if "vector" in p:
        conds.append("tile_size_x % vector == 0"); m &= tx % v == 0
    d = device(rng)
    s = sh * (bx * tx + f - 1 + pad) * (by * ty + f - 1) * 4
    conds.append(f"use_shmem == 0 or (block_size_x*tile_size_x+{f-1}+use_padding)"
                 f"*(block_size_y*tile_size_y+{f-1}) <= 12288")
    m &= s <= 12288 * 4
    n = 4096
    regs = 18 + 2.2 * tx * ty * rng.uniform(.8, 1.5) + 4 * v + 3 * (1 - sh) + rng.integers(0, 10)
    halo = (bx * tx + f - 1) * (by * ty + f - 1) / (bx * tx * by * ty)
    traffic = np.where(sh == 1, halo, 1 + .25 * f * np.where(ro == 1, rng.uniform(.6, 1.1), 1) / np.sqrt(tx)) * \
        (1 + .5 * (bx * v < 32))
    conflict = np.where((sh == 1) & (pad == 0) & (bx % 32 != 0), rng.uniform(1.05, 1.5), 1)
    flops = .1 * f * (1 + rng.uniform(.2, 1) / (tx * ty)) * (1 + .3 * (bx * by % 64 != 0))
    t = finish(d, rng, n * n, np.ceil(n / (bx * tx)) * np.ceil(n / (by * ty)), bx * by, regs, s, traffic, flops,
               conflict * (1 + .1 * rng.uniform() * (v == 4) - .05 * (v == 2)))
    return p, conds, keep(c, m), t[m]

def gemm(rng):
    """A register-blocked matrix product in the manner of CLBlast's."""
    p = {"MWG": [16, 32, 64, 128], "NWG": [16, 32, 64, 128], "KWG": [16, 32], "MDIMC": [8, 16, 32],
         "NDIMC": [8, 16, 32], "MDIMA": [8, 16, 32], "NDIMB": [8, 16, 32],
         "KWI": [2], "VWM": [1, 2, 4, 8], "VWN": [1, 2, 4, 8], "STRM": [0], "STRN": [0], "SA": [0, 1], "SB": [0, 1]}
    if rng.random() < .5: p["KWI"] = [2, 8]; p["STRM"] = [0, 1]
    c = grid(p)
    M, N, K, mc, nc, ma, nb, vm, vn, sa, sb = (c[k].astype(float)
                                               for k in ("MWG", "NWG", "KWG", "MDIMC", "NDIMC", "MDIMA", "NDIMB", "VWM",
                                                         "VWN", "SA", "SB"))
    conds = ["KWG % KWI == 0", "MWG % (MDIMC * VWM) == 0", "NWG % (NDIMC * VWN) == 0", "MWG % (MDIMA * VWM) == 0",
             "NWG % (NDIMB * VWN) == 0",
             "KWG % ((MDIMC * NDIMC)/MDIMA) == 0", "KWG % ((MDIMC * NDIMC)/NDIMB) == 0", "MDIMC*NDIMC <= 1024"]
    m = (M % (mc * vm) == 0) & (N % (nc * vn) == 0) & (M % (ma * vm) == 0) & (N % (nb * vn) == 0) & \
        (K % (mc * nc / ma) == 0) & (K % (mc * nc / nb) == 0) & (mc * nc <= 1024) & (K % c["KWI"] == 0)
    d = device(rng)
    wm, wn = M / mc, N / nc
    regs = 20 + wm * wn * 1.1 + (wm + wn) * rng.uniform(1, 2) + 2 * vm + 2 * vn + c["KWI"]
    s = 4 * K * (sa * M + sb * N)
    a, b = np.where(sa == 1, 1 / N, rng.uniform(1, 2) / np.sqrt(N * wn)), \
        np.where(sb == 1, 1 / M, rng.uniform(1, 2) / np.sqrt(M * wm))
    traffic = 40 * (a * (1 + .4 * (ma * vm < 32)) + b * (1 + .4 * (nb * vn < 32)))
    flops = 1 + rng.uniform(1, 3) * (1 / (wm * vm ** .5) + 1 / (wn * vn ** .5)) * .5 + \
        .2 * (sa + sb) / K * 16 + .1 * (c["KWI"] == 2) * rng.uniform()
    extra = (1 + c["STRM"] * rng.uniform(-.1, .2) * (vm < 4)) * np.where(vm == 8, rng.uniform(1, 1.3), 1)
    t = finish(d, rng, 1, np.ceil(4096 / M) * np.ceil(4096 / N), mc * nc, regs, s, traffic, flops, extra)
    t = np.where(s > d["block_shared"], INF, t)
    return p, conds, keep(c, m), t[m]

def temporal(rng):
    """A stencil with several time steps a launch; a third and more does not run."""
    p = {"block_size_x": [1, 2, 4, 8, 16] + [32 * i for i in range(1, 33)], "block_size_y": [1, 2, 4, 8, 16, 32],
         "tile_size_x": list(range(1, 11)) if rng.random() < .5 else [1, 2, 4, 8],
         "tile_size_y": list(range(1, 11)) if rng.random() < .5 else [1, 2, 3, 4], "temporal": list(range(1, 11)),
         "unroll": list(range(1, 11)), "sh_power": [0, 1], "blocks_per_sm": [0, 1, 2, 3, 4]}
    if rng.random() < .5: p["tile_size_x"] = [1, 2, 3]; p["tile_size_y"] = [1, 2, 3]
    c = grid(p)
    bx, by, tx, ty, tt, u, shp, bps = (c[k] for k in p)
    m = (bx * by >= 32) & (bx * by <= 1024) & (tt % u == 0) & (bx * tx > 2 * tt) & (by * ty > 2 * tt)
    conds = ["block_size_x*block_size_y >= 32", "block_size_x*block_size_y <= 1024", "temporal % unroll == 0",
             "block_size_x*tile_size_x > temporal * 2", "block_size_y*tile_size_y > temporal * 2",
             "(block_size_x*tile_size_x + temporal * 2) * (block_size_y*tile_size_y + temporal * 2) "
             "* (2 + sh_power) <= 12288",
             "blocks_per_sm == 0 or blocks_per_sm * block_size_x * block_size_y <= 2048"]
    W, H = bx * tx + 2 * tt, by * ty + 2 * tt
    s = 4 * W * H * (2 + shp)
    m &= (s <= 12288 * 4) & ((bps == 0) | (bps * bx * by <= 2048))
    d = device(rng); d["issue"] *= 10
    capped = np.where(bps > 0, 65536 / np.maximum(bps, 1) / (bx * by), 255)
    want = 24 + 3 * tx * ty + 2 * u + rng.integers(0, 16)
    regs = np.minimum(want, capped)
    waste = W * H / (bx * tx * by * ty)
    traffic = waste / tt * (1 + .4 * (bx < 32)) * (1 + .3 * (1 - shp))
    flops = .5 * rng.uniform(.5, 1.5) * waste * (1 + .3 / u) * (1 + .2 * (bx * by % 64 != 0))
    t = finish(d, rng, 1, np.ceil(4096 / (bx * tx)) * np.ceil(4096 / (by * ty)) / tt, bx * by, regs, s, traffic, flops,
               1 + np.maximum(0, want - capped) / 30)
    t = np.where((want - capped) > 60, INF, t)
    c = keep(c, m); t = t[m]
    most = int(rng.choice([5000, 40000]))
    return p, conds, c, t, most

def effects(rng, dims=None, invalid=None, rough=None):
    """Main effects and pair interactions by random tables, half of them smooth along the values."""
    dims = dims or int(rng.integers(3, 13))
    p, total = {}, 1
    for i in range(dims):
        l = int(rng.choice([2, 2, 3, 4, 5, 8, 12, 16]))
        if total * l > 150000: l = 2
        if total * l > 300000: break
        total *= l
        p[f"p{i}"] = [2 ** j for j in range(l)] if rng.random() < .5 else list(range(l))
    while total < 200:
        p[f"q{len(p)}"] = [1, 2, 3, 4]; total *= 4
    c = grid(p)
    names = list(p); n = len(names)
    idx = {k: np.searchsorted(p[k], c[k]) for k in names}
    rough = rng.uniform(.1, .9) if rough is None else rough
    def table(l, scale):
        if rng.random() < rough: return rng.normal(0, scale, l)
        x = np.linspace(-1, 1, l)
        return scale * (rng.normal() * x + rng.normal() * 1.5 * (x - rng.uniform(-1, 1)) ** 2)
    y = np.zeros(total)
    for k in names: y += table(len(p[k]), .35 * rng.exponential())[idx[k]]
    for _ in range(n * 2):
        a, b = rng.choice(n, 2, replace=False); a, b = names[a], names[b]
        la, lb = len(p[a]), len(p[b])
        t = rng.normal(0, .25 * rng.exponential(), (la, lb)) if rng.random() < rough else \
            .3 * rng.exponential() * np.outer(table(la, 1), table(lb, 1))
        y += t[idx[a], idx[b]]
    y = np.exp(y) + rng.uniform(0, 1.5) * np.exp(np.median(y))
    m = np.ones(total, bool); conds = []
    if rng.random() < .6:
        a, b = names[0], names[1]
        lim = float(np.quantile(c[a] * c[b], rng.uniform(.3, .9)))
        conds.append(f"{a} * {b} <= {lim}"); m &= c[a] * c[b] <= lim
    bad = rng.uniform(0, .7) if invalid is None else invalid
    if rng.random() < .5 or invalid:
        h = sum(table(len(p[k]), 1)[idx[k]] for k in names) + .3 * rng.normal(size=total)
        y = np.where(h > np.quantile(h, 1 - bad), INF, y)
    return p, conds, keep(c, m), y[m]

def plateau(rng):
    """Most parameters do nothing; a few multiply, in steps."""
    p = {f"p{i}": list(range(int(rng.choice([2, 3, 4, 6])))) for i in range(9)}
    c = grid(p); n = len(c["p0"])
    y = np.ones(n)
    for k in rng.choice(list(p), 4, replace=False):
        y *= np.round(rng.uniform(1, 3, len(p[k])) * 2)[c[k]] / 2
    a, b = rng.choice(list(p), 2, replace=False)
    y *= 1 + .6 * ((c[a] + c[b]) % 2)
    return p, [], c, y

def narrow(rng):
    """A valley along a product of parameters, with a needle of further gain."""
    p = {"a": [2 ** i for i in range(9)], "b": [2 ** i for i in range(9)], "c": list(range(1, 17)),
         "d": list(range(1, 9)), "e": [0, 1], "f": [0, 1, 2]}
    c = grid(p)
    x = np.log2(c["a"] * c["b"]); u = np.log2(c["a"] / c["b"])
    y = 1 + .15 * (x - rng.uniform(5, 11)) ** 2 + .03 * (u - rng.uniform(-3, 3)) ** 2 + \
        .4 * np.abs(np.sin(c["c"] * rng.uniform(.3, 1.2))) + .2 * (c["c"] % 2) + .1 * np.abs(c["d"] - rng.uniform(1, 8))
    y *= np.where(c["e"] == rng.integers(0, 2), 1, np.where(c["f"] == 1, .9, 1.3))
    m = c["a"] * c["b"] <= 2 ** 11
    y = np.where((c["c"] * c["d"] > 90), INF, y)
    return p, ["a * b <= 2048"], keep(c, m), y[m]

def rugged(rng, p, c):
    """What a compiler's choices add: random factors on pairs and triples of parameters."""
    names = [k for k in p if len(p[k]) > 1]
    y, scale = 0, rng.choice([.05, .1, .2, .3])
    for size, count in ((2, 4), (3, 3)):
        for _ in range(count):
            pick = rng.choice(names, min(size, len(names)), replace=False)
            idx = tuple(np.searchsorted(sorted(p[k]), c[k]) for k in pick)
            y = y + scale * rng.normal(size=[len(p[k]) for k in pick])[idx]
    return np.exp(y)

FAMILIES = {"tiled2d": tiled2d, "gemm": gemm, "temporal": temporal, "effects": effects, "plateau": plateau,
            "narrow": narrow,
            "invalid": lambda r: effects(r, invalid=.7), "small": lambda r: effects(r, dims=3),
            "wide": lambda r: effects(r, dims=15)}

def make(family, seed, most=60000, other=None):
    global OTHER_DEVICE
    OTHER_DEVICE = other
    rng = np.random.default_rng([seed, sum(map(ord, family))])
    while True:
        out = FAMILIES[family](rng)
        p, conds, c, t = out[:4]
        cap = out[4] if len(out) > 4 else most
        ok = np.isfinite(t)
        if len(t) < 100 or ok.sum() < 60: continue
        if len(t) > cap:
            # A further restriction brings the space down to what is wanted: values of one parameter are dropped.
            k = max(p, key=lambda q: len(p[q])); half = p[k][::2]
            while len(t) > cap:
                k = max(p, key=lambda q: len(p[q])); half = list(p[k][::2]) if len(p[k]) > 2 else [p[k][0]]
                m = np.isin(c[k], half); p = dict(p, **{k: half}); c = keep(c, m); t = t[m]
            if len(t) < 100 or np.isfinite(t).sum() < 60: continue
        if family in ("tiled2d", "gemm", "temporal"):
            t = t * rugged(rng, p, c)
        if other is not None:
            # On another device: what the model does not say, of the size of a compiler's choices.
            t = t * rugged(np.random.default_rng([other, seed, sum(map(ord, family))]), p, c)
        noise = rng.choice([0, .002, .01, .03])
        t = t * np.exp(noise * np.abs(rng.normal(size=len(t))))
        return p, conds, c, t

def write(out, name, p, conds, c, t, device=None):
    parameters = [{"Name": k, "Type": "int", "Values": str([int(v) for v in p[k]]), "Default": int(p[k][0])} for k in p]
    t1 = {"General": {"BenchmarkName": name, "OutputFormat": "JSON"},
          "ConfigurationSpace": {"TuningParameters": parameters,
                                 "Conditions": [{"Expression": e, "Parameters": [k for k in p if k in e]}
                                                for e in conds]},
          "KernelSpecification": {"KernelName": name, "Language": "CUDA"}}
    with open(f"{out}/{name}.T1.json", "w") as f:
        json.dump(t1, f, indent=1)
    rows = zip(*[c[k].tolist() for k in p])
    results = [{"configuration": dict(zip(p, row)), "times": {},
                "invalidity": "correct" if np.isfinite(v) else "runtime",
                "correctness": int(np.isfinite(v)), "objectives": ["time"],
                "measurements": [{"name": "time", "value": v if np.isfinite(v) else "RuntimeFailedConfig",
                                  "unit": "ms"}]}
               for row, v in zip(rows, t.tolist())]
    name = name if device is None else f"{name}_d{device}"
    with gzip.open(f"{out}/{name}.T4.json.gz", "wt", compresslevel=1) as f:
        json.dump({"results": results}, f)

if __name__ == "__main__":
    out, seeds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    devices = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    os.makedirs(out, exist_ok=True)
    for family in FAMILIES:
        for seed in range(seeds):
            for number in range(devices):
                p, conds, c, t = make(family, seed, other=number or None)
                ok = t[np.isfinite(t)]
                print(f"{family}{seed}{f' on device {number}' if devices > 1 else ''}: {len(t)} configurations, "
                      f"{len(p)} parameters, {100-100*len(ok)/len(t):.0f}% invalid, median/optimum "
                      f"{np.median(ok)/ok.min():.2f}, within 5%: {(ok<=1.05*ok.min()).sum()}")
                write(out, f"{family}{seed}", p, conds, c, t, number if devices > 1 else None)
