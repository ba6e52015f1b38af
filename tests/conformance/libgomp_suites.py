"""The suites of libgomp: which files, and how DejaGnu would compile them (testsuite/libgomp.*/*.exp)."""
import dataclasses
import pathlib
import re

import compiling
import dejagnu
import sources

# Effective targets of gcc's DejaGnu files that hold for gcc 12 and clang 19 on x86-64 Linux without an offload device.
EFFECTIVE = {"tls", "tls_runtime", "size32plus", "sync_int_long", "sse2_runtime", "vect_simd_clones", "lto", "__float128",
             "fd_truncate", "fpic", "shared", "lp64", "large_long_double", "alias", "pthread", "vect_int", "c99_runtime",
             "offload_device_shared_as"}  # as DejaGnu finds it: a target region of the host sees the host's memory
# Of them, those that do not hold on another architecture.
NOT_THERE = {"aarch64": {"sse2_runtime", "vect_simd_clones", "__float128"}}
# Flags of gcc's optimisers that clang refuses: dumps of its passes, and passes by name. They change no result.
GCC_ONLY = re.compile(r"-fdump-.*|-ftree-(?!parallelize).*|-fno-tree-.*|-ftree-parallelize-loops=0|-fipa-pta|"
                      r"-fvect-cost-model=.*|-flto-partition=.*")
AUTOMATIC = re.compile(r"-ftree-parallelize-loops=[1-9]")  # no OpenMP in the source: gcc makes the regions
FORTRAN = re.compile(r"\.[fF](|90|95|03|08)$")


@dataclasses.dataclass
class Suite:
    name: str
    compiler: str  # whose programs ask for which library
    command: list[str]
    folders: list[str]
    pattern: re.Pattern
    language: str
    flags: list[str]
    end: list[str]
    gcc: int  # whose tests these are
    version: int  # of the compiler that builds them


def suites(gcc=sources.GCC, clang=compiling.VERSIONS["clang"]):
    """By what --suite calls them: libgomp's tests of that gcc, which compiles them, and those of the usual gcc as clang compiles
    them. The name of a suite has the version of its compiler, unless that is the usual one."""
    C, common = re.compile(r"\.c$"), ["libgomp.c", "libgomp.c-c++-common"]
    of = f"{compiling.target}-" if compiling.target else "" if gcc == sources.GCC else f"{gcc}-"

    def driver(name):
        return [f"{compiling.target}-linux-gnu-{name}-{gcc}", f"--sysroot={compiling.sysroot}"] if compiling.target else [f"{name}-{gcc}"]
    by_clang = "clang" if clang == compiling.VERSIONS["clang"] else f"clang-{clang}"
    found = {
        "c": Suite(f"{of}c", "gcc", driver("gcc"), common, C, "c", ["-O2"], ["-lm"], gcc, gcc),
        "c++": Suite(f"{of}c++", "gcc", driver("g++"), ["libgomp.c++"], re.compile(r"\.C$"), "c++", ["-O2"], [], gcc, gcc),
    }
    for name, level in [("fortran", "-O2"), ("fortran-O0", "-O0")]:
        found[name] = Suite(f"{of}{name}", "gcc", driver("gfortran"), ["libgomp.fortran"], FORTRAN, "fortran", [level], [], gcc, gcc)
    if compiling.target:
        return found
    # clang calls libatomic for what gcc does in place, and says that the user links it.
    found["clang-c"] = Suite(f"{by_clang}-c", "clang", [f"clang-{clang}"], common, C, "c", ["-O2"], ["-lm", "-latomic"], sources.GCC,
                             clang)
    return found


def of_compilers(gcc, clang):
    """The suites by the usual compilers, or, where others are named, by these."""
    found = suites(gcc or sources.GCC, clang or compiling.VERSIONS["clang"])
    if gcc or clang:
        found = {name: suite for name, suite in found.items() if (gcc if suite.compiler == "gcc" else clang)}
    return found


@dataclasses.dataclass
class Test:
    name: str  # its path in the test suite
    suite: Suite
    path: pathlib.Path
    directives: dejagnu.Directives
    command: list[str]  # without -o

    @property
    def skip(self):
        if self.directives.skip:
            return self.directives.skip
        if self.directives.action != "run":
            return f"dg-do {self.directives.action}: nothing is run"
        if self.directives.compile_error:
            return "dg-error: the compiler is to refuse it"
        return None


def effective_targets(language):
    if compiling.target:
        return (EFFECTIVE | {language}) - NOT_THERE[compiling.target]
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    return EFFECTIVE | {language} | ({"avx_runtime"} if "avx" in flags else set())


def clang_flags(flags):
    """(what clang is given of a test's flags, why the test is not for it or None)"""
    if any(AUTOMATIC.fullmatch(flag) for flag in flags):
        return flags, "gcc parallelises it, clang does not"
    return [flag for flag in flags if not GCC_ONLY.fullmatch(flag)], None


def read(suite, build):
    """Returns the tests of SUITE, in order, and what identifies their source."""
    source, key = sources.libgomp(build, suite.gcc)
    # libgomp.h's own test wants what configure writes; of that only this much concerns a test.
    generated = build / "conformance" / "libgomp" / "include"
    generated.mkdir(parents=True, exist_ok=True)
    (generated / "config.h").write_text("#define HAVE_PTHREAD_AFFINITY_NP 1\n")
    include = [f"-I{source.parent / 'include'}", f"-I{source}", f"-I{generated}"]
    targets, tests = effective_targets(suite.language), []
    testsuite = source / "testsuite"
    for folder in suite.folders:
        for path in sorted((testsuite / folder).rglob("*")):
            if not path.is_file() or not suite.pattern.search(path.name):
                continue
            found = dejagnu.parse(path, targets, suite.flags)
            # As gfortran-dg-runtest does it: the test's own options come before the level under test.
            if suite.language == "fortran":
                options = [*(found.options or []), *suite.flags]
            else:
                options = found.options if found.options is not None else suite.flags
            files = [path, *(path.parent / name for name in found.sources)]
            flags = [*options, *found.additional]
            if suite.compiler == "clang":
                flags, reason = clang_flags(flags)
                found.skip = found.skip or reason
            command = [*suite.command, "-fopenmp", *include, *flags, *map(str, files), *suite.end]
            tests.append(Test(str(path.relative_to(testsuite)), suite, path, found, command))
    return tests, key
