"""Scans a kernel and its launch beside each of these statements: kernel_settings.py KTCC-CLANG scan …"""
import json
import subprocess
import sys

SOURCE = """#include <cuda_runtime.h>
#define CHECKED(call) do { if ((call) != cudaSuccess) return; } while (0)
#pragma ktune problem(n = 1024) out(y[n]) grid(n / 128) block(128)
__global__ void k(float *y, int n)
{
	y[blockIdx.x * 128 + threadIdx.x] = n;
}
__global__ void other(float *y, int n) { y[n] = 0; }

void run(float *y, int n)
{
	%s
	%s
}
"""
ONE = "k<<<n / 128, 128>>>(y, n);"
BLOCK = """
#pragma ktune name(block) problem(n = 1024) out(y[n])
	{ k<<<n / 128, 128>>>(y, n); other<<<1, 1>>>(y, n); }"""
STATEMENTS = """\
cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
cudaFuncSetAttribute((const void *)k, cudaFuncAttributeMaxDynamicSharedMemorySize, n);
CHECKED(cudaFuncSetAttribute(&k, cudaFuncAttributeMaxDynamicSharedMemorySize, n));
cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, 50);
cudaFuncSetAttribute(reinterpret_cast<const void *>(&k), cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
cudaFuncSetAttribute(k, static_cast<cudaFuncAttribute>(n), 1);
CHECKED(cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
cudaFuncSetCacheConfig(k, cudaFuncCachePreferL1);
if (cudaFuncSetCacheConfig((void *)k, cudaFuncCachePreferShared)) return;
cudaFuncAttributes a; cudaFuncGetAttributes(&a, k);
int b; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&b, k, 128, 0);
int b, m; cudaOccupancyMaxPotentialBlockSize(&m, &b, k, 0, 0);
int b, m; cudaOccupancyMaxPotentialBlockSizeVariableSMem(&m, &b, k, [](int) { return 0; });
int c; cudaOccupancyMaxPotentialClusterSize(&c, k, nullptr);
void (*p)(float *, int) = k; int b, m; cudaOccupancyMaxPotentialBlockSize(&m, &b, p, 0, 0);
void (*p)(float *, int) = k; p<<<1, 128>>>(y, n);
void (*p)(float *, int) = k; cudaFuncSetAttribute(p, cudaFuncAttributeMaxDynamicSharedMemorySize, n);
void (*p)(float *, int) = k; cudaFuncSetAttribute(p, cudaFuncAttributePreferredSharedMemoryCarveout, 1);
auto *p = &k; cudaFuncSetCacheConfig(p, cudaFuncCachePreferL1);
cudaFuncSetCacheConfig(other, cudaFuncCachePreferL1);
void (*p)(float *, int) = k; cudaFuncSetCacheConfig(other, cudaFuncCachePreferL1);
void (*p)(float *, int) = k; int b; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&b, (const void *)other, 128, 0);
void (*p)(float *, int) = k; cudaFuncSetCacheConfig(n > 1 ? other : p, cudaFuncCachePreferL1);
block: cudaFuncSetCacheConfig(other, cudaFuncCachePreferL1);
""".splitlines()


def become(statement):
    block = statement.startswith("block: ")
    with open("k.cu", "w") as out:
        out.write(SOURCE % (statement.replace("block: ", ""), BLOCK if block else ONE))
    done = subprocess.run(sys.argv[1:] + ["k.cu", "--", "-std=c++17"], capture_output=True,
                          text=True, check=True)
    region = json.loads(done.stdout)["regions"][-1 if block else 0]
    if block:
        return region["decline"]
    if region["decline"]:
        assert all(launch["decline"] for launch in region["launches"])
        return f"{region['decline']}: {region['decline_detail']}"
    return "dispatched" if any(not launch["decline"] for launch in region["launches"]) else "nothing"


for each in STATEMENTS:
    print(each, "|", become(each))
