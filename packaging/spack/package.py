# Unbuilt. Before a build: the address and the checksum of the release's source archive.
from spack.package import *


class Ktcc(CMakePackage):
    """Compiler launcher that tunes CUDA kernels in the build."""

    url = "https://downloads.example.org/ktcc-0.1.0.tar.gz"
    license("Apache-2.0")

    version("0.1.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cjson")
    depends_on("curl")
    depends_on("libsodium")
    depends_on("sqlite")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("llvm@16: +clang", type=("build", "run"))
    depends_on("cuda", type="run")

    generator("ninja")

    def cmake_args(self):
        return [self.define("BUILD_TESTING", False), self.define("KT_SHARED", True)]
