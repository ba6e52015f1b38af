"""The OpenMP library that foreign tests run under: ours, a real one, LLVM's in the place of libgomp, or any in a folder."""
import os
import pathlib
import subprocess

import cases
import compiling
from run import OURS_TO_SET, ending

NAMES = {"gcc": "libgomp.so.1", "clang": "libomp.so.5"}  # what a compiler's programs ask for
LINKED = {"gcc": "libgomp.so", "clang": "libomp.so"}  # and what it is linked as


def point(link, target):
    """Under another name until it is whole: several runs may do this at the same time."""
    if not link.is_symlink() or os.readlink(link) != str(target):
        made = link.with_name(f"{link.name}.{os.getpid()}")
        made.symlink_to(target)
        made.replace(link)


class Library:
    """Found by LD_LIBRARY_PATH, for every one of them: `folder` has a file or a link of the name that programs ask for."""

    def __init__(self, name, build, compiler, version=None):
        """VERSION of the compiler, if it is not the usual one: its own library comes with it."""
        self.name, self.compiler, self.version = name, compiler, version or compiling.VERSIONS[compiler]
        asked = NAMES[compiler]
        if name == "ours":
            self.folder = build / "lib"
        elif name in ("libgomp", "libomp"):
            self.folder = build / "conformance" / "libraries" / f"{name}-for-{compiler}-{self.version}"
            self.folder.mkdir(parents=True, exist_ok=True)
            real = real_libgomp(self.version) if name == "libgomp" else real_libomp(
                self.version if compiler == "clang" else compiling.VERSIONS["clang"])
            for link in [asked, LINKED[compiler]]:
                point(self.folder / link, real)
        else:
            self.folder = pathlib.Path(name).resolve()
        self.file = (self.folder / asked).resolve()

    def problem(self, folder):
        """Is it the one that programs get? Without this a wrong path would let everything pass on somebody else's."""
        if self.name == "libgomp" and self.compiler == "clang":
            return "programs of clang do not run on libgomp"
        if not self.file.exists():
            return f"{self.folder / NAMES[self.compiler]} does not exist" + (
                ": ninja -C build einkorn_runtime" if self.name == "ours" else "")
        program = cases.Program("probe", cases.HERE / "probe.c", "c", [], {}, [self.compiler])
        path, problem = compiling.build(program, f"{self.compiler}-{self.version}", "O0", folder)
        if not path:
            return f"the probe does not build: {problem}"
        try:
            done = subprocess.run([*compiling.emulator(), str(path)], env=self.environment(), text=True, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"the probe: {error}"
        mapped = [pathlib.Path(line.strip()).resolve() for line in done.stdout.splitlines() if line.startswith("/")]
        if done.returncode != 0 or mapped != [self.file]:
            return (f"{self.file} should serve the probe; {ending(done.returncode)}, OpenMP libraries in the process: "
                    f"{' '.join(map(str, mapped)) or 'none'}\n{done.stdout}")
        return None

    def environment(self, more=None):
        env = {k: v for k, v in os.environ.items() if not k.startswith(OURS_TO_SET)}
        env.update(more or {})
        env["LD_LIBRARY_PATH"] = str(self.folder)
        return env


def real_libgomp(gcc):
    """gcc's own, asked of gcc: elsewhere than on amd64 it has another folder."""
    if compiling.target:
        return compiling.sysroot / "usr" / "lib" / f"{compiling.target}-linux-gnu" / "libgomp.so.1"
    try:
        done = subprocess.run([f"gcc-{gcc}", "-print-file-name=libgomp.so.1"], capture_output=True, text=True)
        found = pathlib.Path(done.stdout.strip())
    except FileNotFoundError:
        found = pathlib.Path()
    return found if found.is_absolute() else pathlib.Path("/usr/lib/x86_64-linux-gnu/libgomp.so.1")


def real_libomp(clang):
    return pathlib.Path(f"/usr/lib/llvm-{clang}/lib/libomp.so.5")
