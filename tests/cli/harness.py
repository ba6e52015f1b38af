"""What the tests of the command line share: the tool under test, a scratch folder, programs compiled on the spot.

Run by ctest as `python3 NAME.py`, with EINKORN_BUILD naming the build folder. A compiler or tool that is missing makes a
test fail, never skip.
"""
import atexit
import contextlib
import lzma
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ.get("EINKORN_BUILD") or sys.exit("EINKORN_BUILD is not set: run the tests with ctest")).resolve()
TOOL = BUILD / "bin" / "einkorn"
RUNTIME_LINK = BUILD / "lib" / "libeinkorn.so"
RUNTIME = RUNTIME_LINK.resolve()
CLANG = "clang-19"
MACHINE, = struct.unpack("<H", TOOL.read_bytes()[18:20])  # of its ELF header
EMULATED = MACHINE != struct.unpack("<H", Path("/proc/self/exe").read_bytes()[18:20])[0]  # Python is this machine's


def called_by_name():
    """Makes every test call the tool as a user who installed it does: by its name, through PATH, which has it as a link, in a folder
    with a space, and from a folder of its own. Tests of other layers name the file."""
    folder = Path(tempfile.mkdtemp(prefix="cli test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in ["bin", "somewhere else"]:
        (folder / name).mkdir()
        (folder / name).chmod(0o755)
    folder.chmod(0o755)
    (folder / "bin" / TOOL.name).symlink_to(TOOL)
    os.environ["PATH"] = f"{folder / 'bin'}:{os.environ['PATH']}"
    os.chdir(folder / "somewhere else")
    return TOOL.name


EINKORN = called_by_name()

# Prints the number of threads of a parallel region.
HELLO = r"""
#include <stdio.h>
int main(void) {
  int n = 0;
  #pragma omp parallel num_threads(3) reduction(+ : n)
  n += 1;
  printf("%d threads\n", n);
  return 0;
}
"""

# Creates exactly 100 tasks.
TASKS = r"""
#include <stdio.h>
int main(void) {
  long sum = 0;
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int i = 0; i < 100; ++i)
    #pragma omp task shared(sum)
    {
      #pragma omp atomic
      sum += i;
    }
  printf("%ld\n", sum);
  return 0;
}
"""

# A recursion of tasks, without a cut-off, on lines 6 and 8.
FIB = r"""
#include <stdio.h>
static long fib(int n) {
  long a, b;
  if (n < 2) return n;
  #pragma omp task shared(a)
  a = fib(n - 1);
  #pragma omp task shared(b)
  b = fib(n - 2);
  #pragma omp taskwait
  return a + b;
}
int main(void) {
  long r = 0;
  #pragma omp parallel num_threads(2)
  #pragma omp single
  r = fib(16);
  printf("%ld\n", r);
  return 0;
}
"""


def ahead_of_others():
    """Called in a child before it becomes a program whose times count: times are invalid if threads were off their CPUs, and
    other tests may run meanwhile."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def is_image(process, program):
    """Has that process become the program? An emulator's words begin with its own name."""
    return str(program) in Path(f"/proc/{process}/cmdline").read_text().split("\0")[:2]


def all_of_terminal(fd):
    """Returns what was written to a pseudo-terminal until its other side was closed; closes this one."""
    text = b""
    try:
        while part := os.read(fd, 4096):
            text += part
    except OSError:  # a terminal's end
        pass
    os.close(fd)
    return text


class CliTest(unittest.TestCase):
    """One scratch folder per test, which is also its working directory."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="cli-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def kept(self, name, as_file):
        """Copies a recording of tests/kept, of a program of these tests, with valid times, to that file in the scratch folder."""
        packed = Path(__file__).resolve().parent.parent / "kept" / f"cli-{name}.grain.xz"
        (self.folder / as_file).write_bytes(lzma.decompress(packed.read_bytes()))
        return self.folder / as_file

    def compile(self, source, *options, name="app", compiler="gcc"):
        """Compiles C with -fopenmp; returns the path of the result."""
        text = self.folder / f"{name}.c"
        text.write_text(source)
        out = self.folder / name
        # "." has the libraries that a test made before.
        done = subprocess.run([compiler, "-O1", "-fopenmp", str(text), "-o", str(out), *options], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{compiler} {options}: {done.stderr}")
        return out

    def einkorn(self, *words, env=None, cwd=None, timeout=120, unprivileged=False, **more):
        """Runs the tool to its end; returncode < 0 is a signal, as in subprocess. `unprivileged`: not as root, for whom
    permissions do not count."""
        more.setdefault("stdin", subprocess.DEVNULL)
        tool = TOOL if "PATH" in (env or {}) else EINKORN
        if unprivileged and os.geteuid() == 0:
            tool = self.public_copy()
            more.update(user=65534, group=65534, extra_groups=[])
        return subprocess.run([str(tool), *map(str, words)], env=environment(env), cwd=cwd or self.folder,
                              capture_output=True, text=True, timeout=timeout, **more)

    def public_copy(self):
        """Copies the tool and its libraries to a folder that everybody may read: the build folder may be in root's home."""
        self.folder.chmod(0o755)
        home = self.folder / "einkorn"
        for file in [TOOL, RUNTIME, RUNTIME_LINK, RUNTIME.with_name("libeinkorn-audit.so")]:
            copy = home / file.relative_to(BUILD)
            if not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, copy, follow_symlinks=False)
        return home / "bin" / "einkorn"

    def assert_refused(self, done, status, *fragments):
        """Asserts exactly one message of ours, a status of ours, and nothing on stdout."""
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("einkorn: "), lines[0])
        for fragment in fragments:
            self.assertIn(str(fragment), lines[0])

    def messages(self, text):
        """Our own lines on stderr of a run, without the ones that only tell where the recording is."""
        return [line for line in text.splitlines()
                if line.startswith("einkorn: ") and not line.startswith("einkorn: recorded in ")
                and " further process" not in line]


def environment(more=None):
    """Our environment, without the variables that control OpenMP or the dynamic linker."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("EINKORN_", "OMP_", "KMP_", "GOMP_", "LD_"))}
    clean.update(more or {})
    return clean


def mark_known():
    """EINKORN_KNOWN names a list of what cannot pass here (tests/cross/user-emulation.txt), with lines `cli.SUBJECT:CLASS.TEST  WHY` for
    single tests of these files: each has to be there, and to fail. dev.d/summary.py counts what is printed."""
    script, listed = sys.modules["__main__"], os.environ.get("EINKORN_KNOWN")
    for line in Path(listed).read_text().splitlines() if listed else []:
        subject, _, name = line.partition(" ")[0].partition(":")
        if subject == f"cli.{Path(script.__file__).stem}" and name:
            case, test = name.split(".")
            setattr(getattr(script, case), test, unittest.expectedFailure(getattr(getattr(script, case), test)))
            print(f"known not to pass: {line}", flush=True)


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    mark_known()
    unittest.main(verbosity=2)
