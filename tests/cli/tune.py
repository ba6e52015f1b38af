"""`einkorn tune`: what it tries, what it says of programs that cannot be tuned, and that what it writes is used.

No test judges a time: the programs that get faster by a hint sleep without it."""
import json
import os
import re
import signal
import subprocess
import time

from harness import CliTest, EINKORN, EMULATED, environment, FIB, main

# Sleeps where its region has two threads. ARGUMENT: what it prints; whether it fails.
SLEEPS = r"""
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifndef CLAUSE
#define CLAUSE
#endif
int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int n = 0, runs = 0;
  #pragma omp parallel CLAUSE
  #pragma omp single
  {
    n = omp_get_num_threads();
    usleep(n > 1 ? 100000 : 1000);
  }
  if (!strcmp(what, "threads")) printf("%d\n", n);
  else if (!strcmp(what, "process")) printf("%d\n", (int)getpid());
  else if (!strcmp(what, "fails")) return 3;
  else if (!strcmp(what, "hangs") && n == 1) pause();
  else if (!strcmp(what, "dies")) abort();
  else if (!strcmp(what, "wavers")) {
    FILE *file = fopen("runs", "r");
    if (file) { if (fscanf(file, "%d", &runs) != 1) return 9; fclose(file); }
    file = fopen("runs", "w");
    fprintf(file, "%d", ++runs);
    fclose(file);
    return runs == 2;
  } else if (!strcmp(what, "reads")) { char line[99]; if (!fgets(line, 99, stdin)) return 8; printf("%s", line); }
  return 0;
}
"""

# Ten tasks of a millisecond for two threads.
COARSE = r"""
#include <stdio.h>
#include <time.h>
static void work(void) {
  struct timespec from, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - from.tv_sec) * 1000000000 + now.tv_nsec - from.tv_nsec < 1000000);
}
int main(void) {
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int i = 0; i < 10; ++i)
    #pragma omp task
    work();
  puts("done");
  return 0;
}
"""


# A loop whose second half takes all of the time. The first run sleeps, too.
AGAIN = r"""
#include <stdio.h>
#include <unistd.h>
static volatile double sink;
static void work(void) { double x = 1; for (long i = 0; i < 200000; ++i) x = x * 0.999999 + 1e-9; sink = x; }
int main(void) {
  int runs = 0;
  FILE *file = fopen("runs", "r");
  if (file) { if (fscanf(file, "%d", &runs) != 1) return 9; fclose(file); }
  file = fopen("runs", "w");
  fprintf(file, "%d", ++runs);
  fclose(file);
  #pragma omp parallel
  {
    if (runs == 1) usleep(200000);
    #pragma omp for schedule(runtime)
    for (int i = 0; i < 100; ++i) if (i >= 50) work();
  }
  puts("done");
  return 0;
}
"""


# What SLEEPS does, and its packages count so many microjoules for it: JOULES_OF_ONE and JOULES_OF_MORE threads.
TAKES = SLEEPS.replace("  if (!strcmp(what", """  FILE *counter = fopen(getenv("COUNTER"), "r+");
  long now = 0;
  if (!counter || fscanf(counter, "%ld", &now) != 1) return 7;
  rewind(counter);
  fprintf(counter, "%ld\\n", now + 1000000 * atol(getenv(n > 1 ? "JOULES_OF_MORE" : "JOULES_OF_ONE")));
  fclose(counter);
  if (!strcmp(what""", 1)


class TuneTest(CliTest):
    def tune(self, *words, options=(), **more):
        return self.einkorn("tune", *options, "--", "./app", *words, env={"OMP_NUM_THREADS": "2", "OMP_SCHEDULE": "static"}, **more)

    def cores(self, *words, options=(), **more):
        done = self.tune(*words, options=["--goal", "cores", "--json", *options], **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)


class ForEnergy(TuneTest):
    def energy(self, one, more, *options, slower=1, **set_by_user):
        """What tune says of a program that takes so many joules with one thread, and with two, whether threads wait awake or not."""
        set_by_user = set_by_user or {"OMP_WAIT_POLICY": "passive"}
        self.compile(TAKES.replace("1000)", f"{100000 * slower})" if slower > 1 else "1000)"), "-g")
        zone = self.folder / "power cap" / "intel-rapl:0"
        zone.mkdir(parents=True, exist_ok=True)
        for name, text in [("name", "package-0"), ("energy_uj", "5000000"), ("max_energy_range_uj", "262143328850")]:
            (zone / name).write_text(text + "\n")
        return self.einkorn("tune", "--goal", "energy", *options, "--", "./app",
                            env={"OMP_NUM_THREADS": "2", "EINKORN_POWERCAP": str(zone.parent), "COUNTER": str(zone / "energy_uj"),
                                 "JOULES_OF_ONE": str(one), "JOULES_OF_MORE": str(more), **set_by_user})

    def test_a_hint_that_takes_less_is_written(self):
        told = json.loads(self.energy(30, 40, "--json").stdout)
        t = told["tried"][0]
        self.assertEqual((told["goal"], t["verdict"], t["before_joules"], t["after_joules"]), ("energy", "accepted", 40, 30))
        self.assertRegex((self.folder / "app.hints").read_text(), r"# 40 J before, 30 J with it; .* before, .* \(medians of \d pairs\)")
        told = self.energy(30, 40, "-o", "x.hints")
        self.assertRegex(told.stdout, r"(?s)^Tuned for energy: .*40 J without, 30 J with it \(-25\.0 %\)\n.* without, .* with it")

    def test_that_threads_sleep_is_tried_unless_the_user_says_how_they_wait(self):
        asleep = "set OMP_WAIT_POLICY=passive"
        self.assertEqual(json.loads(self.energy(40, 40, "--json", OMP_WAIT_POLICY="").stdout)["tried"][0]["hints"], asleep)
        for variable in ("OMP_WAIT_POLICY", "KMP_BLOCKTIME"):
            told = json.loads(self.energy(40, 40, "--json", **{variable: "active" if variable.startswith("OMP") else "10"}).stdout)
            self.assertNotIn(asleep, [t["hints"] for t in told["tried"]])

    def test_one_that_takes_as_much_is_not_though_it_is_faster(self):
        told = json.loads(self.energy(40, 40, "--json").stdout)
        self.assertEqual([t["verdict"] for t in told["tried"]], ["takes no less energy"])
        self.assertNotIn("hints_file", told)

    def test_one_that_takes_less_in_too_long_a_time_is_not(self):
        told = json.loads(self.energy(10, 40, "--json", slower=2).stdout)
        self.assertEqual([t["verdict"] for t in told["tried"]], ["takes longer"])
        told = json.loads(self.energy(10, 40, "--json", "--loss", "300", slower=2).stdout)
        self.assertEqual([t["verdict"] for t in told["tried"]], ["accepted"])

    def test_a_machine_that_does_not_count_it(self):
        self.compile(SLEEPS)
        done = self.einkorn("tune", "--goal", "energy", "--", "./app", env={"EINKORN_POWERCAP": "."})
        self.assert_refused(done, 125, "does not tell what energy it takes", "intel-rapl")


class Found(TuneTest):
    def test_a_hint_that_helps_is_written_and_used(self):
        self.compile(SLEEPS, "-g")
        told = self.cores()
        self.assertEqual(told["hints_file"], "app.hints")
        self.assertEqual([t["hints"] for t in told["tried"]], ["region app.c:13 threads=1"])
        t = told["tried"][0]
        self.assertEqual((t["verdict"], t["pairs"], told["runs"]), ("accepted", 3, 7))
        self.assertGreater(t["gained_seconds"], 0.05)
        self.assertAlmostEqual(t["gained_seconds"], t["before_seconds"] - t["after_seconds"])
        text = (self.folder / "app.hints").read_text()
        self.assertRegex(text, r"^einkorn-hints 1\nobject app [0-9a-f]{40}\n# .* before, .* with it \(medians of 3 pairs\)\n"
                               r"region app\.c:13 at 0x[0-9a-f]+ threads=1\n$")
        self.assertEqual(self.einkorn("run", "--hints", "app.hints", "--", "./app", "threads", env={"OMP_NUM_THREADS": "2"}).stdout, "1\n")
        done = self.tune(options=["--goal", "cores", "-o", "other.hints"])
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 hint in other.hints. Use it: einkorn run --hints other.hints -- ./app", done.stdout)
        self.assertRegex(done.stdout, r"without, .* with it \(-\d+\.\d %, medians of 3 pairs\)")

    def test_a_hint_that_changes_the_results_is_dropped(self):
        self.compile(SLEEPS)
        told = self.cores("threads")
        self.assertEqual([t["verdict"] for t in told["tried"]], ["changes the results"])
        self.assertNotIn("hints_file", told)
        self.assertFalse((self.folder / "app.hints").exists())
        told = self.cores("threads", options=["--check", "grep -q '^[0-9]*$'"])
        self.assertEqual([t["verdict"] for t in told["tried"]], ["accepted"])
        done = self.tune("threads", options=["--goal", "cores", "--json", "--check", "grep 2"])  # which prints
        self.assertEqual([t["verdict"] for t in json.loads(done.stdout)["tried"]], ["changes the results"])

    def test_a_hint_under_which_the_program_hangs_is_dropped(self):
        self.compile(SLEEPS)
        self.assertEqual([t["verdict"] for t in self.cores("hangs")["tried"]], ["does not end"])

    def test_the_users_own_hints_and_recordings_are_not_in_it(self):
        self.compile(SLEEPS)
        (self.folder / "own.hints").write_text("nonsense\n")
        done = self.einkorn("tune", "--goal", "cores", "--json", "--", "./app",
                            env={"OMP_NUM_THREADS": "2", "EINKORN_HINTS": "own.hints", "EINKORN_RECORD": "mine.grain"})
        self.assertEqual([t["verdict"] for t in json.loads(done.stdout)["tried"]], ["accepted"])
        self.assertEqual(list(self.folder.glob("*.grain")), [])

    def test_a_page_shows_it_before_and_after(self):
        self.compile(SLEEPS, "-g")
        self.assertEqual(self.cores(options=["--html", "page.html"])["hints_file"], "app.hints")
        page = (self.folder / "page.html").read_text()
        for name in ["without hints", "with app.hints"]:
            self.assertIn(name, page)

    def test_a_page_where_nothing_helps_says_what_was_tried(self):
        self.compile(SLEEPS, "-g")
        told = self.cores("threads", options=["--html", "page.html"])
        self.assertNotIn("hints_file", told)
        page = (self.folder / "page.html").read_text()
        on_page = json.loads(re.search(r'<script type="application/json" id="einkorn-tuning">(.*?)</script>', page)[1])
        self.assertEqual([t["verdict"] for t in on_page["tried"]], ["changes the results"])
        self.assertEqual(on_page, told)

    def test_the_fewest_threads_are_predicted(self):
        """Ten equal tasks: one thread takes twice as long. So nothing is tried; where other programs had the CPUs nothing is predicted, and
        half of the threads are tried."""
        self.compile(COARSE.replace(" num_threads(2)", ""), "-g")
        told = self.cores()
        if "fewest_threads" in told:
            self.assertEqual([told["fewest_threads"][key]["threads"] for key in ("may", "sure")], [2, 2])
            self.assertEqual((told["tried"], told["why"]), ([], "with fewer than 2 threads it is predicted to take over 5 % longer"))
            self.assertEqual(told["runs"], 1)
        else:
            self.assertEqual([t["hints"] for t in told["tried"]], ["region app.c:11 threads=1"])

    def test_a_recording_that_tells_nothing_is_made_again(self):
        """In its first run the program sleeps in the middle of its work: then times are not valid, and what they would promise is not told."""
        self.compile(AGAIN, "-g")
        done = self.tune(options=["--json", "--budget", "60s"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)
        runs = int((self.folder / "runs").read_text())
        self.assertEqual(runs, told["runs"])
        self.assertGreaterEqual(runs, 2, told)
        if told["tried"]:  # the second or third recording was looked at; a busy machine may have left all three without times
            self.assertEqual(told["tried"][0]["hints"], "loop app.c:17 schedule=dynamic,1")
        else:
            self.assertRegex(told["why"], "^the times of 3 recordings are not valid")

    def test_how_much_may_be_lost(self):
        """One thread takes four times as long."""
        self.compile(SLEEPS.replace("n > 1 ? 100000 : 1000", "n > 1 ? 20000 : 80000"), "-g")
        self.assertEqual([t["verdict"] for t in self.cores()["tried"]], ["takes longer"])
        self.assertEqual([t["verdict"] for t in self.cores(options=["--loss", "900"])["tried"]], ["accepted"])
        for loss in ("half", "nan", "-1"):
            self.assert_refused(self.tune(options=["--goal", "cores", "--loss", loss]), 125, "--loss")
        self.assert_refused(self.tune(options=["--loss", "5"]), 125, "--goal cores")

    def test_what_the_program_says_itself_takes_bold(self):
        self.compile(SLEEPS, "-DCLAUSE=num_threads(2)")
        self.assertEqual([t["verdict"] for t in self.cores()["tried"]], ["the program itself says otherwise"])
        told = self.cores(options=["--bold"])
        self.assertEqual([t["verdict"] for t in told["tried"]], ["accepted"])
        self.assertTrue(told["tried"][0]["hints"].endswith("threads=1 bold"))

    def test_input_from_a_file_is_read_by_each_run(self):
        self.compile(SLEEPS)
        (self.folder / "input").write_text("a line\n")
        with open(self.folder / "input") as file:
            self.assertEqual(self.cores("reads", stdin=file)["tried"][0]["verdict"], "accepted")

    def test_nothing_to_gain_takes_few_runs(self):
        self.compile(COARSE)
        done = self.tune(options=["--json"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)
        self.assertLess(told["runs"], 10)
        self.assertFalse((self.folder / "app.hints").exists())
        done = self.tune()
        self.assertRegex(done.stdout.splitlines()[-1], "^No hint: ")

    def test_fine_tasks_are_cut_off(self):
        self.compile(FIB.replace("fib(16)", "fib(27)"), "-g")  # long beside what a busy machine takes to start it
        done = self.tune(options=["--json"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)
        if EMULATED and not told["tried"]:  # so is the recorder's thread: of two CPUs it takes more than the 5 % that leave times valid
            self.assertRegex(told["why"], "^the times of 3 recordings are not valid")
            return
        self.assertTrue(told["tried"], told)
        for t in told["tried"]:
            self.assertEqual(sorted(re.findall(r"task (app\.c:\d) cutoff=\d+", t["hints"])), ["app.c:6", "app.c:8"])
            self.assertNotIn(t["verdict"], ["changes the results", "the program itself says otherwise"])
            self.assertGreater(t.get("promised_seconds", 1), 0)  # none on a busy machine
        if "hints_file" in told:
            self.assertEqual(self.einkorn("run", "--hints", "app.hints", "--", "./app").stdout, "196418\n")
        else:
            # None is begun that would end after the ninth run; one that was better in each of its pairs goes on.
            pairs = [t["pairs"] for t in told["tried"] if t["pairs"]]
            self.assertLessEqual(1 + 2 * sum(pairs[:-1]) + 2, 9)


class Refused(TuneTest):
    def refused(self, *words, options=(), told=()):
        done = self.tune(*words, options=options)
        self.assertEqual(done.returncode, 125, done.stdout)
        for fragment in told:
            self.assertIn(fragment, done.stderr + done.stdout)
        return done

    def test_programs_that_cannot_be_tuned(self):
        self.compile(SLEEPS)
        self.assert_refused(self.tune("fails"), 125, "status 3")
        self.assert_refused(self.tune("dies"), 125, "signal 6")
        self.refused("process", options=["--goal", "cores"], told=["differs from run to run", "--check COMMAND"])
        self.refused("wavers", options=["--goal", "cores"], told=["fails now and then: without any further hint a run ended with status 1"])
        self.assert_refused(self.tune(options=["--check", "false"]), 125, "--check says")
        self.assert_refused(self.einkorn("tune", "--", "true"), 125, "did not use OpenMP")
        self.assert_refused(self.einkorn("tune", "--", "./nope"), 127, "nope")

    def test_a_budget_that_is_none_or_too_small(self):
        self.compile(SLEEPS)
        self.assert_refused(self.tune(options=["--budget", "soon"]), 125, "--budget soon")
        self.compile(SLEEPS.replace("100000", "400000"))
        done = self.tune(options=["--goal", "cores", "--budget", "1s"])
        self.assert_refused(done, 125, "a budget of 1s is too small", "--budget ")
        wanted = re.search(r"Give --budget (\d+)s", done.stderr)
        self.assertGreaterEqual(int(wanted[1]), 3)

    def test_outputs_that_cannot_be_written_are_found_before_anything_is_run(self):
        self.compile(SLEEPS)
        before = (self.folder / "app").read_bytes()
        self.assert_refused(self.tune(options=["-o", "app"]), 125, "app is itself what is read")
        self.assert_refused(self.tune(options=["--html", "app"]), 125, "app is itself what is read")
        self.assertEqual((self.folder / "app").read_bytes(), before)
        self.assert_refused(self.tune(options=["-o", "none/app.hints"]), 125, "none/app.hints")
        self.assert_refused(self.tune(options=["-o", "x", "--html", "x"]), 125, "a file each")
        self.assert_refused(self.tune(options=["-o", "-"]), 125, "a file each")

    def test_a_check_that_is_no_command(self):
        self.compile(SLEEPS)
        done = self.tune(options=["--check", "no-such-command 2>/dev/null"])
        self.assert_refused(done, 125, "--check cannot be run")

    def test_ctrl_c_ends_it(self):
        self.compile(SLEEPS)
        scratch = self.folder / "scratch"
        for word, number in [("", signal.SIGINT), ("hangs", signal.SIGINT), ("hangs", signal.SIGTERM)]:
            scratch.mkdir(exist_ok=True)
            tool = subprocess.Popen([str(EINKORN), "tune", "--goal", "cores", "--", "./app", word], cwd=self.folder,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                    env=environment({"OMP_NUM_THREADS": "2", "TMPDIR": str(scratch)}))
            # Its first try has begun.
            while tool.poll() is None and not list(scratch.glob("*/hints")):
                time.sleep(0.01)
            os.killpg(tool.pid, number)
            out, _ = tool.communicate(timeout=60)
            self.assertEqual(tool.returncode, -number, out)
            self.assertEqual(list(scratch.iterdir()), [])

    def test_a_recording_is_not_overwritten(self):
        self.compile(SLEEPS)
        self.assertEqual(self.einkorn("record", "-o", "x.grain", "--no-report", "--", "./app").returncode, 0)
        self.assert_refused(self.tune(options=["-o", "x.grain"]), 125, "x.grain")


if __name__ == "__main__":
    main()
