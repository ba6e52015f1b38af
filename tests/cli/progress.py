"""The progress bar: on a terminal, for work of over two seconds (of the probe's own clock); it leaves no trace there."""
import os
import pty
import subprocess

from harness import BUILD, CliTest, all_of_terminal, main

PROBE = BUILD / "bin" / "cli_progress_probe"


class Bar(CliTest):
    def on_terminal(self, milliseconds):
        ours, theirs = pty.openpty()
        done = subprocess.run([PROBE, str(milliseconds)], stdout=subprocess.PIPE, stderr=theirs, check=True)
        os.close(theirs)
        text = all_of_terminal(ours)
        self.assertEqual(done.stdout, b"")
        return text.decode()

    def test_long_work_on_a_terminal(self):
        drawn = self.on_terminal(3000).split("\r")
        shown = [line for line in drawn if "reading" in line]
        self.assertEqual(len(shown), 20)  # every 50 ms, after two of three seconds
        self.assertRegex(shown[0], r"^reading +\[=+ *\] +66%$")
        self.assertEqual(len({len(line) for line in shown}), 1)
        # Wiped: the last thing drawn over it is blanks, and what follows begins at the left.
        self.assertEqual(drawn[-2].strip(), "")
        self.assertGreaterEqual(len(drawn[-2]), len(shown[-1]))
        self.assertEqual(drawn[-1], "")

    def test_short_work_on_a_terminal(self):
        self.assertEqual(self.on_terminal(1000), "")

    def test_long_work_without_a_terminal(self):
        done = subprocess.run([PROBE, "2500"], capture_output=True, check=True)
        self.assertEqual((done.stdout, done.stderr), (b"", b""))


if __name__ == "__main__":
    main()
