"""Builds the programs of a suite, as a user would: the compiler, -fopenmp and nothing of ours."""
import os
import pathlib
import shutil
import subprocess

# A compiler is a name of these, which is the version that the lists of passing cases are of, or one with its version: gcc-14.
VERSIONS = {"gcc": 12, "clang": 19}
DRIVERS = {
    ("gcc", "c"): ["gcc", "-std=gnu11"],
    ("gcc", "c++"): ["g++", "-std=gnu++17"],
    ("gcc", "fortran"): ["gfortran"],
    ("clang", "c"): ["clang", "-std=gnu11"],
    ("clang", "c++"): ["clang++", "-std=gnu++17"],
}
# Of another architecture than this machine's, by cross compilers: set by run.py --target. Its libraries, by name.
target = None
sysroot = None
WARNINGS = ["-Wall", "-Wextra", "-Wno-unknown-pragmas"]


def emulator():
    """What runs a program of the target, as words before it; of this machine's own architecture, nothing."""
    return [f"qemu-{target}-static", "-L", str(sysroot)] if target else []


def family(compiler):
    return compiler.partition("-")[0]


def version(compiler):
    return int(compiler.partition("-")[2] or VERSIONS[compiler])


def driver(compiler, language):
    name, *flags = DRIVERS[family(compiler), language]
    command = f"{name}-{version(compiler)}"
    if target and family(compiler) == "gcc":
        return [f"{target}-linux-gnu-{command}", f"--sysroot={sysroot}", *flags]
    if target:
        return [command, f"--target={target}-linux-gnu", f"--sysroot={sysroot}", f"-L{sysroot}/usr/lib/llvm-19/lib", *flags]
    return [command, *flags, *borrowed(compiler)]


def borrowed(compiler):
    """Debian has the header and the library of one clang at a time: others are linked with those of the lists' version."""
    own, lists = (pathlib.Path(f"/usr/lib/llvm-{number}/lib") for number in (version(compiler), VERSIONS["clang"]))
    if family(compiler) != "clang" or any(own.glob("clang/*/include/omp.h")):
        return []
    return ["-idirafter", str(lists / f"clang/{VERSIONS['clang']}/include"), f"-L{lists}"]


def installed():
    """Every gcc and clang of this machine, the oldest first; those of the lists without their version."""
    found = [f"{name}-{number}" for name in VERSIONS for number in range(12, 40) if shutil.which(f"{name}-{number}")]
    return [family(compiler) if version(compiler) == VERSIONS[family(compiler)] else compiler for compiler in found]


def command_for(program, compiler, level, output):
    flags = ["-g", f"-{level}", "-fopenmp", "-pthread", *WARNINGS]
    if program.language == "fortran":
        flags += ["-J", str(output.parent)]  # module files
    return [*driver(compiler, program.language), *flags, str(program.source), "-o", str(output), "-lm",
            *program.flags.get(family(compiler), [])]


def up_to_date(program, output, command):
    note = output.with_suffix(".command")
    if not output.exists() or not note.exists() or note.read_text() != repr(command):
        return False
    inputs = [program.source, *program.source.parent.glob("*.h")]
    return all(path.stat().st_mtime_ns < output.stat().st_mtime_ns for path in inputs)


def build(program, compiler, level, folder):
    """Returns (path, None) or (None, what went wrong)."""
    if program.source is None:
        path = folder.parent / "programs" / f"{program.name}-{family(compiler)}"
        return (path, None) if path.exists() else (None, f"{path} is not built: ninja programs")
    output = pathlib.Path(folder, f"{compiler}-{level}", program.name, program.name)
    command = command_for(program, compiler, level, output)
    # Under another name until it is whole: several runs may build into one folder at the same time.
    made = output.with_suffix(f".{os.getpid()}")
    if up_to_date(program, output, command):
        return output, None
    output.parent.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run([str(made) if word == str(output) else word for word in command], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300)
    except FileNotFoundError:
        return None, f"{command[0]} is not installed (./dev test installs what the tests need)"
    except subprocess.TimeoutExpired:
        return None, f"{command[0]} took longer than 300 s"
    if done.returncode != 0:
        return None, "\n".join([" ".join(command), *done.stdout.splitlines()[:12]])
    made.replace(output)
    output.with_suffix(".command").write_text(repr(command))
    return output, None
