"""einkorn machine, and programs that run as on another machine."""
import json

from harness import CLANG, CliTest, EINKORN, main

PLACES = r"""
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
int main(void) {
  int threads = 0, places[8192] = {0}, used = 0, bound = 0;
  #pragma omp parallel reduction(+ : threads, bound)
  {
    cpu_set_t mask;
    threads++;
    if (omp_get_place_num() >= 0) {
      #pragma omp critical
      places[omp_get_place_num()]++;
    }
    sched_getaffinity(0, sizeof mask, &mask);
    bound += CPU_COUNT(&mask);
  }
  for (int i = 0; i < 8192; i++) used += places[i] > 0;
  cpu_set_t mask;
  sched_getaffinity(0, sizeof mask, &mask);
  printf("procs %d threads %d places %d used %d bound %d\n", omp_get_num_procs(), threads, omp_get_num_places(), used,
         bound != threads * CPU_COUNT(&mask));
  for (int i = 0; i < omp_get_num_places(); i++) {
    int ids[8192], n = omp_get_place_num_procs(i);
    omp_get_place_proc_ids(i, ids);
    printf("%d+%d ", ids[0], n);
  }
  printf("\n");
  return 0;
}
"""


class AsOnAnotherMachine(CliTest):
    def run_on(self, machine, env=None, app=None):
        done = self.einkorn("run", "--machine", machine, "--", app or self.app, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines(), done.stderr

    def setUp(self):
        super().setUp()
        self.app = self.compile(PLACES)

    def test_threads_and_places_are_the_machines(self):
        clang = self.compile(PLACES, name="clang", compiler=CLANG)
        for machine, cpus in [("4x8", 32), ("uv2000-24x8", 192), ("socket:2 numa:2 core:3 pu:2", 24), ("numa:1 core:1", 1)]:
            for app in [self.app, clang]:
                with self.subTest(machine=machine, app=app.name):
                    lines, errors = self.run_on(machine, app=app)
                    self.assertEqual(lines[0], f"procs {cpus} threads {cpus} places {cpus} used {cpus} bound 0")
                    self.assertEqual(errors, "")

    def test_kinds_of_places(self):
        machine = "socket:2 numa:2 l3:2 core:2 pu:2"  # 32 CPUs
        for places, count, first in [("sockets", 2, "0+16 16+16"), ("numa_domains", 4, "0+8 8+8"), ("ll_caches", 8, "0+4 4+4"),
                                     ("cores", 16, "0+2 2+2"), ("threads", 32, "0+1 1+1"), ("cores(3)", 3, "0+2 2+2 4+2"),
                                     ("{0:4}:4:8", 4, "0+4 8+4"), ("{31},{0}", 2, "31+1 0+1")]:
            with self.subTest(places=places):
                lines, errors = self.run_on(machine, {"OMP_PLACES": places})
                self.assertEqual(lines[0], f"procs 32 threads 32 places {count} used {count} bound 0")
                self.assertTrue(lines[1].startswith(first), lines[1])
                self.assertEqual(errors, "")

    def test_places_go_round_by_the_distances(self):
        lines, _ = self.run_on("hp-dl980", {"OMP_PLACES": "sockets"})
        self.assertEqual([int(place.split("+")[0]) // 8 for place in lines[1].split()], [0, 1, 3, 2, 4, 5, 6, 7])

    def test_without_binding_there_are_no_places(self):
        lines, _ = self.run_on("4x8", {"OMP_PROC_BIND": "false"})
        self.assertEqual(lines[0], "procs 32 threads 32 places 0 used 0 bound 0")

    def test_places_that_the_machine_does_not_have(self):
        lines, errors = self.run_on("4x8", {"OMP_PLACES": "{30},{40}"})
        self.assertIn("places 1 ", lines[0])
        self.assertIn("EINKORN_MACHINE does not have", errors)

    def test_the_variable_alone(self):
        done = self.einkorn("run", "--", self.app, env={"EINKORN_MACHINE": "2x3"})
        self.assertTrue(done.stdout.startswith("procs 6 threads 6 places 6"), done.stdout)

    def test_a_wrong_variable_is_one_warning_and_the_real_machine(self):
        done = self.einkorn("run", "--", self.app, env={"EINKORN_MACHINE": "nehalem-4x8", "OMP_PLACES": "threads"})
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn('Did you mean "nehalem-ex-4x8"?', done.stderr)
        real = self.einkorn("run", "--", self.app, env={"OMP_PLACES": "threads"})
        self.assertEqual(done.stdout, real.stdout)

    def test_a_wrong_machine_starts_nothing(self):
        (self.folder / "bad.json").write_text('{"einkorn_machine": 1,\n "tree": "numa:4 core:8" "name": 3}')
        for machine, fragment in [("nehalem-4x8", "nehalem-ex-4x8"), ("numa:0", "from 1 to"), ("bad.json", "line 2"),
                                  ("missing.json", "No such file"), ("numa:99999", "numa:99999")]:
            for verb in ["run", "record"]:
                with self.subTest(machine=machine, verb=verb):
                    done = self.einkorn(verb, "--machine", machine, "--", "touch", "ran")
                    self.assert_refused(done, 125, fragment)
                    self.assertFalse((self.folder / "ran").exists())
        self.assert_refused(self.einkorn("record", "--runtime", "libomp", "--machine", "4x8", "--", self.app), 125, "--machine")

    def test_a_file_is_found_from_another_folder(self):
        (self.folder / "mine.json").write_text('{"einkorn_machine": 1, "tree": "numa:3 core:2"}')
        (self.folder / "else").mkdir()
        done = self.einkorn("run", "--machine", "mine.json", "--", "sh", "-c", f"cd else && {self.app}")
        self.assertTrue(done.stdout.startswith("procs 6 threads 6"), done.stdout + done.stderr)

    def test_a_recording_says_so(self):
        done = self.einkorn("record", "-o", "a.grain", "--machine", "4x8", "--", self.app)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("as on 4x8", done.stderr.splitlines()[-1])
        report = json.loads(self.einkorn("report", "--json", "a.grain").stdout)
        self.assertEqual((report["machine"], report["times_valid"], report["problems"]), ("4x8", False, []))
        done = self.einkorn("record", "-o", "b.grain", "--", self.app)
        report = json.loads(self.einkorn("report", "--json", "b.grain").stdout)
        self.assertNotIn("machine", report)


if __name__ == "__main__":
    main()
