"""Einkorn for Spack, built from the repository that this file is in, as its branch main is.

    spack repo add packaging/spack
    spack install einkorn           # +compiler: einkorn cc; +otf2: einkorn export --to otf2
"""

import pathlib

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:  # before Spack 1.0 spack.package has them
    pass


class Einkorn(CMakePackage):
    """OpenMP runtime that takes the place of libgomp and libomp under unmodified programs and runs tasks where their
    data is, with a recorder that shows each task and chunk, and a simulator of other machines and schedules."""

    # Where a release is published there will be a `url`, and a version with its checksum.
    git = pathlib.Path(__file__).resolve().parents[4].as_uri()

    license("Apache-2.0")

    version("main", branch="main")

    variant("compiler", default=False, description="einkorn cc: OpenMP regions in C as codelets, by clang's library")
    variant("otf2", default=False, description="einkorn export --to otf2")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3:", type="build")
    # The page, with packages from npm's lock file: the build needs the network.
    depends_on("node-js@18:", type="build")
    depends_on("npm", type="build")

    depends_on("cli11@2.1:")
    depends_on("cpp-httplib@0.11:")
    depends_on("elfutils@0.188:")
    depends_on("fmt@9:")
    # Its header; the library is opened while the program runs, by the path that Spack links in.
    depends_on("hwloc@2.9:2")
    depends_on("nlohmann-json@3.11:")
    depends_on("zlib-api")
    # Into the runtime library goes the static one, which only CMake builds as position-independent code.
    depends_on("zstd@1.5: libs=shared,static build_system=cmake")
    depends_on("llvm@19 +clang +llvm_dylib", when="+compiler", type=("build", "link", "run"))
    depends_on("otf2@3:", when="+otf2")

    requires("platform=linux", msg="The runtime is written for Linux")
    requires("%gcc@12:", msg="The runtime is written for gcc, from 12 on")

    generator("ninja")

    sanity_check_is_file = ["bin/einkorn"]

    def cmake_args(self):
        args = [self.define("EINKORN_TESTS", False), self.define("EINKORN_PROGRAMS", False)]
        # Else the system's would be taken where it has one.
        llvm = self.spec["llvm"].prefix.bin.join("llvm-config") if self.spec.satisfies("+compiler") else "OFF"
        args.append(self.define("EINKORN_LLVM_CONFIG", llvm))
        if self.spec.satisfies("~otf2"):
            args.append(self.define("EINKORN_OTF2", False))
        return args

    def test_models(self):
        """the installed tool finds its machine models"""
        einkorn = Executable(join_path(self.prefix.bin, "einkorn"))
        said = einkorn("machine", "--machine", "uv2000-24x8", output=str)
        assert "192 CPUs" in said
