"""What the tests of hints share."""
import csv
import subprocess

from harness import BUILD, CLANG, CliTest, environment

COMPILERS = ["gcc", CLANG]


class HintsTest(CliTest):
    def hints(self, *lines, name="app.hints", head="einkorn-hints 1\nobject app\n"):
        (self.folder / name).write_text(head + "".join(line + "\n" for line in lines))
        return name

    def grains(self, *words, env=None, arguments=()):
        """Of a recorded run: its output, our messages, and the table of grains."""
        done = self.einkorn("record", "-o", "x.grain", "--no-report", *words, "--", "./app", *arguments, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        table = self.einkorn("export", "x.grain", "--to", "csv", "-o", "x.csv")
        self.assertEqual(table.returncode, 0, table.stderr)
        with open(self.folder / "x.csv", newline="") as file:
            return done.stdout, self.messages(done.stderr), list(csv.DictReader(file))

    def alone(self, hints):
        """The program with the variable alone, without our tool."""
        return subprocess.run(["./app"], cwd=self.folder, capture_output=True, text=True, check=True,
                              env=environment({"EINKORN_HINTS": hints, "LD_LIBRARY_PATH": str(BUILD / "lib")}))
