"""Programs with more rights than their caller (setuid, setgid, capabilities: AT_SECURE) that are linked to our library: none of the
caller's variables opens, writes or loads a file."""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from harness import BUILD, CliTest, RUNTIME, RUNTIME_LINK, environment, main

# Prints whether it is such a program. Uses everything that reads a setting: places, tasks, a lock, the schedule.
PROGRAM = r"""
#include <omp.h>
#include <stdio.h>
#include <sys/auxv.h>
int main(void) {
  int sum = 0;
  #pragma omp parallel reduction(+ : sum)
  #pragma omp single
  for (int i = 0; i < 10; ++i)
    #pragma omp task shared(sum)
    {
      #pragma omp critical
      sum += i;
    }
  printf("%ld %d %d\n", getauxval(AT_SECURE), sum, omp_get_max_threads());
  return 0;
}
"""

# Leaves a file when it is loaded.
LOADED = r"""
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void loaded(void) { close(open("PATH", O_CREAT | O_WRONLY, 0600)); }
void* ompt_start_tool(unsigned version, const char* runtime) { (void)version, (void)runtime; return 0; }
"""


def other_group():
    """A group that a program of ours can be set to: any for root, otherwise one of our supplementary groups."""
    if os.geteuid() == 0:
        return 65534
    return next((g for g in os.getgroups() if g != os.getgid()), None)


class Privileged(CliTest):
    def setUp(self):
        # Not in /tmp, which may be mounted nosuid.
        self.folder = Path(tempfile.mkdtemp(prefix="privileged-", dir=BUILD))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        lib = self.folder / "lib"
        lib.mkdir()
        for file in [RUNTIME, RUNTIME_LINK, RUNTIME.with_name("libgomp.so.1")]:
            shutil.copy(file, lib / file.name, follow_symlinks=False)
        self.plain = self.compile(PROGRAM, f"-Wl,-rpath,{lib}", name="plain")
        self.privileged = self.folder / "privileged"
        shutil.copy(self.plain, self.privileged)
        group = other_group()
        self.assertIsNotNone(group, "as root, or as one who is in two groups at least: this test gives a program a second group's rights")
        os.chown(self.privileged, -1, group)
        self.privileged.chmod(0o2755)
        self.trace = self.folder / "trace"
        (self.folder / "evil").mkdir()
        self.evil = self.folder / "evil" / "hwloc_evil.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", self.evil, "-x", "c", "-"], input=LOADED.replace("PATH", str(self.trace)), text=True,
                       check=True)
        (self.folder / "models").mkdir()
        (self.folder / "models" / "secretname.json").write_text("{")

    def run_it(self, program, env):
        return subprocess.run([program], env=environment(env), cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def test_no_variable_names_a_file(self):
        f = self.folder
        precious = "precious\n" * 100
        # Each variable, with what it leaves behind if the program is not privileged: otherwise this would prove
        # nothing.
        for env, acts in (
            ({"HWLOC_PLUGINS_PATH": f / "evil", "OMP_PLACES": "cores"}, lambda err: self.trace.stat().st_size == 0),
            ({"EINKORN_STATS": self.trace}, lambda err: self.trace.stat().st_size > 0),
            ({"OMP_TOOL_VERBOSE_INIT": self.trace}, lambda err: "precious" not in self.trace.read_text()),
            ({"OMP_TOOL_LIBRARIES": self.evil}, lambda err: self.trace.stat().st_size == 0),
            ({"EINKORN_RECORD": self.trace}, lambda err: self.trace.stat().st_size > 0),
            ({"EINKORN_MACHINES": f / "models", "EINKORN_MACHINE": "nosuch"}, lambda err: "secretname" in err),
            ({"EINKORN_MACHINE": f / "models" / "secretname.json"}, lambda err: "secretname" in err),
        ):
            env = {name: str(value) for name, value in env.items()}
            overwritten = "OMP_TOOL_VERBOSE_INIT" in env
            with self.subTest(env=env):
                for program in [self.privileged, self.plain]:
                    self.trace.unlink(missing_ok=True)
                    if overwritten:
                        self.trace.write_text(precious)
                    done = self.run_it(program, {**env, "OMP_NUM_THREADS": "3"})
                    self.assertEqual(done.returncode, 0, done.stderr)
                    if program == self.privileged:
                        # Numbers still take effect.
                        self.assertEqual(done.stdout, "1 45 3\n", f"{f} may be mounted nosuid: build elsewhere")
                        self.assertEqual(done.stderr, "")
                        self.assertEqual(self.trace.read_text() if self.trace.exists() else None, precious if overwritten else None)
                        left = sorted(p.name for p in f.iterdir())
                    else:
                        self.assertRegex(done.stdout, r"^0 45 ")
                        self.assertTrue(acts(done.stderr), done.stderr)
                self.assertEqual(left, sorted(["evil", "lib", "models", "plain", "plain.c", "privileged", *["trace"] * overwritten]))

    def test_the_one_gate(self):
        """Nothing in the library reads the environment except through the one function that knows of this; exempt are the recorder, which a
    privileged program does not start, and libc itself."""
        source = Path(re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M).group(1)) / "src"
        readers = set()
        for folder in ["base", "machine", "memory", "schedule", "flow", "runtime", "abi"]:
            for file in (source / folder).rglob("*.[ch]*"):
                if re.search(r"\b(secure_)?getenv\(|\benviron\b|__environ", file.read_text()):
                    readers.add(str(file.relative_to(source)))
        self.assertEqual(readers, {"base/environment.cpp"})


if __name__ == "__main__":
    main()
