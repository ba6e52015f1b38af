"""Task schedules as the user picks them: --schedule NAME, EINKORN_SCHEDULE."""
import re
import subprocess

from harness import CLANG, CliTest, main

# One producer of a thousand tasks, in a team whose other thread sits in a system call of the program itself: it takes #
# no tasks and asks for none. Prints how many ran while the producer was still creating: these ran at once, as there is
# nobody else.
PRODUCER = r"""
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { kTasks = 1000 };
static int creating, at_once, ran, cell;

static void body(long us) {
  if (creating) at_once++;
  ran++;
  if (us) for (double until = omp_get_wtime() + us * 1e-6; omp_get_wtime() < until;) {}
}

static void produce(long us) {
  creating = 1, at_once = ran = 0;
  for (int i = 0; i < kTasks; i++) {
#pragma omp task CLAUSE
    body(us);
  }
  creating = 0;
#pragma omp taskwait
  printf("%d of %d at once\n", at_once, ran);
}

int main(void) {
  int there[2], done[2];
  char byte = 0;
  if (pipe(there) || pipe(done)) return 1;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
      char mine = 0;
      if (write(there[1], &mine, 1) != 1 || read(done[0], &mine, 1) != 1) _exit(1);
    } else {
      if (read(there[0], &byte, 1) != 1) _exit(1);
      produce(0);
      produce(20);
      if (write(done[1], &byte, 1) != 1) _exit(1);
    }
  }
  return 0;
}
"""
# Where the threads are, by places.
WHERE = r"""
#include <omp.h>
#include <stdio.h>
int main(void) {
  int at[64], n = 0;
#pragma omp parallel
  {
    int cpu;
    omp_get_place_proc_ids(omp_get_place_num(), &cpu);
    at[omp_get_thread_num()] = cpu;
#pragma omp single
    n = omp_get_num_threads();
  }
  printf("%d threads on", n);
  for (int i = 0; i < n; i++) printf(" %d", at[i]);
  puts("");
  return 0;
}
"""
QUEUED, FIRST = 128, 64  # src/runtime/task/inline.h, types.h


class Schedules(CliTest):
    def counts(self, compiler, schedule, clause=""):
        """How many tasks ran at once: of those that do nothing, and of those that take 20 us."""
        name = f"app-{compiler}-{clause.split('(')[0]}"
        app = self.folder / name
        if not app.exists():
            self.compile(PRODUCER, f"-DCLAUSE={clause}", name=name, compiler=compiler)
        done = self.einkorn("run", "--schedule", schedule, "--", app)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual([line[2] for line in lines], ["1000", "1000"], "tasks were lost")
        return [int(line[0]) for line in lines]

    def test_default_runs_nothing_but_tiny_tasks_at_once(self):
        for compiler in ["gcc", CLANG]:
            tiny, coarse = self.counts(compiler, "ws")
            self.assertLessEqual(tiny, 1000 - FIRST)  # how many: tests/cost/counted/at_once.c
            self.assertLess(coarse, 70)  # a batch, to find out that they are
            self.assertEqual(self.counts(compiler, "ws", "priority(1)"), [0, 0])

    def test_central_queues_all(self):
        for compiler in ["gcc", CLANG]:
            self.assertEqual(self.counts(compiler, "central"), [0, 0])

    def test_adaptive_runs_nothing_but_fine_tasks_at_once(self):
        for compiler in ["gcc", CLANG]:
            fine, coarse = self.counts(compiler, "ws-adaptive")
            self.assertLessEqual(fine, 1000 - QUEUED)  # how many: tests/cost/counted/at_once.c, where nothing disturbs
            self.assertLess(coarse, 70)  # a few, until they prove coarse

    def test_adaptive_leaves_tasks_with_clauses_alone(self):
        for compiler in ["gcc", CLANG]:
            for clause in ["depend(inout:cell)", "priority(1)"]:
                self.assertEqual(self.counts(compiler, "ws-adaptive", clause), [0, 0], clause)

    def test_clusters_of_workers(self):
        app = self.compile(WHERE)
        def run(**environment):
            return self.einkorn("run", "--", app, env={"EINKORN_MACHINE": "numa:2 core:4", **environment})
        done = run(EINKORN_AMM="2x3,spread")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "6 threads on 0 1 2 4 5 6\n")
        self.assertEqual(run(EINKORN_SCHEDULE="darts-steal,amm=2x2,7,0,3,5").stdout, "4 threads on 7 0 3 5\n")
        self.assertEqual(run(EINKORN_AMM="2x2", OMP_NUM_THREADS="3").stdout, "3 threads on 0 1 2\n")
        # One thread too many, and more: what is free, a core that has none first. More than CPUs: two on one.
        self.assertEqual(run(EINKORN_AMM="2x2", OMP_NUM_THREADS="7").stdout, "7 threads on 0 1 2 3 4 5 6\n")
        self.assertEqual(run(EINKORN_AMM="2x2,5,1,0,3", OMP_NUM_THREADS="6").stdout, "6 threads on 5 1 0 3 2 4\n")
        self.assertEqual(run(EINKORN_AMM="2x2", OMP_NUM_THREADS="9").stdout, "9 threads on 0 0 1 2 3 4 5 6 7\n")
        twice = {"EINKORN_MACHINE": "core:4 pu:2"}
        self.assertEqual(run(EINKORN_AMM="1x5", **twice).stdout, "5 threads on 0 1 2 4 6\n")
        self.assertEqual(run(EINKORN_AMM="1x2", OMP_NUM_THREADS="5", **twice).stdout, "5 threads on 0 2 4 6 1\n")
        self.assertEqual(run(EINKORN_AMM=" 2x2 , spread ").stdout, "4 threads on 0 2 4 6\n")
        for shape, words in [("3x3", "wants 9 CPUs, and there are 8"), ("0x1", "has no workers"), ("two", "is no shape"), ("1x2,0,8", "names CPU 8")]:
            done = run(EINKORN_AMM=shape)
            self.assertEqual((done.returncode, done.stdout), (0, "8 threads on 0 1 2 3 4 5 6 7\n"), shape)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(words, done.stderr)

    def test_a_shape_and_a_schedule_without_clusters(self):
        app = self.compile(WHERE)
        def run(**environment):
            return self.einkorn("run", "--", app, env={"EINKORN_MACHINE": "numa:2 core:4", "EINKORN_AMM": "2x2", **environment})
        for schedule in ("ws", "mts"):
            done = run(EINKORN_SCHEDULE=schedule)
            self.assertEqual((done.returncode, done.stdout), (0, "4 threads on 0 1 2 3\n"))
            self.assertRegex(done.stderr, rf"\b{schedule} knows no clusters: the shape 2x2 only places its threads.* codelets, darts-standard, darts-steal, swarm\n$")
        for schedule in ("codelets", "swarm", "ws,select=up", "places=cluster"):
            self.assertEqual(run(EINKORN_SCHEDULE=schedule).stderr, "", schedule)
        # One that is not valid is as none: codelets, and one line.
        stats = self.folder / "stats"
        done = run(EINKORN_SCHEDULE="codletes", EINKORN_STATS=str(stats))
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (0, 1), done.stderr)
        self.assertIn("codletes", done.stderr)
        self.assertIn("places=cluster+core", stats.read_text())

    def test_a_refused_shape_on_several_nodes_binds_as_none_does(self):
        """As on a computer of two nodes: the file that tells of them is another one here."""
        app, online = self.compile(WHERE), self.folder / "online"
        online.write_text("0-1\n")
        script = f"mount --bind {online} /sys/devices/system/node/online && exec {app}"
        inside = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
        if subprocess.run([*inside, f"mount --bind {online} /sys/devices/system/node/online"], capture_output=True).returncode:
            self.skipTest("no mounts of one's own here")
        shown = [self.einkorn("run", "--", *inside, script, env={"OMP_DISPLAY_ENV": "true", **environment}).stderr
                 for environment in ({"EINKORN_SCHEDULE": "codelets"}, {"EINKORN_AMM": "999x9"}, {"EINKORN_AMM": "999x9", "OMP_PROC_BIND": "false"})]
        places = [re.search(r"OMP_PLACES = '(.*)'", text).group(1) for text in shown]
        self.assertRegex(places[0], r"^\{0")
        self.assertEqual(places[1:], [places[0], ""])
        self.assertIn("one for each memory node instead", shown[1])

    def test_recorded_too(self):
        app = self.compile(PRODUCER, "-DCLAUSE=")
        done = self.einkorn("record", "-o", "a.grain", "--schedule", "ws-adaptive", "--", app)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^[1-9]\d* of 1000 at once$")


if __name__ == "__main__":
    main()
