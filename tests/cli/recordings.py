"""Recordings of programs that begin, end and multiply as they like: which file belongs to whom, and what the tool says of it."""
import json
import os
import re
import signal
import struct
import subprocess
import time

from harness import CliTest, EINKORN, TASKS, environment, main

# argv: how many regions, then how it ends.
REGIONS = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void region(void) {
  #pragma omp parallel for schedule(dynamic, 1) num_threads(2)
  for (int i = 0; i < 10; i++)
    ;
}
int main(int argc, char **argv) {
  const char *how = argv[2];
  for (int i = 0; i < atoi(argv[1]); i++) region();
  if (!strcmp(how, "pool")) {  // workers as those of Python's multiprocessing
    for (int w = 0; w < 4; w++)
      if (!fork()) {
        for (int i = 0; i < 22; i++) region();
        _exit(0);
      }
    while (wait(0) > 0)
      ;
  }
  while (!strcmp(how, "waits") && access("go on", F_OK)) usleep(10000);
  int begun[2];
  char one = 1;
  if (!strcmp(how, "stays") && !pipe(begun)) {
    if (!fork()) {
      region();
      if (write(begun[1], &one, 1) != 1) return 1;
      for (int fd = 0; fd < 3; fd++) close(fd);
      sleep(300);
    }
    if (read(begun[0], &one, 1) != 1) return 1;  // a recording of its own has begun
  }
  if (!strcmp(how, "_exit")) _exit(0);
  if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
  return 0;
}
"""


class Recordings(CliTest):
    def record(self, *words, env=None, status=0):
        done = self.einkorn("record", *words, env=env)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def start(self, *words, env=None):
        return subprocess.Popen([EINKORN, "record", *map(str, words)], cwd=self.folder, env=environment(env), text=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def files(self):
        return sorted(f.name for f in self.folder.glob("*.grain*"))

    def report(self, file):
        done = self.einkorn("report", file, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_whole(self, file, regions):
        found = self.report(file)
        self.assertEqual((found["regions"], found["chunks"], found["complete"], found["damaged_blocks"]),
                         (regions, 10 * regions, True, 0), file)

    def test_an_older_recording_stays_where_the_program_does_not_use_openmp(self):
        app = self.compile(REGIONS)
        self.record("-o", "r.grain", "--", app, 3, "")
        before = (self.folder / "r.grain").read_bytes()
        done = self.record("-o", "r.grain", "--", "true")
        self.assertIn("nothing was recorded", done.stderr)
        self.assertIn("r.grain is of another run", done.stderr)
        self.assertEqual((self.folder / "r.grain").read_bytes(), before)
        # And it is replaced if the program does use OpenMP.
        done = self.record("-o", "r.grain", "--", app, 4, "")
        self.assertEqual(self.files(), ["r.grain"])
        self.assert_whole("r.grain", 4)

    def test_an_older_recording_stays_where_the_disk_is_full(self):
        app = self.compile(REGIONS)
        self.record("-o", "r.grain", "--", app, 3, "")
        before = (self.folder / "r.grain").read_bytes()
        done = self.record("-o", "r.grain", "--", "sh", "-c", f"ulimit -f 0; exec {app} 4 ''")
        self.assertIn("not recording", done.stderr)
        self.assertEqual(self.files(), ["r.grain"])
        self.assertEqual((self.folder / "r.grain").read_bytes(), before)

    def test_two_at_once(self):
        app = self.compile(REGIONS)
        first = self.start("--", app, 3, "waits")
        while not self.files():
            time.sleep(0.01)
        second = self.record("--", app, 5, "")
        (self.folder / "go on").touch()
        told = first.communicate(timeout=60)[1]
        self.assertEqual(len(self.files()), 2)
        self.assertIn(f"recorded in {self.folder}/app.grain\n", told)
        self.assertIn("app 3 waits", told)
        self.assertNotIn("app 5", told)
        own = re.search(r"recorded in (\S+) \(\S+/app.grain is of another run\)", second.stderr)
        self.assertTrue(own, second.stderr)
        self.assertIn("app 5", second.stderr)
        self.assertNotIn("Further processes", second.stderr)
        self.assert_whole("app.grain", 3)
        self.assert_whole(own[1], 5)

    def test_ranks_have_files_of_their_own(self):
        app = self.compile(REGIONS)
        (self.folder / "app.rank9.grain").write_bytes(b"EINKORN\n")  # of an earlier run
        # mpirun starts the tool; then the tool starts mpirun. At once or one after the other makes no difference.
        for variables in [("PMI_RANK", "PMI_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMIX_RANK", "")]:
            ranks = [{variables[0]: str(r), variables[1]: "3"} if variables[1] else {variables[0]: str(r)} for r in range(3)]
            told = [self.record("-o", "app.grain", "--", app, r + 1, "", env=ranks[r]).stderr for r in range(3)]
            self.assertEqual(self.files(), ["app.rank0.grain", "app.rank1.grain", "app.rank2.grain", "app.rank9.grain"])
            for r in range(3):
                self.assert_whole(f"app.rank{r}.grain", r + 1)
                self.assertIn(f"app {r + 1} ", told[r])
                self.assertNotIn("Further processes", told[r])
        script = "; ".join(f"PMI_RANK={r} {app} {r + 4} ''" for r in range(3))
        done = self.record("-o", "app.grain", "--", "sh", "-c", script)
        self.assertIn("2 further processes recorded", done.stderr)
        self.assertNotIn("rank9", done.stderr)
        for r in range(3):
            self.assert_whole(f"app.rank{r}.grain", r + 4)
        # A single process is not a rank: under a batch system's script, or as the only rank.
        for env in [{"SLURM_PROCID": "0"}, {"PMI_RANK": "0", "PMI_SIZE": "1"}]:
            done = self.record("-o", "one.grain", "--", app, 1, "", env=env)
            self.assertIn("recorded in " + str(self.folder / "one.grain"), done.stderr)
        # And a rank asked for in the name is there.
        self.record("-o", "a%r.grain", "--", app, 1, "", env={"PMI_RANK": "5", "PMI_SIZE": "9"})
        self.assert_whole("a5.grain", 1)
        self.record("-o", "/dev/null", "--", app, 1, "", env={"PMI_RANK": "5", "PMI_SIZE": "9"})

    def test_a_pool_of_workers(self):
        app = self.compile(REGIONS)
        done = self.record("-o", "r.grain", "--", app, 3, "pool")
        self.assertIn("4 further processes recorded", done.stderr)
        self.assertNotIn("killed", done.stderr)
        self.assertEqual(len(self.files()), 5)
        for file in self.files():
            self.assert_whole(file, 3 if file == "r.grain" else 22)

    def test_ends_of_the_program(self):
        app = self.compile(REGIONS)
        for how, status in [("_exit", 0), ("kill", -signal.SIGKILL)]:
            done = self.record("-o", f"{how}.grain", "--", app, 7, how, status=status)
            self.assertNotIn("no end", done.stderr)
            self.assert_whole(f"{how}.grain", 7)

    def test_a_process_that_stays(self):
        app = self.compile(REGIONS)
        begun = time.monotonic()
        done = self.record("-o", "r.grain", "--", app, 2, "stays")
        self.assertLess(time.monotonic() - begun, 100)
        staying = re.search(r"process (\d+) still runs and records: \S+/r\.(\d+)\.grain is not in the summary", done.stderr)
        self.assertTrue(staying, done.stderr)
        self.assertEqual(staying[1], staying[2])
        self.assertNotIn("Further processes", done.stderr)
        self.assert_whole("r.grain", 2)
        os.kill(int(staying[1]), signal.SIGKILL)
        until = time.monotonic() + 60  # each look takes an emulated tool its time
        while not self.report(f"r.{staying[1]}.grain")["complete"] and time.monotonic() < until:
            time.sleep(0.02)
        self.assert_whole(f"r.{staying[1]}.grain", 1)

    def test_only_its_owner_reads_a_recording(self):
        app = self.compile(REGIONS)
        old = os.umask(0)
        try:
            self.record("-o", "r.grain", "--", app, 1, "")
        finally:
            os.umask(old)
        self.assertEqual((self.folder / "r.grain").stat().st_mode & 0o777, 0o600)
        header = (self.folder / "r.grain").read_bytes()[:64]
        session, process = struct.unpack_from("<QQ", header, 24)
        self.assertTrue(session >> 32 and process)

    def test_no_thread_for_the_writer(self):
        app = self.compile(REGIONS)
        done = self.record("-o", "r.grain", "--", "python3", "-c", FEW_THREADS, app, 3, "")
        self.assertIn("no thread can be created for the recorder", done.stderr)
        self.assertEqual(self.report("r.grain")["regions"], 3)


# Executes its arguments, to which the kernel then refuses further threads: clone3 does not exist, clone returns EAGAIN.
FEW_THREADS = r"""
import ctypes, os, struct, sys
op = lambda code, jt, jf, k: struct.pack("HBBI", code, jt, jf, k)
program = b"".join([op(0x20, 0, 0, 0), op(0x15, 0, 1, 435), op(6, 0, 0, 0x50000 | 38), op(0x15, 0, 1, 56), op(6, 0, 0, 0x50000 | 11),
                    op(6, 0, 0, 0x7fff0000)])
code = ctypes.create_string_buffer(program)
class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Filter(6, ctypes.addressof(code)))) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""


if __name__ == "__main__":
    main()
