"""Programs that are awkward to run under another library and must run all the same: in a sandbox, under limits, under
sanitizers, with other allocators."""
import contextlib
import resource
import subprocess

from harness import CLANG, CliTest, HELLO, main

# Forbids itself some system calls after its first region, or in the midst of one, and continues. On all its threads, as
# the libraries of sandboxes do.
SANDBOXED = r"""
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static void forbid(int number) {
  struct sock_filter f[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog p = {4, f};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, WHOLE ? SECCOMP_FILTER_FLAG_TSYNC : 0, &p) != 0) perror("seccomp"), exit(3);
}
static void forbid_all(void) {
  forbid(SYS_membarrier);
  forbid(449);  /* futex_waitv */
}
static long fib(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}
static int sum, steps[200];
static void work(int forbidding) {
#pragma omp parallel num_threads(4)
  {
/* The main thread, as it is asked at the end, and WHOLE=0 forbids it to nobody else. */
#pragma omp master
    {
      for (int i = 0; i < 300; i++) {
        if (i == 100 && forbidding) forbid_all();
#pragma omp task
        {
          for (volatile int q = 0; q < 500; q++);
#pragma omp atomic
          sum++;
        }
      }
      if (fib(14) != 377) exit(4);
    }
#pragma omp barrier
#pragma omp for ordered(1) schedule(dynamic, 1)
    for (int i = 0; i < 200; i++) {
#pragma omp ordered depend(sink : i - 1)
      steps[i] = i == 0 ? 1 : steps[i - 1] + 1;
#pragma omp ordered depend(source)
    }
  }
}
int main(int argc, char** argv) {
  int inside = argc > 1;
  work(0);
  if (!inside) forbid_all();
  for (int i = 0; i < 30; i++) work(inside && i == 0);
  printf("%d %d %d\n", sum, steps[199], (int)syscall(SYS_membarrier, 0, 0, 0) < 0);
  return 0;
}
"""

# Memory to which only our memory points is not a leak: from the stack of a deep task, threadprivate data, memory of
# omp_alloc().
HOLDS = r"""
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
static char *own, **volatile kept;
#pragma omp threadprivate(own)
static void recurse(int n) {
  char* held = malloc(24);
  if (n > 0) {
#pragma omp task
    recurse(n - 1);
#pragma omp taskwait
  } else {
    kept = omp_alloc(sizeof(char*), omp_high_bw_mem_alloc);
    *kept = malloc(8);
    puts("now");
    exit(0);
  }
  free(held);
}
int main(void) {
  for (int n = 2; n < 6; n++)
#pragma omp parallel num_threads(n)
    if (!own) own = malloc(16);
#pragma omp parallel num_threads(2)
#pragma omp single
  recurse(4000);
  return 0;
}
"""

# Prints what the kernel says of the process that writes its recording; before that it becomes another user, as root.
WATCHES = r"""
#include <dirent.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  int s = 0;
#pragma omp parallel num_threads(2) reduction(+ : s)
  s++;
  if (getuid() == 0 && (setgroups(0, 0) || setgid(1) || setuid(1))) return 1;
  struct dirent* e;
  DIR* all = opendir("/proc");
  while ((e = readdir(all))) {
    char path[300], line[300], lines[2000] = "";
    int ours = 0, parent = 0;
    snprintf(path, sizeof path, "/proc/%s/status", e->d_name);
    FILE* f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
      if (!strcmp(line, "Name:\teinkorn-rec\n")) ours = 1;
      if (sscanf(line, "PPid: %d", &parent) == 1 && parent != getpid()) ours = 0;
      if (!strncmp(line, "Uid", 3) || !strncmp(line, "Cap", 3) || !strncmp(line, "NoNew", 5) || !strncmp(line, "Seccomp:", 8))
        strcat(lines, line);
    }
    if (f) fclose(f);
    if (ours) printf("%s", lines);
  }
  return 0;
}
"""

# Thread-local storage as in jemalloc.
BIG_TLS = '__thread char big[2700] __attribute__((tls_model("initial-exec"))); int touch(void) { return ++big[1]; }\n'

MANY = r"""
#include <stdio.h>
int main(void) {
  int s = 0;
#pragma omp parallel num_threads(2000) reduction(+ : s)
  {
#pragma omp task
    for (volatile int i = 0; i < 10; i++);
    s++;
  }
  printf("%d\n", s > 8);
  return 0;
}
"""


class Sandboxes(CliTest):
    def runs(self, app, expected, *arguments, **more):
        for verb in [["run"], ["record", "--no-report", "-o", self.folder / "app.grain"]]:
            with self.subTest(verb=verb[0]):
                done = self.einkorn(*verb, "--", app, *arguments, **more)
                self.assertEqual((done.returncode, done.stdout), (0, expected), done.stderr)

    def test_membarrier_is_forbidden_later(self):
        for whole in [0, 1]:
            for compiler in ["gcc", CLANG]:
                app = self.compile(SANDBOXED, f"-DWHOLE={whole}", name=f"app{whole}-{compiler}", compiler=compiler)
                with self.subTest(whole=whole, compiler=compiler):
                    self.runs(app, f"{31 * 300} 200 1\n")
                    self.runs(app, f"{31 * 300} 200 1\n", "inside")

    def test_the_writer_keeps_no_rights(self):
        done = self.einkorn("record", "--no-report", "-o", "app.grain", "--", self.compile(WATCHES))
        self.assertEqual(done.returncode, 0, done.stderr)
        of = {line.split(":")[0]: line.split()[1:] for line in done.stdout.splitlines()}
        self.assertEqual((of["NoNewPrivs"], of["Seccomp"]), (["1"], ["2"]), done.stdout)
        for kind in ["CapPrm", "CapEff", "CapInh", "CapAmb"]:
            self.assertEqual(int(of[kind][0], 16), 0, done.stdout)
        self.assertNotIn("0", of["Uid"])
        self.assertEqual(self.einkorn("report", "app.grain").returncode, 0)

    def test_an_address_space_limit(self):
        app = self.compile(MANY)
        limit = 3 << 30
        done = self.einkorn("run", "--", app, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual((done.returncode, done.stdout), (0, "1\n"), done.stderr)
        self.assertIn("fewer than they ask for", done.stderr)


class Preloaded(CliTest):
    def setUp(self):
        super().setUp()
        self.library = self.folder / "libtls.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", self.library, "-x", "c", "-"], input=BIG_TLS, text=True, check=True)
        self.app = self.compile(HELLO)

    def test_libraries_with_static_thread_local_storage(self):
        needs_it = self.compile(HELLO, "-Wl,--no-as-needed", f"-Wl,-rpath,{self.folder}", str(self.library), name="linked")
        script = self.folder / "script"
        script.write_text(f"#!/bin/sh\nexec {self.app}\n")
        script.chmod(0o755)
        for verb in [["run"], ["record", "--no-report", "-o", "app.grain"]]:
            for app, preloaded in [(self.app, True), (script, True), (needs_it, False)]:
                with self.subTest(verb=verb[0], app=app.name):
                    done = self.einkorn(*verb, "--", app, env={"LD_PRELOAD": str(self.library)} if preloaded else {})
                    self.assertEqual((done.returncode, done.stdout), (0, "3 threads\n"), done.stderr)

    def test_glibcs_tunables_stay_the_users(self):
        def tunables(env):
            return self.einkorn("run", "--", "sh", "-c", "echo ${GLIBC_TUNABLES-none}", env=env).stdout.strip()

        theirs = "glibc.malloc.check=0"
        own = "glibc.rtld.optional_static_tls=9000"
        self.assertEqual(tunables({}), "none")
        self.assertEqual(tunables({"GLIBC_TUNABLES": theirs}), theirs)
        preload = {"LD_PRELOAD": str(self.library)}
        self.assertRegex(tunables(preload), r"^glibc\.rtld\.optional_static_tls=\d+$")
        self.assertRegex(tunables({**preload, "GLIBC_TUNABLES": theirs}), rf"^{theirs}:glibc\.rtld\.optional_static_tls=\d+$")
        self.assertEqual(tunables({**preload, "GLIBC_TUNABLES": own}), own)

    def test_sanitizers_of_the_program(self):
        verbs = [["run"], ["record", "--no-report", "-o", "app.grain"],
                 ["record", "--last", "5", "--no-report", "-o", "last.grain"], ["tune", "-o", "app.hints"]]
        for compiler in ["gcc", CLANG]:
            for name in ["thread", "leak", "address", "undefined"] + (["memory"] if compiler == CLANG else []):
                app = self.compile(HELLO, "-g", f"-fsanitize={name}", name=f"app-{name}", compiler=compiler)
                env = {"TSAN_OPTIONS": "report_bugs=0"}  # it does not know what orders the threads
                for verb in verbs if name in ["thread", "address"] else verbs[:2]:
                    with self.subTest(compiler=compiler, sanitizer=name, verb=verb):
                        with self.without_random_addresses():
                            done = self.einkorn(*verb, "--", app, env=env)
                        self.assertEqual(done.returncode, 0, done.stderr)
                        self.assertNotIn("ThreadSanitizer", done.stderr)
                        if verb[0] != "tune":
                            self.assertEqual(done.stdout, "3 threads\n")

    def test_a_killed_program_with_a_sanitizer_is_recorded(self):
        killed = HELLO.replace("return 0", "fflush(stdout); raise(SIGKILL); return 0")
        self.assertNotEqual(killed, HELLO)
        for compiler in ["gcc", CLANG]:
            for name in ["thread", "address"]:
                with self.subTest(compiler=compiler, sanitizer=name):
                    app = self.compile("#include <signal.h>\n" + killed, "-g", f"-fsanitize={name}", name=f"killed-{name}",
                                       compiler=compiler)
                    with self.without_random_addresses():
                        self.einkorn("record", "--no-report", "-o", "killed.grain", "--", app,
                                     env={"TSAN_OPTIONS": "report_bugs=0"})
                    report = self.einkorn("report", "killed.grain")
                    self.assertEqual(report.returncode, 0, report.stderr)
                    self.assertNotIn("cut off", report.stdout + report.stderr)

    def test_valgrind_has_nothing_to_say(self):
        app = self.compile(HELLO, "-g")
        for verb in [["run"], ["record", "--no-report", "-o", "app.grain"]]:
            with self.subTest(verb=verb[0]):
                done = self.einkorn(*verb, "--", "valgrind", "-q", "--error-exitcode=9", app)
                self.assertEqual((done.returncode, done.stdout), (0, "3 threads\n"), done.stderr)
                self.assertNotIn("Invalid", done.stderr)

    @contextlib.contextmanager
    def without_random_addresses(self):
        """ThreadSanitizer of gcc 12 does not start if the kernel randomises addresses by more than 28 bits."""
        import ctypes

        libc = ctypes.CDLL(None)
        before = libc.personality(0xFFFFFFFF)
        libc.personality(before | 0x0040000)  # ADDR_NO_RANDOMIZE; if that is forbidden it must do without
        try:
            yield
        finally:
            libc.personality(before)

    def test_what_our_memory_points_to_is_no_leak(self):
        look = {"ASAN_OPTIONS": "detect_leaks=1"}  # ./dev test has it off for the runtime's own tests
        for compiler in ["gcc", CLANG]:
            with self.subTest(compiler=compiler):
                app = self.compile(HOLDS, "-g", "-fsanitize=address", name=f"holds-{compiler}", compiler=compiler)
                done = self.einkorn("run", "--", app, env=look)
                self.assertEqual((done.returncode, done.stdout), (0, "now\n"), done.stderr)
                leaks = self.compile('#include <stdlib.h>\nint main(void) {\n#pragma omp parallel\n'
                                     '*(volatile char*)malloc(5) = 1;\nreturn 0; }\n', "-fsanitize=address", name="leaks",
                                     compiler=compiler)
                self.assertNotEqual(self.einkorn("run", "--", leaks, env=look).returncode, 0)  # or the above says nothing


if __name__ == "__main__":
    main()
