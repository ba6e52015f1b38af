"""What reports show of other people's programs: names in whatever the terminal holds, stripped binaries, teams of one thread."""
import fcntl
import json
import os
import pty
import struct
import subprocess
import termios

from harness import CliTest, EINKORN, all_of_terminal, environment, main

# Exported functions with parallel loops in them; in a stripped program gcc's functions for the loops have no name.
LIBRARY = r"""
#include <stdio.h>
static long spin(long n) { volatile long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }
__attribute__((noinline)) void blur_with_a_kernel_of_any_size_and_every_border_treated_as_it_should_be(long n) {
  #pragma omp parallel
  {
    spin(100);
    #pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 40; ++i) spin(n);
    #pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 40; ++i) spin(n / 10);
  }
}
int main(void) {
  blur_with_a_kernel_of_any_size_and_every_border_treated_as_it_should_be(20000);
  puts("done");
}
"""
NAME = "blur_with_a_kernel_of_any_size_and_every_border_treated_as_it_should_be"


class Display(CliTest):
    def record(self, program, threads=2):
        done = self.einkorn("record", "--no-report", "-o", "r.grain", "--", program, env={"OMP_NUM_THREADS": str(threads)})
        self.assertEqual(done.returncode, 0, done.stderr)

    def on_terminal(self, columns, *words):
        """What the tool prints on a terminal of that width, without its colours."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        child = subprocess.Popen([str(EINKORN), *words], env=environment(), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=theirs)
        os.close(theirs)
        text = all_of_terminal(ours)
        self.assertEqual(child.wait(), 0)
        plain = text.decode().replace("\r\n", "\n")
        while (at := plain.find("\x1b")) >= 0:
            plain = plain[:at] + plain[plain.index("m", at) + 1:]
        return plain

    def lines_table(self, text):
        return text[text.index("Most expensive source lines"):].split("\n\n")[0].splitlines()[1:]

    def test_as_wide_as_the_terminal(self):
        self.kept("library", "r.grain")
        self.assertTrue(json.loads(self.einkorn("report", "r.grain", "--json").stdout)["times_valid"])  # else it has fewer columns
        for columns in (220, 110):
            table = self.lines_table(self.on_terminal(columns, "report", "r.grain"))
            self.assertLessEqual(max(map(len, table)), columns)
            whole = [line for line in table if NAME in line]
            cut = [line for line in table if "blur_wi" in line and "should_be" in line and ".." in line]
            self.assertEqual((len(whole) > 0, len(cut) > 0), (columns == 220, columns == 110), table)

    def test_what_is_stripped_has_its_regions_name(self):
        program = self.compile(LIBRARY, "-rdynamic", name="image")
        subprocess.run(["strip", str(program)], check=True)
        self.record(program)
        done = self.einkorn("report", "r.grain", "--json")
        report = json.loads(done.stdout)
        chunks = [s for s in report["sources"] if s["kind"] == "chunk"]
        self.assertEqual([s["function"] for s in chunks], [NAME, NAME])
        places = {s["place"] for s in report["sources"]}
        self.assertEqual(len(places), len(report["sources"]), "each has a place of its own")
        for place in places:
            self.assertTrue(place.startswith("blur_with_a_kernel_of_a") and "image+" not in place, place)
        # And constructs without grains, such as barriers, at which threads may have waited.
        self.assertGreater(len(report["waits"]), 0)
        for wait in report["waits"]:
            self.assertTrue(wait.get("function") == NAME, wait)
        # One function gives a source its name everywhere: in the table, in the last line.
        text = self.einkorn("report", "r.grain").stdout
        for s in chunks:
            self.assertIn(s["place"], text)
        self.assertNotIn("image+0x", text)

    def test_a_team_of_one_thread_is_a_problem(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.fail("this test wants two CPUs")
        # Long beside what comes before it: the start of the writer takes its time on a busy machine.
        self.record(self.compile(LIBRARY.replace("(20000)", "(1000000)"), "-g"), threads=1)
        report = json.loads(self.einkorn("report", "r.grain", "--json").stdout)
        self.assertTrue(any(p["kind"] == "few_threads" and p["what"].startswith("teams of one thread, where ") for p in report["problems"]),
                        report["problems"])
        self.assertNotIn("no problem found", report["verdict"])


if __name__ == "__main__":
    main()
