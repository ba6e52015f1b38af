"""Once the program runs: always its own status, its signals, its output."""
import errno
import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

from harness import CliTest, EINKORN, TASKS, environment, is_image, main

VERBS = ["run", "record"]

# Prints that it is ready; counts the signals that it gets. Ends by itself after a minute at the latest.
COUNTS_SIGNALS = r"""
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile sig_atomic_t count;
static void note(int s) { (void)s; ++count; }
int main(int argc, char** argv) {
  (void)argv;
  signal(SIGINT, note);
  signal(SIGTERM, note);
  signal(SIGUSR1, note);
  puts("ready");
  fflush(stdout);
  for (int i = 0; i < 600 && (count == 0 || i < 5); ++i) usleep(100000);
  usleep(300000);  // a second one would come now
  printf("%d signals\n", (int)count);
  return argc > 1 ? 7 : 0;
}
"""


# Prints each signal that it gets; SIGUSR1 ends it.
TELLS_SIGNALS = r"""
#include <signal.h>
#include <stdio.h>
int main(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, 0);
  puts("ready");
  fflush(stdout);
  for (int s; sigwait(&all, &s) == 0;) {
    printf("%d\n", s);
    fflush(stdout);
    if (s == SIGUSR1) return 3;
  }
}
"""

# Its main thread ends, and others go on with regions of their own, for a while.
LEAVES_THE_REST = r"""
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int own = 1;
#pragma omp threadprivate(own)
static void* work(void* generation) {
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += own;
    if (i == 10) usleep(2000 * (int)(long)generation);
  }
  printf("%d\n", sum);
  fflush(stdout);
  if ((long)generation < 3) {  // by now the others, and main, may have ended
    pthread_t next;
    pthread_create(&next, NULL, work, (void*)((long)generation + 1));
  }
  return NULL;
}
int main(void) {
  work((void*)3);
  own = 2;
  pthread_t thread[2];
  for (int i = 0; i < 2; ++i) pthread_create(&thread[i], NULL, work, (void*)(long)i);
  pthread_exit(NULL);
}
"""


class Statuses(CliTest):
    def test_a_main_thread_that_ends_first(self):
        for compiler in ["gcc", "clang-19"]:
            app = self.compile(LEAVES_THE_REST, compiler=compiler, name=f"leaves-{compiler}")
            for verb in VERBS:
                with self.subTest(compiler=compiler, verb=verb):
                    done = self.einkorn(verb, "--", app, timeout=60)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(done.stdout.split(), ["60"] * 8, done.stderr)

    def test_exit_statuses_are_passed_on(self):
        for verb in VERBS:
            for status in [0, 1, 3, 125, 126, 127, 255]:
                with self.subTest(verb=verb, status=status):
                    done = self.einkorn(verb, "--", "sh", "-c", f"exit {status}")
                    self.assertEqual(done.returncode, status)

    def test_death_by_signal_is_passed_on(self):
        for verb in VERBS:
            for number in [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGPIPE,
                           signal.SIGUSR1]:
                with self.subTest(verb=verb, signal=number.name):
                    done = self.einkorn(verb, "--", "sh", "-c", f"kill -{number.value} $$")
                    self.assertEqual(done.returncode, -number)

    def test_a_crash_amid_openmp_is_passed_on_and_leaves_a_readable_recording(self):
        crash = TASKS.replace("return 0;", "*(volatile int*)0 = 1;")
        app = self.compile(crash)
        done = self.einkorn("record", "-o", "app.grain", "--", app, env={"OMP_NUM_THREADS": "2"})
        self.assertEqual(done.returncode, -signal.SIGSEGV)
        self.assertLessEqual(len(self.messages(done.stderr)), 1, done.stderr)
        self.assertEqual(self.einkorn("report", "app.grain").returncode, 0)

    def test_the_core_dump_is_the_programs_not_ours(self):
        app = self.compile("int main(void) { *(volatile int*)0 = 1; }")
        limit = subprocess.run(["sh", "-c", "ulimit -c"], capture_output=True, text=True).stdout
        self.assertEqual(self.einkorn("record", "--", "sh", "-c", "ulimit -c").stdout, limit)
        self.assertEqual(self.einkorn("record", "--", app).returncode, -signal.SIGSEGV)

    def test_a_program_killed_from_outside_leaves_a_readable_recording(self):
        app = self.compile(TASKS.replace("return 0;", 'puts("now"); fflush(stdout); for (;;) __asm__ volatile("");'))
        tool = subprocess.Popen([EINKORN, "record", "-o", "app.grain", "--", app], cwd=self.folder, env=environment(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        tool.stdout.readline()
        self.assertEqual(tool.stdout.readline(), "now\n")
        # The writer takes the records every 200 ms; on a busy machine it may start late.
        recording = Path(self.folder) / "app.grain"
        for _ in range(300):
            if recording.exists() and recording.stat().st_size > 0:
                break
            time.sleep(0.1)
        time.sleep(1)
        children = Path(f"/proc/{tool.pid}/task/{tool.pid}/children").read_text().split()
        [program] = [int(c) for c in children if is_image(c, app)]
        os.kill(program, signal.SIGKILL)
        _, stderr = tool.communicate(timeout=60)
        self.assertEqual(tool.returncode, -signal.SIGKILL)
        self.assertLessEqual(len(self.messages(stderr)), 1, stderr)
        done = self.einkorn("report", "app.grain", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"tasks"', done.stdout)


class Signals(CliTest):
    def start(self, verb, **how):
        app = self.compile(COUNTS_SIGNALS)
        tool = subprocess.Popen([EINKORN, verb, "--", app, "x"], cwd=self.folder, env=environment(), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
        self.assertEqual(tool.stdout.readline(), "ready\n")
        return tool

    def wait_until_it_waits(self, pid):
        """Waits until the tool waits for the next signal: in rt_sigtimedwait, with none pending."""
        for _ in range(6000):
            pending = re.search(r"^ShdPnd:\s*(\w+)$", Path(f"/proc/{pid}/status").read_text(), re.M)[1]
            if int(pending, 16) == 0 and Path(f"/proc/{pid}/syscall").read_text().split()[0] == "128":
                return
            time.sleep(0.01)
        self.fail("the tool does not wait for signals")

    def test_what_is_sent_to_the_tool_reaches_the_program_once(self):
        for verb in VERBS:
            for number in [signal.SIGTERM, signal.SIGUSR1, signal.SIGINT]:
                with self.subTest(verb=verb, signal=number.name):
                    tool = self.start(verb)
                    tool.send_signal(number)
                    stdout, _ = tool.communicate(timeout=60)
                    self.assertEqual((stdout, tool.returncode), ("1 signals\n", 7))

    def test_sigterm_ends_a_program_that_does_not_handle_it(self):
        for verb in VERBS:
            with self.subTest(verb=verb):
                tool = subprocess.Popen([EINKORN, verb, "--", "sh", "-c", "echo ready; exec sleep 300"], env=environment(),
                                        cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(tool.stdout.readline(), b"ready\n")
                tool.send_signal(signal.SIGTERM)
                tool.communicate(timeout=120)
                self.assertEqual(tool.returncode, -signal.SIGTERM)

    def test_an_interrupt_of_the_group_is_the_programs_affair(self):
        # Like the terminal's Ctrl-C: to the whole foreground group; the program handles it and continues.
        for verb in VERBS:
            for number in [signal.SIGINT, signal.SIGTERM]:
                with self.subTest(verb=verb, signal=number.name):
                    tool = self.start(verb, start_new_session=True)
                    os.killpg(tool.pid, number)
                    stdout, _ = tool.communicate(timeout=60)
                    self.assertEqual((stdout, tool.returncode), ("1 signals\n", 7))

    def test_to_the_tool_and_to_the_group_in_turn(self):
        """Each signal reaches the program once, whoever it was sent to. By POSIX only one of each number may be pending: so the next is sent
        when the tool has taken the previous one."""
        app = self.compile(TELLS_SIGNALS)
        for verb in VERBS:
            with self.subTest(verb=verb):
                tool = subprocess.Popen([EINKORN, verb, "--", app], cwd=self.folder, env=environment(), text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
                self.assertEqual(tool.stdout.readline(), "ready\n")
                for turn in range(30):
                    send = os.killpg if turn % 3 else os.kill
                    send(tool.pid, [signal.SIGINT, signal.SIGTERM][turn % 2])
                    self.assertEqual(tool.stdout.readline(), f"{[2, 15][turn % 2]}\n")
                    self.wait_until_it_waits(tool.pid)
                time.sleep(0.3)  # one too many would come now
                os.kill(tool.pid, signal.SIGUSR1)
                stdout, _ = tool.communicate(timeout=60)
                self.assertEqual((stdout, tool.returncode), ("10\n", 3))

    def test_a_stopped_job_takes_signals_when_it_goes_on(self):
        for verb in VERBS:
            with self.subTest(verb=verb):
                tool = self.start(verb, start_new_session=True)
                for number in [signal.SIGSTOP, signal.SIGINT, signal.SIGCONT]:
                    os.killpg(tool.pid, number)
                stdout, _ = tool.communicate(timeout=60)
                self.assertEqual((stdout, tool.returncode), ("1 signals\n", 7))

    def test_nobody_stays_behind_when_the_tool_is_killed(self):
        tool = self.start("record", start_new_session=True)
        children = Path(f"/proc/{tool.pid}/task/{tool.pid}/children").read_text().split()
        [program] = [c for c in children if is_image(c, self.folder / "app")]
        [watcher] = [c for c in children if c != program]  # of the group's signals, for the program
        tool.kill()
        for _ in range(600):
            try:
                if Path(f"/proc/{watcher}/stat").read_text().rsplit(")")[1].split()[0] in "ZX":
                    break
            except (FileNotFoundError, ProcessLookupError):
                break
            time.sleep(0.1)
        else:
            self.fail("a child of the tool is still there")
        os.kill(int(program), signal.SIGTERM)  # it goes on by itself
        self.assertEqual(tool.communicate(timeout=60)[0], "1 signals\n")

    def test_ctrl_c_in_a_terminal(self):
        app = self.compile(COUNTS_SIGNALS)
        for verb in VERBS:
            with self.subTest(verb=verb):
                pid, terminal = pty.fork()
                if pid == 0:
                    os.chdir(self.folder)
                    os.execvpe(EINKORN, ["einkorn", verb, "--", str(app), "x"], environment())
                text = b""
                while b"ready" not in text:
                    text += os.read(terminal, 1000)
                os.write(terminal, b"\x03")
                _, status = os.waitpid(pid, 0)
                # The output comes in pieces; when nobody has the terminal open any more, reading fails.
                text = b""
                try:
                    while piece := os.read(terminal, 10000):
                        text += piece
                except OSError as error:
                    self.assertEqual(error.errno, errno.EIO)
                os.close(terminal)
                self.assertIn(b"1 signals", text)
                self.assertEqual(os.waitstatus_to_exitcode(status), 7)

    def test_ignored_signals_stay_ignored(self):
        # nohup: the program inherits that SIGHUP is ignored.
        for verb in VERBS:
            with self.subTest(verb=verb):
                done = subprocess.run(["sh", "-c", f"trap '' HUP CHLD; exec {EINKORN} {verb} -- sh -c 'kill -HUP $$; exit 4'"],
                                      cwd=self.folder, env=environment(), capture_output=True)
                self.assertEqual(done.returncode, 4)

    def test_signal_mask_and_handlers_of_the_program_are_the_callers(self):
        for verb in VERBS:
            with self.subTest(verb=verb):
                ours = subprocess.run(["grep", "^Sig[BI]", "/proc/self/status"], capture_output=True, text=True)
                done = self.einkorn(verb, "--", "grep", "^Sig[BI]", "/proc/self/status")
                self.assertEqual(done.stdout, ours.stdout)


class Output(CliTest):
    def test_stdin_and_stdout_are_the_programs(self):
        for verb in VERBS:
            with self.subTest(verb=verb):
                done = self.einkorn(verb, "--", "cat", stdin=None, input="a\nb\n")
                self.assertEqual(done.stdout, "a\nb\n")

    def test_the_summary_goes_to_stderr_only(self):
        app = self.compile(TASKS)
        done = self.einkorn("record", "--", app)
        self.assertEqual((done.returncode, done.stdout), (0, "4950\n"))
        self.assertIn("einkorn: recorded in ", done.stderr)
        self.assertIn("100", done.stderr)
        self.assertNotEqual(done.stderr.splitlines()[-1], "")

    def test_no_report(self):
        app = self.compile(TASKS)
        done = self.einkorn("record", "--no-report", "--", app)
        self.assertEqual((done.returncode, done.stdout), (0, "4950\n"))
        self.assertEqual(done.stderr, f"einkorn: recorded in {self.folder}/app.grain\n")

    def test_no_openmp(self):
        done = self.einkorn("record", "--", "echo", "hello")
        self.assertEqual((done.returncode, done.stdout), (0, "hello\n"))
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("nothing was recorded", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])
        done = self.einkorn("run", "--", "echo", "hello")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "hello\n", ""))


if __name__ == "__main__":
    main()
