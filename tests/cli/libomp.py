"""Programs built by clang get the defaults and obey the variables of LLVM's library, which runs the same programs here; what is not served
is named."""
import re
import subprocess
from pathlib import Path

from harness import CLANG, CliTest, environment, main

WHERE = r"""
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
static void team(int threads, int inner) {
  #pragma omp parallel num_threads(threads)
  {
    for (int i = 0; i < omp_get_num_threads(); i++) {
      #pragma omp barrier
      if (i != omp_get_thread_num()) continue;
      int places[64] = {-1};
      omp_get_partition_place_nums(places);
      printf(" %d(%d+%d)", omp_get_place_num(), places[0], omp_get_partition_num_places());
    }
    #pragma omp barrier
    #pragma omp master
    if (inner) team(inner, 0);
  }
}
int main(int argc, char **argv) {
  printf("policy %d places %d of %d at %d, procs %d max %d:", (int)omp_get_proc_bind(), omp_get_num_places(), omp_get_place_num_procs(0),
         omp_get_place_num(), omp_get_num_procs(), omp_get_max_threads());
  team(atoi(argv[1]), argc > 2 ? atoi(argv[2]) : 0);
  puts("");
  return 0;
}
"""
FOUR = "{0},{0},{1},{1}"

# The most threads that are in regions at once: of two threads of the program's own, nested, and in the teams of a league.
ROOTS = r"""
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static int now, most;
static void stay(void) {
  int n = __atomic_add_fetch(&now, 1, __ATOMIC_SEQ_CST), m = __atomic_load_n(&most, __ATOMIC_SEQ_CST);
  while (m < n && !__atomic_compare_exchange_n(&most, &m, n, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
  usleep(200000);
  __atomic_sub_fetch(&now, 1, __ATOMIC_SEQ_CST);
}
static void* region(void* unused) {
#pragma omp parallel num_threads(4)
  stay();
  return unused;
}
int main(int argc, char** argv) {
  omp_set_max_active_levels(2);
  if (!strcmp(argv[1], "roots")) {
    pthread_t other;
    pthread_create(&other, NULL, region, NULL);
    region(NULL);
    pthread_join(other, NULL);
  } else if (!strcmp(argv[1], "nested")) {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(4)
    stay();
  } else {
#pragma omp teams num_teams(2) thread_limit(4)
#pragma omp parallel num_threads(4)
    stay();
  }
  printf("%d\n", most);
  return argc != 2;
}
"""


class BesideLlvmsLibrary(CliTest):
    def setUp(self):
        super().setUp()
        self.app = self.compile(WHERE, compiler=CLANG)

    def own(self, env, *words):
        done = subprocess.run([self.app, *map(str, words)], env=environment(env), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def ours(self, env, *words, app=None):
        done = self.einkorn("run", "--", app or self.app, *words, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_places_and_policies(self):
        for env in [{"OMP_PLACES": FOUR}, {"OMP_PLACES": FOUR, "OMP_PROC_BIND": "true"}, {"OMP_PROC_BIND": "true"}, {"OMP_PLACES": "cores"},
                    {"OMP_PLACES": FOUR, "OMP_PROC_BIND": "spread,close"}, {"OMP_PLACES": FOUR, "OMP_PROC_BIND": "spread"},
                    {"OMP_PLACES": FOUR, "OMP_PROC_BIND": "false"}, {"OMP_PROC_BIND": "false"}, {}]:
            for words in [(2,), (3,), (4,), (5,), (7,), (2, 2), (2, 4)]:
                both = env | ({"OMP_MAX_ACTIVE_LEVELS": "2"} if len(words) > 1 else {})
                with self.subTest(env=both, words=words):
                    self.assertEqual(self.ours(both, *words).stdout, self.own(both, *words))

    def test_a_list_of_cpus_goes_round(self):
        env = {"GOMP_CPU_AFFINITY": "0 1"}
        for threads in [2, 3, 5]:
            self.assertEqual(self.ours(env, threads).stdout.split(":")[1], self.own(env, threads).split(":")[1])

    def test_gccs_programs_are_packed(self):
        app = self.compile(WHERE, name="gcc")
        for env in [{"OMP_PLACES": FOUR}, {"OMP_PLACES": FOUR, "OMP_PROC_BIND": "true"}, {}]:
            done = subprocess.run([app, "2"], env=environment(env), capture_output=True, text=True, timeout=60)
            self.assertEqual(self.ours(env, 2, app=app).stdout, done.stdout)

    def test_part_of_the_machine(self):
        for value in ["1c", "1s,1c,1t", "*c", "2c"]:
            self.assertEqual(self.ours({"KMP_HW_SUBSET": value}, 2).stdout, self.own({"KMP_HW_SUBSET": value}, 2), value)
        for value, why in [("1x", "levels are"), ("0c", "from 1 on"), ("1c,1c", "there already"), ("999c", "there are"), ("1c:eff1", "kinds of cores"),
                           (",", "levels are"), ("9999999999c", "from 1 on"), ("1c@99", "there are")]:
            done = self.ours({"KMP_HW_SUBSET": value}, 1)
            self.assertRegex(done.stderr, f"KMP_HW_SUBSET=.*is ignored: .*{why}")
            self.assertEqual(done.stdout, self.own({}, 1))

    def test_limits(self):
        for env in [{"KMP_DEVICE_THREAD_LIMIT": "1"}, {"KMP_ALL_THREADS": "3"}, {"OMP_THREAD_LIMIT": "99999999999"},
                    {"OMP_THREAD_LIMIT": "99999999999999999999999"}]:
            self.assertEqual(self.ours(env, 4).stdout.count("("), self.own(env, 4).count("("), env)
        # LLVM's library means 1 where its message says that the value is too large; libgomp means the maximum.
        self.assertEqual(self.ours({"OMP_MAX_ACTIVE_LEVELS": "99999999999"}, 2, 2).stdout.count("("), 4)
        for value in ["x", "-1", "1.5", "3 4"]:
            self.assertIn("OMP_MAX_ACTIVE_LEVELS", self.ours({"OMP_MAX_ACTIVE_LEVELS": value}, 2).stderr)

    def test_a_limit_of_the_process(self):
        """KMP_DEVICE_THREAD_LIMIT counts the threads of all regions that there are at once, whoever began them."""
        app = self.compile(ROOTS, "-pthread", name="roots", compiler=CLANG)
        for what in ("roots", "nested", "teams"):
            if what != "teams":  # which may come one after the other
                self.assertGreater(int(self.ours({}, what, app=app).stdout), 5)
            most = int(self.ours({"KMP_DEVICE_THREAD_LIMIT": "5"}, what, app=app).stdout)
            self.assertTrue(2 <= most <= 5, (what, most))

    def test_settings_are_printed(self):
        done = self.ours({"KMP_SETTINGS": "1", "OMP_NUM_THREADS": "3"}, 1)
        self.assertRegex(done.stderr, r"User settings:\n\n[^E]*   OMP_NUM_THREADS=3\n")
        self.assertRegex(done.stderr, r"Effective settings:\n\n   OMP_NUM_THREADS='3'\n")
        self.assertEqual(self.ours({"KMP_SETTINGS": "false"}, 1).stderr, "")

    def test_every_variable_is_served_or_named(self):
        source = Path(__file__).parents[2] / "src/runtime/settings"
        served = set(re.findall(r'EK_VARIABLE\("(\w+)"', (source / "config.def").read_text()))
        rows = dict(re.findall(r'EK_NOT_SERVED\("(\w+)", "(.*?)",', (source / "peers.def").read_text()))
        shown = subprocess.run([self.app, "1"], env=environment({"KMP_SETTINGS": "1"}), capture_output=True, text=True).stderr
        listed = set(re.findall(r"^   ((?:KMP|OMP|LIBOMP|GOMP)_\w+)[=:]", shown, re.MULTILINE))
        self.assertGreater(len(listed), 80)
        self.assertEqual(listed - served - set(rows), set())
        self.assertEqual(served & set(rows), set())
        named = {name: "surely-not" for name, silent in rows.items() if silent != "*"}
        errors = self.ours(named | {name: "x" for name, silent in rows.items() if silent == "*"}, 1).stderr
        self.assertEqual(set(re.findall(r"(\w+) is set and has no effect", errors)), set(named))
        quiet = {name: silent.split()[0] for name, silent in rows.items() if silent}
        self.assertEqual(self.ours(quiet, 1).stderr, "")

    def test_misspelt(self):
        self.assertIn("Did you mean KMP_BLOCKTIME?", self.ours({"KMP_BLOKTIME": "1"}, 1).stderr)
        self.assertIn("Did you mean OMP_NUM_THREADS?", self.ours({"OMP_NUM_THREAD": "1"}, 1).stderr)
        self.assertEqual(self.ours({"OMP_INCLUDE_DIRECTORY": "1", "OMP_NUM_THREADS_DEV_1": "4", "OMP_SCHEDULE_ALL": "static"}, 1).stderr, "")

    def test_unknown_variables_of_ours_in_every_way_to_run(self):
        env = {"EINKORN_SHEDULE": "ws"}
        for words in [("run", "--"), ("record", "--no-report", "-o", "x.grain", "--"), ("machine",)]:
            tail = [self.app, 1] if words[-1] == "--" else []
            done = self.einkorn(*words, *tail, env=env)
            self.assertEqual(done.stderr.count("Did you mean EINKORN_SCHEDULE?"), 1, done.stderr)


if __name__ == "__main__":
    main()
