"""The second recording level: what the counters of threads saw in each grain. Software counters are everywhere; what this machine has
of the processor's is not looked at but for what the report says of them."""
import csv
import json
import subprocess
import sys
from pathlib import Path

from harness import CLANG, TOOL, CliTest, main

# The chunks of a loop touch 100, 200, 300 new pages; then four tasks 50 each; then each member of the team 30.
PAGES = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static void touch(int pages) {
  char *memory = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, pages * 4096, MADV_NOHUGEPAGE);
  for (int i = 0; i < pages; ++i) ((volatile char *)memory)[i * 4096] = 1;
  munmap(memory, pages * 4096);
}
static void *region(void *unused) {
  #pragma omp parallel num_threads(2)
  {
    #pragma omp for schedule(dynamic, 1)
    for (int i = 1; i <= 3; ++i) touch(100 * i);
    #pragma omp single
    for (int i = 0; i < 4; ++i) {
      #pragma omp task
      touch(50);
    }
    touch(30);
  }
  return unused;
}
int main(int argc, char **argv) {
  touch(1000);
  region(NULL);
#ifdef FORKS
  pid_t child = fork();
  region(NULL);
  if (child == 0) return 0;
  waitpid(child, NULL, 0);
#endif
#ifdef THREADS
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, region, NULL);
    pthread_join(thread, NULL);
  }
#endif
#ifdef CLOSES
  for (int fd = 3; fd < 4096; ++fd) close(fd);
  region(NULL);
#endif
  printf("done\n");
  return argc > 1 ? 7 : 0;
}
"""
SOFTWARE = "page-faults,context-switches"
# perf_event_open is not there for what follows: a filter of system calls, by seccomp(2) as a container would set it.
WITHOUT_PERF = r"""
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
  struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {4, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 99;
  return execvp(argv[1], argv + 1);
}
"""
PARANOID = int(Path("/proc/sys/kernel/perf_event_paranoid").read_text())


class Counters(CliTest):
    def record(self, app, *options, words=(), **more):
        done = self.einkorn("record", "-o", "app.grain", *options, "--", app, *words, **more)
        self.assertEqual(done.stdout, "done\n", done.stderr)
        return done

    def json_of(self, file="app.grain"):
        done = self.einkorn("report", "--json", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "report.json").write_text(done.stdout)
        schema = subprocess.run([sys.executable, Path(__file__).with_name("schema.py"), self.folder / "report.json"],
                                capture_output=True, text=True)
        self.assertEqual(schema.returncode, 0, schema.stdout + schema.stderr)
        return json.loads(done.stdout)

    def assert_pages(self, report, loops=1):
        """Of the runtime's own faults a few may be in a grain: it maps memory where tasks are made."""
        sources = {s["construct"]: s for s in report["counters"]["sources"]}
        for construct, pages, grains in [("loop", 600, 3), ("task", 200, 4)]:
            source = sources[construct]
            self.assertEqual(source["grains"], grains * loops)
            self.assertNotIn("grains_not_counted", source)
            self.assertGreaterEqual(source["counts"]["page_faults"], pages * loops)
            self.assertLessEqual(source["counts"]["page_faults"], (pages + 40) * loops)
        shares = sources["parallel"]["counts"]["page_faults"]
        self.assertGreaterEqual(shares, 60 * loops)

    def test_each_grain_has_its_own_page_faults(self):
        for compiler in ["gcc", CLANG]:
            app = self.compile(PAGES, "-g", compiler=compiler)
            done = self.record(app, f"--counters={SOFTWARE}", words=["seven"])
            self.assertEqual(done.returncode, 7)
            self.assertIn("What the counters saw", done.stderr)
            report = self.json_of()
            self.assertEqual(report["level"], "structure and time, counters")
            self.assertEqual(report["counters"]["counted"], ["page_faults", "context_switches"])
            self.assertNotIn("absent", report["counters"])
            self.assert_pages(report)

    def test_nothing_changes_without_the_option(self):
        app = self.compile(PAGES, "-g")
        self.record(app)
        report = self.json_of()
        self.assertEqual(report["level"], "structure and time")
        self.assertNotIn("counters", report)

    def test_what_is_not_here_is_said_and_the_others_are_counted(self):
        app = self.compile(PAGES, "-g")
        open_to_all = self.folder / "open"
        open_to_all.mkdir()
        open_to_all.chmod(0o777)
        done = self.record(app, "--counters", unprivileged=True, cwd=open_to_all)
        report = self.json_of(open_to_all / "app.grain")
        counted, absent = report["counters"]["counted"], report["counters"].get("absent", [])
        self.assertEqual(len(counted) + len(absent), 8)
        self.assertIn("page_faults", counted)
        self.assertIn("context_switches", counted)
        self.assert_pages(report)
        for a in absent:
            name = a["counter"].replace("_", "-")
            self.assertRegex(done.stderr, f"(?m)^einkorn: not counted: .*{name}")
            self.assertIn(name, a["advice"])
        if PARANOID > 1:
            self.assertIn("sudo sysctl kernel.perf_event_paranoid=1", done.stderr)
            self.assertIn(f"kernel.perf_event_paranoid is {PARANOID}.", done.stderr)
            self.assertNotIn("migrations", counted)
        if not any(Path("/sys/bus/event_source/devices").glob("cpu*")):
            self.assertIn("as most virtual machines do", done.stderr)
            self.assertNotIn("cycles", report["counters"]["grains"]["counts"])

    def test_nothing_that_was_asked_for_is_here(self):
        app = self.compile(PAGES, "-g")
        filtered = self.compile(WITHOUT_PERF, name="filtered")
        done = subprocess.run([filtered, TOOL, "record", "-o", "app.grain", "--counters=cycles,migrations", "--", app],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
        self.assertIn("a filter of system calls forbids perf_event_open", done.stderr)
        self.assertIn("docker run --cap-add PERFMON", done.stderr)
        self.assertIn("the program is recorded without", done.stderr)
        report = self.json_of()
        self.assertEqual(report["counters"]["counted"], [])
        self.assertEqual([a["reason"] for a in report["counters"]["absent"]], ["seccomp", "seccomp"])
        self.assertEqual(report["level"], "structure and time")
        # Page faults are told by another call.
        done = subprocess.run([filtered, TOOL, "record", "-o", "app.grain", "--counters", "--", app],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
        self.assert_pages(self.json_of())

    def test_forked_processes_have_counters_of_their_own(self):
        app = self.compile(PAGES, "-g", "-DFORKS")
        self.record(app, f"--counters={SOFTWARE}", "--no-report")
        files = sorted(self.folder.glob("*.grain"))
        self.assertEqual(len(files), 2)
        self.assert_pages(self.json_of("app.grain"), loops=2)
        other = next(f for f in files if f.name != "app.grain")
        self.assert_pages(self.json_of(other.name))

    def test_threads_come_and_go(self):
        app = self.compile(PAGES, "-g", "-DTHREADS", "-pthread")
        self.record(app, f"--counters={SOFTWARE}")
        self.assert_pages(self.json_of(), loops=21)

    def test_a_program_that_closes_all_descriptors_runs_on(self):
        app = self.compile(PAGES, "-g", "-DCLOSES")
        done = self.record(app, "--counters=page-faults")
        self.assertEqual(done.returncode, 0)

    def test_limits(self):
        app = self.compile(PAGES, "-g", "-DTHREADS", "-pthread")
        for limits in [["--last", "1m"], ["--last", "1ms"], ["--max-size", "1K"], ["--depth", "0"], ["--roi"]]:
            self.record(app, f"--counters={SOFTWARE}", *limits)
            report = self.json_of()
            if limits == ["--last", "1m"]:
                self.assert_pages(report, loops=21)
            if limits == ["--depth", "0"]:
                self.assertEqual(report["aggregated_tasks"], 84)
                self.assertNotIn("task", {s["construct"] for s in report["counters"]["sources"]})

    def test_the_table_of_grains_has_a_column_for_each(self):
        app = self.compile(PAGES, "-g")
        self.record(app, f"--counters={SOFTWARE}")
        done = self.einkorn("export", "app.grain", "--to", "csv", "-o", "app.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "app.csv", newline="") as table:
            rows = list(csv.DictReader(table))
        chunks = sorted(int(r["page_faults"]) for r in rows if r["kind"] == "chunk")
        for pages, counted in zip([100, 200, 300], chunks):
            self.assertTrue(pages <= counted <= pages + 20, chunks)
        self.assertNotIn("cycles", rows[0])
        self.assertTrue(all(r["page_faults"] == "" for r in rows if r["kind"] == "implicit"))
        self.assertTrue(all(r["ipc"] == "" for r in rows))

    def test_wrong_lists_are_refused(self):
        app = self.compile(PAGES, "-g")
        done = self.einkorn("record", "--counters=cycels", "--", app)
        self.assert_refused(done, 125, "no counter 'cycels'", "Did you mean 'cycles'?", "page-faults")
        done = self.einkorn("record", "--counters=cycles,", "--", app)
        self.assert_refused(done, 125, "no counter ''")
        everything = ("cycles,instructions,stalled-cycles,llc-misses,remote-accesses,page-faults,context-switches,migrations,"
                      "branch-misses,major-faults")
        done = self.einkorn("record", f"--counters={everything}", "--", app)
        self.assert_refused(done, 125, "more than 8")
        done = self.einkorn("record", "--counters", "--accesses", "--", app)
        self.assert_refused(done, 125, "--accesses and --counters cannot be combined")
        done = self.einkorn("record", "--counters", "--runtime", "libomp", "--", app)
        self.assert_refused(done, 125, "--counters is for Einkorn's runtime")

    def test_the_variable_alone(self):
        app = self.compile(PAGES, "-g")
        done = self.einkorn("run", "--", app, env={"EINKORN_RECORD": "app.grain", "EINKORN_RECORD_COUNTERS": "page_faults"})
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.json_of()["counters"]["counted"], ["page_faults"])
        done = self.einkorn("run", "--", app, env={"EINKORN_RECORD": "b.grain", "EINKORN_RECORD_COUNTERS": "cake"})
        self.assertEqual(done.stdout, "done\n")
        self.assertIn("no counter 'cake'", done.stderr)
        self.assertNotIn("counters", self.json_of("b.grain"))


if __name__ == "__main__":
    main()
