"""What the lit suites share: substitutions, environment, features.

KTUNE_PREFIX names the installed tree under test.

  %ktcc %ktcc-clang %ktcc-runner   the programs
  %scan                            ktcc-clang scan for sm_90, ends before the file name
  %rewrite                         the same for ktcc-clang rewrite
  %lower                           the same for ktcc-clang lower
  %nvcc %toolkit                   the CUDA compiler and its root
  %FileCheck                       LLVM's
  %clangxx                         clang++ from 16 on
  %libclangs                       every version of libclang from 16 on that is installed, the newest first: a,b
  %samples %golden %system         folders of this checkout

Features: nvcc, gpu, opencl (an OpenCL device; on a CPU the package pocl-opencl-icd), clang (clang++ from 16 on),
libclangs (two versions of libclang from 16 on), oclgrind, strace, script, ccache, meson, chromium, mandoc, zsh, fish, check-jsonschema, mkdocs,
nginx,
python-jsonschema and python-yaml (modules of python3), aiohttp (a chat endpoint for tests: %python has it).
"""
import glob
import os
import re
import shutil
import subprocess
import sys

import lit.formats

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from toolkit import toolkit_of  # noqa: E402

PASSED_ON = ["HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "ASAN_OPTIONS",
             "UBSAN_OPTIONS", "KTUNE_LIBCLANG"]


def newest(pattern):
    found = glob.glob(pattern)
    found.sort(key=lambda path: [int(digits) for digits in re.findall(r"\d+", path)])
    return found[-1] if found else None


def find_nvcc():
    default = os.path.join(os.environ.get("CUDA_PATH", "/usr/local/cuda"), "bin", "nvcc")
    return shutil.which("nvcc") or (default if os.path.exists(default) else None)


def has_gpu():
    if not shutil.which("nvidia-smi"):
        return os.path.exists("/dev/nvidia0")
    return subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0


def has_opencl(runner):
    """Does the runner find a device? Without a loader or an ICD it says so and goes on."""
    hello = subprocess.run([runner, "--backend", "opencl"], input='{"request":"hello"}\n', capture_output=True,
                           text=True)
    return '"backend":"opencl"' in hello.stdout.replace(" ", "")


def configure(config, name, suffixes):
    prefix = os.environ.get("KTUNE_PREFIX", os.path.join(ROOT, "build", "debug", "stage"))
    if not os.path.exists(os.path.join(prefix, "bin", "ktcc")):
        raise RuntimeError(f"KTUNE_PREFIX: {prefix} has no bin/ktcc; script/test installs one")
    filecheck = newest("/usr/lib/llvm-*/bin/FileCheck") or "FileCheck"
    nvcc = find_nvcc()
    programs = os.path.join(prefix, "libexec", "ktcc")
    scan = f"{programs}/ktcc-clang scan"
    # Two prefixes may be tested at the same time.
    folder = os.path.join(ROOT, "build", "lit", os.path.basename(os.path.normpath(prefix)), name)

    config.name = name
    config.test_format = lit.formats.ShTest(execute_external=True)
    config.suffixes = suffixes
    config.excludes = ["Inputs", "lit.cfg.py"]
    config.test_source_root = os.path.join(ROOT, "tests", name)
    config.test_exec_root = folder
    path = [os.path.join(prefix, "bin"), os.path.dirname(filecheck), os.environ["PATH"],
            os.path.join(ROOT, "build", "tools", "bin")]
    if nvcc:
        config.available_features.add("nvcc")
        toolkit = toolkit_of(nvcc)
        scan += f" --toolkit {toolkit} --arch 90 --file"
        path.insert(2, os.path.dirname(nvcc))
        config.substitutions.append((r"%nvcc\b", nvcc))
        config.substitutions.append((r"%toolkit\b", toolkit))
        if os.path.exists(os.path.join(toolkit, "lib64", "libnvrtc.so")):
            config.available_features.add("nvrtc")
    for tool in ("oclgrind", "strace", "script", "ccache", "meson", "chromium", "mandoc", "zsh", "fish", "check-jsonschema", "mkdocs"):
        if shutil.which(tool, path=os.pathsep.join(path)):
            config.available_features.add(tool)
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0:
        config.available_features.add("mount-namespace")
    for module in ("jsonschema", "yaml"):
        if subprocess.run(["python3", "-c", f"import {module}"], capture_output=True).returncode == 0:
            config.available_features.add(f"python-{module}")
    # Debian keeps it out of an ordinary user's PATH.
    if shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin"):
        config.available_features.add("nginx")
    # The distribution's Python has the distribution's packages.
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
    if shutil.which("openssl") and subprocess.run([python, "-c", "import aiohttp"],
                                                  capture_output=True).returncode == 0:
        config.available_features.add("aiohttp")
        config.substitutions.append((r"%python\b", python))
    clang = newest("/usr/lib/llvm-*/bin/clang++")
    # Older ones cannot read the headers of CUDA 13.
    if clang and int(re.search(r"llvm-(\d+)", clang).group(1)) >= 16:
        config.available_features.add("clang")
        config.substitutions.append((r"%clangxx\b", clang))
    libclang = {int(re.search(r"llvm-(\d+)", path).group(1)): path
                for path in glob.glob("/usr/lib/llvm-*/lib/libclang-[0-9]*.so*")}
    usable = sorted((version for version in libclang if version >= 16), reverse=True)
    if len(usable) > 1:
        config.available_features.add("libclangs")
        config.substitutions.append((r"%libclangs\b", ",".join(libclang[version] for version in usable)))
    if has_gpu():
        config.available_features.add("gpu")
    if has_opencl(f"{programs}/ktcc-runner"):
        config.available_features.add("opencl")
    # No test sees the user's settings or store; one that counts sets its own KTUNE_CACHE_DIR.
    config.environment = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
    config.environment["PATH"] = os.pathsep.join(path)
    config.environment["XDG_CONFIG_HOME"] = os.path.join(folder, "config")
    config.environment["KTUNE_CACHE_DIR"] = os.path.join(folder, "cache")
    # What belongs to the machine: the tests share its precompiled headers.
    config.environment["XDG_CACHE_HOME"] = os.path.join(folder, "machine")
    # A busy machine must not end what a test expects to be searched to its end.
    config.environment["KTUNE_BUDGET"] = "600"
    config.environment["TEST_ENTRIES"] = os.path.join(folder, "entries")
    # Made by the programs of this run.
    shutil.rmtree(config.environment["TEST_ENTRIES"], ignore_errors=True)
    # The longer name first: substitutions are applied in this order.
    config.substitutions += [
        (r"%ktcc-clang\b", f"{programs}/ktcc-clang"),
        (r"%ktcc-runner\b", f"{programs}/ktcc-runner"),
        (r"%ktcc-llm\b", f"{programs}/ktcc-llm"),
        (r"%ktcc\b", os.path.join(prefix, "bin", "ktcc")),
        (r"%scan\b", scan),
        (r"%lower\b", scan.replace("ktcc-clang scan", "ktcc-clang lower")),
        (r"%rewrite\b", scan.replace("ktcc-clang scan", "ktcc-clang rewrite")),
        (r"%FileCheck\b", filecheck),
        (r"%prefix\b", prefix),
        (r"%samples\b", os.path.join(ROOT, "samples")),
        (r"%golden\b", os.path.join(ROOT, "tests", "golden")),
        (r"%system\b", os.path.join(ROOT, "tests", "system")),
    ]
