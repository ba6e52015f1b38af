"""einkorn machine, and programs that run as if on another machine."""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

from harness import BUILD, CLANG, CliTest, EINKORN, environment, main

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


class TheVerb(CliTest):
    def ask(self, *words, env=None):
        done = self.einkorn("machine", *words, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_this_computer(self):
        text = self.ask()
        self.assertIn("socket 0\n  node 0", text)
        model = json.loads(self.ask("--json"))
        self.assertEqual(len(model["pus"]), len(os.sched_getaffinity(0)))

    def test_cut_to_the_processs_cpus(self):
        cpu = min(os.sched_getaffinity(0))
        done = subprocess.run(["taskset", "-c", str(cpu), str(EINKORN), "machine", "--json"], capture_output=True, text=True)
        self.assertEqual([pu[0] for pu in json.loads(done.stdout)["pus"]], [cpu], done.stderr)

    def test_another_one_as_text(self):
        text = self.ask("--machine", "bcs-16x8")
        self.assertIn("128 CPUs on 128 cores", text)
        self.assertIn("node 15, 16 GiB: 8 cores, CPUs 120-127", text)
        self.assertIn("    0  10  13  13  13  57  57  57  57  59", text)
        self.assertIn("length 376, exact", text)
        self.assertIn("(no round is shorter)", text)
        self.assertIn("length 848, greedy", self.ask("--machine", "altix-uv-32"))
        self.assertIn("as the system tells them", self.ask("--machine", "numa:2 core:2"))
        self.assertTrue(self.ask(env={"EINKORN_MACHINE": "4x8"}).startswith("4x8: 32 CPUs"))

    def test_json_is_a_model_file(self):
        for machine in ["uv2000-24x8", "tilepro64", "socket:2 numa:2 core:3 pu:2 distance:12,32"]:
            with self.subTest(machine=machine):
                first = self.ask("--machine", machine, "--json")
                (self.folder / "again.json").write_text(first)
                self.assertEqual(self.ask("--machine", "again.json", "--json"), first)

    def test_picture(self):
        for machine, nodes in [("opteron-6172-48", 8), ("tilepro64", 64), ("xeon-phi-60", 1)]:
            with self.subTest(machine=machine):
                self.assertEqual(self.ask("--machine", machine, "--picture", "m.svg"), "")
                root = xml.etree.ElementTree.parse(self.folder / "m.svg").getroot()
                kinds = [rect.get("class") for rect in root.iter("{http://www.w3.org/2000/svg}rect")]
                model = json.loads(self.ask("--machine", machine, "--json"))
                self.assertEqual(kinds.count("node"), nodes)
                self.assertEqual(kinds.count("core"), len({pu[1] for pu in model["pus"]}))
                self.assertEqual(kinds.count("shade"), nodes * nodes if nodes > 1 else 0)
                width, height = float(root.get("width")), float(root.get("height"))
                for rect in root.iter("{http://www.w3.org/2000/svg}rect"):
                    right = float(rect.get("x", 0)) + float(rect.get("width"))
                    bottom = float(rect.get("y", 0)) + float(rect.get("height"))
                    self.assertTrue(right <= width + 1 and bottom <= height + 1, (right, bottom, width, height))

    def documented(self, names):
        """The fields in the table of docs/machines.md; numbers replace its letters."""
        text = (Path(__file__).parents[2] / "docs" / "machines.md").read_text()
        table = text[text.index("`measured` after"):text.index("## Places")]
        known = [re.sub(r"(?<=_)(OxI|S|T|K)(?=_|$|KiB)", r"[0-9x]+", name) for row in re.findall(r"^\| (`.*?) \|", table, re.M)
                 for name in re.findall(r"`(\w+)`", row)]
        return {name for name in names if any(re.fullmatch(pattern, name) for pattern in known)}

    def test_break_even(self):
        # Schmidl, table 3.2: the published costs of a page, over a node's bandwidth and the whole machine's; 13 uses, and 153.
        text = self.ask("--machine", "westmere-2x6", "--break-even")
        self.assertRegex(text, r"all nodes, each its part +on one node +0.205 us +0.102 us +13 \(52 KiB\) +153 \(612 KiB\)")
        told = json.loads(self.ask("--machine", "westmere-2x6", "--break-even", "--json"))
        self.assertEqual((told["migrate_page_ns"], told["migrate_measured"]), (1295, True))
        self.assertEqual((told["spread"]["migrate_uses"], told["spread"]["next_touch_uses"]), (13, 153))
        self.assertEqual([(p["thread_node"], p["page_node"]) for p in told["pairs"]], [(0, 1), (1, 0)])
        # 4096 B at 6.5 and at 9 GB/s: 630 and 455 ns.
        one = told["pairs"][0]["one_core"]
        self.assertEqual((one["migrate_uses"], one["migrate_bytes"], one["next_touch_uses"]), (8, 8 * 4096, 90))
        self.assertNotIn("loads", told["pairs"][0])
        (self.folder / "mine.json").write_text(json.dumps({
            "einkorn_machine": 1, "tree": "numa:2 core:1", "latency_ns": [[100, 300], [350, 100]],
            "measured": {"migrate_page_ns": 1000, "next_touch_page_ns": 4900}}))
        told = json.loads(self.ask("--machine", "mine.json", "--break-even", "--json"))
        self.assertEqual([p["loads"]["migrate_uses"] for p in told["pairs"]], [5, 4])
        self.assertEqual([p["loads"]["next_touch_uses"] for p in told["pairs"]], [25, 20])
        self.assertNotIn("spread", told)
        self.assertRegex(self.ask("--machine", "mine.json", "--break-even"), r"node 1 +on node 0 +.* 4 +20\n")
        # It reports what a model lacks, and where a move saves nothing.
        self.assertIn("not measured there", self.ask("--machine", "bcs-16x8", "--break-even"))
        (self.folder / "flat.json").write_text('{"einkorn_machine": 1, "tree": "numa:2 core:1", "bandwidth": [[1e9, 1e9], [1e9, 1e9]]}')
        self.assertIn("never", self.ask("--machine", "flat.json", "--break-even"))
        self.assert_refused(self.einkorn("machine", "--machine", "numa:1 core:4", "--break-even"), 125, "one memory node")
        self.assert_refused(self.einkorn("machine", "--machine", "2x4", "--break-even"), 125, "neither bandwidths nor latencies", "--measure")

    def test_measure(self):
        done = self.einkorn("machine", "--measure", "-o", "mine.json", timeout=280)
        self.assertEqual(done.returncode, 0, done.stderr)
        model = json.loads((self.folder / "mine.json").read_text())
        self.assertIn("Measured on", model["note"])
        for name in ["latency_ns", "bandwidth", "bandwidth_one", "write_bandwidth", "write_bandwidth_one"]:
            self.assertTrue(all(v > 0 for row in model[name] for v in row), name)
        self.assertEqual(model["distance"][0][0], 10)
        self.assertTrue(model["distance_measured"])
        names = ["malloc_1mib_ns", "first_touch_one", "threads_read_bandwidth_1", "threads_write_bandwidth_1"]
        constructs = ["parallel", "barrier", "for_static", "for_dynamic", "reduction"]
        names += [f"{c}_ns_2_threads" for c in constructs]
        cores, nodes = len({pu[1] for pu in model["pus"]}), len(model["nodes"])
        teams = f"{nodes if nodes > 1 else 2}x{max(2, cores // (nodes if nodes > 1 else 2))}"
        names += [f"nested_{c}_ns_{teams}_threads" for c in constructs]
        sizes = [int(name[len("footprint_read_bandwidth_"):-len("KiB")]) for name in model["measured"] if name.startswith("footprint_read")]
        self.assertEqual(sizes, [16 << i for i in range(len(sizes))])  # from a cache to memory
        self.assertGreaterEqual(sizes[-1], 16 << 10)
        names += [f"footprint_write_bandwidth_{size}KiB" for size in sizes]
        for name in names:
            self.assertGreater(model["measured"][name], 0, name)
        # On one node a page cannot be moved anywhere, and nothing is reported (tests/numa has four nodes).
        self.assertEqual("migrate_page_ns" in model["measured"], nodes > 1)
        self.assertEqual(set(model["measured"]) - self.documented(model["measured"]), set(), "not in docs/machines.md")
        self.assertEqual(json.loads(self.ask("--machine", "mine.json", "--json")), model)

    def test_break_even_by_the_published_costs_of_each_machine(self):
        for name, call, touch in [("westmere-2x6", "1.29 us", "15.6 us"), ("sandy-bridge-4x6x2", "14.5 us", "73.9 us")]:
            text = self.einkorn("machine", "--machine", name, "--break-even").stdout
            self.assertIn(f"is moved in {call} by a call, in {touch} by the next touch", text)
            self.assertNotIn("not measured there", text)

    def test_measured_beside_other_programs_is_marked(self):
        spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
        try:
            done = self.einkorn("machine", "--measure", "-o", "busy.json", timeout=600)
        finally:
            for process in spinning:
                process.kill()
                process.wait()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"these figures cannot be trusted: other programs took \d+ % of this computer's CPUs")
        self.assertIn("Not to be trusted: other programs took", json.loads((self.folder / "busy.json").read_text())["note"])

    def test_texts_of_a_model_reach_nothing_as_they_are(self):
        hostile = "a\x1b[31mb\x1b]0;title\x07\u202ec\x7f\x85\n"
        model = {"einkorn_machine": 1, "tree": "core:2", "name": hostile, "note": hostile, "measured": {hostile: 1.5}}
        (self.folder / "m.json").write_text(json.dumps(model))
        for words in [(), ("--json",), ("--picture", "m.svg", "--json"), ("--break-even",)]:
            with self.subTest(words=words):
                done = self.einkorn("machine", "--machine", "./m.json", *words, cwd=self.folder)
                for text in [done.stdout, done.stderr]:
                    self.assertFalse([c for c in text if (ord(c) < 32 and c != "\n") or c in "\x7f\x85\u202e"], text)
        picture = (self.folder / "m.svg").read_text()
        self.assertIn("a?[31mb?]0;title??c???", picture)
        self.assertFalse(set("\x1b\x07\x7f\x85\u202e") & set(picture))
        # A program that is started plainly names what it ignores.
        (self.folder / "m.json").write_text(json.dumps({"einkorn_machine": 1, "tree": "core:2\x1b[31m"}))
        app = self.compile("int omp_get_num_procs(void); int main(void) { return omp_get_num_procs() < 1; }", "-fopenmp")
        for env in [{"EINKORN_MACHINE": str(self.folder / "m.json")}, {"EINKORN_MACHINE": "a\x1b[31mb"}]:
            done = subprocess.run([app], env=environment({"LD_LIBRARY_PATH": str(BUILD / "lib"), **env}),
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("EINKORN_MACHINE is ignored", done.stderr)
            self.assertNotIn("\x1b", done.stderr)

    def test_wrong_words(self):
        self.assert_refused(self.einkorn("machine", "--machine", "bsc-16x8"), 125, 'Did you mean "bcs-16x8"?')
        self.assert_refused(self.einkorn("machine", env={"EINKORN_MACHINE": "numa:x"}), 125, "EINKORN_MACHINE", "numa:x")
        self.assert_refused(self.einkorn("machine", "--measure", "--machine", "4x8"), 125, "--measure", "--machine")
        self.assert_refused(self.einkorn("machine", "-o", "x.json"), 125, "--measure")
        self.assert_refused(self.einkorn("machine", "--measure", "-o", "no/such/x.json"), 125, "no/such/x.json", "No such file")
        self.assert_refused(self.einkorn("machine", "--picture", "no/such/x.svg"), 125, "no/such/x.svg")
        self.assert_refused(self.einkorn("machine", "bcs-16x8"), 125, "einkorn machine --help")


if __name__ == "__main__":
    main()
