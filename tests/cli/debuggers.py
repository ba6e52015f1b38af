"""gdb with every verb that starts a program: around the program, and around the tool."""
import json
import re
import subprocess

from harness import CliTest, EINKORN, TASKS, TOOL, main

GDB = ["gdb", "-batch", "-nx", "-ex", "run", "-ex", "quit", "--args"]


class Debuggers(CliTest):
    def test_every_verb(self):
        app = self.compile(TASKS, "-g")
        for number, verb in enumerate((["run"], ["record", "--no-report"], ["record", "--no-report", "--last", "1s"],
                                       ["record", "--no-report", "--allocations"], ["tune", "--check", "true"])):
            if verb[0] == "record":
                verb = [*verb, "-o", str(self.folder / f"r{number}.grain")]
            elif verb[0] == "tune":
                verb = [*verb, "-o", str(self.folder / "t.hints")]
            around_program, around_tool = [EINKORN, *verb, "--", *GDB, str(app)], [*GDB, str(TOOL), *verb, "--", str(app)]
            for words in (around_program, around_tool):
                done = subprocess.run(words, capture_output=True, text=True, timeout=300, cwd=self.folder)
                self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}{done.stderr}")
                if verb[0] != "tune":  # it keeps the program's output back
                    self.assertIn("4950", done.stdout, words)
                    self.assertIn("exited normally", done.stdout, words)
                if verb[0] == "record":
                    report = json.loads(self.einkorn("report", self.folder / f"r{number}.grain", "--json").stdout)
                    self.assertEqual(report["tasks"], 100, words)

    def test_threads_and_lines_are_seen(self):
        """Of a program that stops in a task gdb shows its line, and threads with their names."""
        app = self.compile(TASKS, "-g", "-O0")
        words = ["gdb", "-batch", "-nx", "-ex", "break main._omp_fn.1", "-ex", "run", "-ex", "bt", "-ex", "info threads", "-ex", "kill", "--args", str(app)]
        done = subprocess.run([EINKORN, "run", "--", *words], capture_output=True, text=True, timeout=120, cwd=self.folder)
        line = next(i for i, text in enumerate(TASKS.splitlines(), 1) if "omp task" in text)
        lines = [int(n) for n in re.findall(r"main\._omp_fn\.1.*app\.c:(\d+)", done.stdout)]
        self.assertTrue(lines and all(line <= n <= line + 4 for n in lines), done.stdout + done.stderr)
        self.assertIn("Thread 0x", done.stdout)


if __name__ == "__main__":
    main()
