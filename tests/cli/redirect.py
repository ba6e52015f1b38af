"""The audit library: every search for an OpenMP runtime ends at ours, and nothing else changes."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from harness import CLANG, CliTest, EINKORN, HELLO, RUNTIME, environment, main

AUDIT = RUNTIME.with_name("libeinkorn-audit.so")

# Loads libraries by the names given, in this order, and runs a parallel region in each.
LOADER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
static int show(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size, (void)data;
  static const char* const names[] = {"/libgomp", "/libomp", "/libiomp5", "/libeinkorn"};
  for (int i = 0; i < 4; ++i)
    if (strstr(info->dlpi_name, names[i])) printf("loaded %s\n", info->dlpi_name);
  return 0;
}
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    void* handle = dlopen(argv[i], RTLD_NOW);
    if (!handle) { printf("%s\n", dlerror()); continue; }
    int (*threads)(void) = (int (*)(void))dlsym(handle, "threads");
    if (threads) printf("%d threads\n", threads());
    int (*maximum)(void) = (int (*)(void))dlsym(handle, "omp_get_max_threads");
    Dl_info info;
    if (maximum && dladdr((void*)maximum, &info)) printf("%d maximum in %s\n", maximum(), info.dli_fname);
    if (!threads && !maximum) printf("something else\n");
  }
  dl_iterate_phdr(show, 0);
  return 0;
}
"""

# Opens, uses and closes each of the libraries many times, also on threads that come and go. Prints how many threads are
# left.
CLOSER = r"""
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static char** names;
static void* use(void* arg) {
  for (char** name = names; *name; ++name) {
    void* handle = dlopen(*name, RTLD_NOW);
    int (*threads)(void) = handle ? (int (*)(void))dlsym(handle, "threads") : 0;
    int (*maximum)(void) = handle ? (int (*)(void))dlsym(handle, "omp_get_max_threads") : 0;
    if ((!threads || threads() != 3) && (!maximum || maximum() != 5)) printf("%s: wrong\n", *name), exit(1);
    dlclose(handle);
    if (threads && !arg && dlopen(*name, RTLD_NOW | RTLD_NOLOAD)) printf("%s: still there\n", *name), exit(1);
  }
  return 0;
}
int main(int argc, char** argv) {
  (void)argc;
  names = argv + 1;
  for (int round = 0; round < 30; ++round) {
    use(0);
    pthread_t two[2];
    for (int i = 0; i < 2; ++i) pthread_create(&two[i], 0, use, two);
    for (int i = 0; i < 2; ++i) pthread_join(two[i], 0);
  }
  int left = -2;  // . and ..
  DIR* dir = opendir("/proc/self/task");
  while (readdir(dir)) ++left;
  printf("%d threads are left\n", left);
  return 0;
}
"""

LIBRARY = r"""
int threads(void) {
  int n = 0;
  #pragma omp parallel num_threads(3) reduction(+ : n)
  n += 1;
  return n;
}
"""

# What binds OpenMP symbols: "binding file FROM [0] to TO [0]: normal symbol `NAME' [VERSION]".
BINDING = re.compile(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: normal symbol `((?:GOMP|omp|__kmpc|kmp)_\w+)'")


# Names no function of OpenMP's and has no directive, so that a linker would leave the library out: the header sees to it.
PROCEDURE = r"""
#include <einkorn/codelet.h>
#include <stdio.h>
static ek_next run(ek_self* me) { return **(int**)me->frame = 6 * 7, EK_END; }
static const ek_proc answer = {.name = "answer", .run = run, .frame_bytes = sizeof(int*)};
int main(void) {
  int found = 0, *at = &found;
  printf("%d\n", ek_launch(&answer, &at) == 0 ? found : -1);
  return 0;
}
"""


class RedirectTest(CliTest):
    def run_it(self, *words, env=None):
        done = self.einkorn("run", "--", *words, env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def assert_one_runtime(self, *words, env=None):
        """Under LD_DEBUG: every OpenMP symbol binds to ours, and no other runtime's file is opened. Returns stdout."""
        more = {"LD_DEBUG": "bindings,files", "LD_DEBUG_OUTPUT": str(self.folder / "debug"), **(env or {})}
        done = self.einkorn("run", "--", *words, env=more)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = "".join(f.read_text() for f in self.folder.glob("debug.*"))
        for file in self.folder.glob("debug.*"):
            file.unlink()
        bound = BINDING.findall(text)
        self.assertTrue(bound, "no OpenMP symbol was bound at all")
        for origin, target, symbol in bound:
            self.assertEqual(target, str(RUNTIME), f"{symbol} of {origin}")
        self.assertIn(f"calling init: {RUNTIME}", text)
        foreign = [l for l in re.findall(r"calling init: (\S+)", text)
                   if re.search(r"lib(gomp|omp|iomp5)[-.\w]*\.so", l) and l != str(RUNTIME)]
        self.assertEqual(foreign, [])
        return done.stdout

    def real(self, name, compiler="gcc"):
        """The installed runtime that the compiler links with."""
        path = subprocess.run([compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip()
        self.assertTrue(os.path.isabs(path), f"{compiler} has no {name}")
        return os.path.realpath(path)

    def library(self, name, *options, compiler="gcc"):
        text = self.folder / "library.c"
        text.write_text(LIBRARY)
        out = self.folder / name
        subprocess.run([compiler, "-fopenmp", "-shared", "-fPIC", str(text), "-o", str(out), *options], check=True)
        return out

    def vendored(self, name, real, soname):
        """A library as in a PyPI wheel: its runtime is beside it under a hashed name, and it needs that one, with
    symbol versions."""
        folder = self.folder / (name + ".libs")
        folder.mkdir()
        # auditwheel patches DT_SONAME and DT_NEEDED; linking against a file whose DT_SONAME is the hashed name gives the
        # same. The needed versions come from a stub with the symbols and versions of the real library.
        symbols = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", real], check=True,
                                 capture_output=True, text=True).stdout
        wanted, nodes = {}, []
        for symbol, version in re.findall(r"\bT (\w+)@@([\w.]+)", symbols):
            if symbol in ("GOMP_parallel", "__kmpc_fork_call", "__kmpc_global_thread_num", "__kmpc_push_num_threads",
                          "__kmpc_reduce", "__kmpc_end_reduce", "__kmpc_reduce_nowait", "__kmpc_end_reduce_nowait"):
                wanted[symbol] = version
                nodes += [version] if version not in nodes else []
        (folder / "stub.c").write_text("".join(f"void {s}(void) {{}}\n" for s in wanted))
        (folder / "stub.map").write_text("".join(
            f"{n} {{ global: {' '.join(s + ';' for s, v in wanted.items() if v == n)} }};\n" for n in nodes))
        subprocess.run(["gcc", "-shared", "-fPIC", str(folder / "stub.c"), f"-Wl,-soname,{soname}",
                        f"-Wl,--version-script={folder / 'stub.map'}", "-o", str(folder / soname)], check=True)
        text = self.folder / f"{name}.c"
        text.write_text(LIBRARY)
        compiler = "gcc" if "GOMP_parallel" in wanted and "gomp" in soname else CLANG
        subprocess.run([compiler, "-fopenmp", "-fPIC", "-c", str(text), "-o", str(folder / "part.o")], check=True)
        out = self.folder / f"{name}.so"
        subprocess.run(["gcc", "-shared", str(folder / "part.o"), "-o", str(out), str(folder / soname),
                        f"-Wl,-rpath,$ORIGIN/{name}.libs"], check=True)
        needs = subprocess.run(["readelf", "-VdW", str(out)], check=True, capture_output=True, text=True).stdout
        self.assertIn(f"Shared library: [{soname}]", needs)
        self.assertRegex(needs, rf"File: {re.escape(soname)}")  # its version needs are there
        shutil.copy(real, folder / soname)
        return out


class Programs(RedirectTest):
    def test_gcc_and_clang(self):
        for compiler in ["gcc", CLANG]:
            with self.subTest(compiler=compiler):
                app = self.compile(HELLO, compiler=compiler)
                self.assertEqual(self.run_it(app), "3 threads\n")
                self.assertEqual(self.assert_one_runtime(app), "3 threads\n")

    def test_a_program_of_codelets_alone(self):
        include = f"-I{Path(__file__).resolve().parents[2] / 'include'}"
        for compiler in "gcc", CLANG:
            app = self.compile(PROCEDURE, include, "-Wl,--as-needed", name=f"codelets-{compiler}", compiler=compiler)
            self.assertEqual(subprocess.run([str(app)], env=environment(), capture_output=True, text=True).stdout, "-1\n")
            done = self.einkorn("run", "--", app)
            self.assertEqual((done.stdout, done.stderr, done.returncode), ("42\n", "", 0), compiler)

    def test_rpath_and_runpath_that_lead_to_the_real_one(self):
        for compiler, name in [("gcc", "libgomp.so.1"), (CLANG, "libomp.so")]:
            folder = os.path.dirname(self.real(name, compiler))
            for tags in ["--disable-new-dtags", "--enable-new-dtags"]:
                with self.subTest(compiler=compiler, tags=tags):
                    app = self.compile(HELLO, f"-Wl,{tags},-rpath,{folder}", compiler=compiler)
                    self.assertEqual(self.assert_one_runtime(app), "3 threads\n")

    def test_library_path_and_preload_of_the_real_one(self):
        app = self.compile(HELLO)
        real = self.real("libgomp.so.1")
        for setting in [f"LD_LIBRARY_PATH={os.path.dirname(real)}", f"LD_PRELOAD={real}", "LD_PRELOAD=libgomp.so.1"]:
            with self.subTest(setting=setting):
                self.assertEqual(self.assert_one_runtime("env", setting, app), "3 threads\n")

    def test_gcc_program_with_clang_library(self):
        self.library("libpart.so", compiler=CLANG)
        app = self.compile('extern int threads(void);\n' + HELLO.replace("return 0;", 'return threads() == 3 ? 0 : 1;'),
                           "-L.", "-lpart", "-Wl,-rpath,$ORIGIN")
        self.assertEqual(self.assert_one_runtime(app), "3 threads\n")

    def test_needed_with_a_slash(self):
        # Linked by path with a library without DT_SONAME, the path itself becomes DT_NEEDED.
        real = self.real("libgomp.so.1")
        stub = self.folder / "libgomp.so"
        subprocess.run(["gcc", "-shared", "-o", str(stub), "-x", "c", "-fPIC", "-"], check=True, text=True,
                       input="void GOMP_parallel(void) {}\n")
        text = self.folder / "app.c"
        text.write_text(HELLO)
        subprocess.run(["gcc", "-fopenmp", "-c", str(text), "-o", str(self.folder / "app.o")], check=True)
        app = self.folder / "app"
        subprocess.run(["gcc", str(self.folder / "app.o"), str(stub), "-o", str(app)], check=True)
        stub.unlink()
        stub.symlink_to(real)
        self.assertEqual(self.assert_one_runtime(app), "3 threads\n")

    def test_children_inherit_it(self):
        app = self.compile(HELLO)
        self.assertEqual(self.assert_one_runtime("sh", "-c", f"env {app}"), "3 threads\n")

    def test_einkorn_under_einkorn(self):
        app = self.compile(HELLO)
        self.assertEqual(self.run_it(EINKORN, "run", "--", app), "3 threads\n")
        self.assertEqual(self.run_it(EINKORN, "run", "--", "printenv", "LD_AUDIT"), f"{AUDIT}\n")

    def test_another_audit_library_stays(self):
        other = self.folder / "other.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(other), "-x", "c", "-"], check=True, text=True, input="""
            #include <unistd.h>
            unsigned la_version(unsigned v) { (void)!write(1, "other\\n", 6); return v; }""")
        app = self.compile(HELLO)
        # One line from the tool, one from the program.
        self.assertEqual(self.run_it(app, env={"LD_AUDIT": str(other)}), "other\nother\n3 threads\n")


class Opened(RedirectTest):
    """dlopen() in a program that knows nothing of OpenMP."""

    def setUp(self):
        super().setUp()
        text = self.folder / "loader.c"
        text.write_text(LOADER)
        self.loader = self.folder / "loader"
        subprocess.run(["gcc", str(text), "-o", str(self.loader), "-ldl"], check=True)

    def open(self, *names):
        return self.run_it(self.loader, *names, env={"OMP_NUM_THREADS": "5"}).splitlines()

    def test_runtimes_by_name_and_by_path(self):
        names = ["libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so", self.real("libgomp.so.1"),
                 self.real("libomp.so", CLANG), "/nowhere/libiomp5.so", "libgomp-a34b3233.so.1.0.0", "libomp-19.so.5"]
        for order in [names, names[::-1]] + [[n] for n in names]:
            with self.subTest(order=order):
                lines = self.open(*order)
                self.assertEqual(lines[:-1], [f"5 maximum in {RUNTIME}"] * len(order))
                # One object, under its own name: dl_iterate_phdr() is what debuggers and profilers go by.
                self.assertEqual(lines[-1], f"loaded {RUNTIME}")

    def test_libraries_of_both_compilers(self):
        ours = [self.library("a.so"), self.library("b.so", compiler=CLANG)]
        for order in [ours, ours[::-1]]:
            self.assertEqual(self.open(*order), ["3 threads", f"5 maximum in {RUNTIME}"] * 2 + [f"loaded {RUNTIME}"])
            self.assert_one_runtime(self.loader, *order)

    def test_hashed_names_with_version_needs(self):
        gomp = self.vendored("wheel1", self.real("libgomp.so.1"), "libgomp-a34b3233.so.1.0.0")
        omp = self.vendored("wheel2", self.real("libomp.so", CLANG), "libomp-b8e5bcfb.so")
        for order in [[gomp], [omp], [gomp, omp], [omp, gomp], ["libgomp.so.1", omp, gomp], [self.real("libgomp.so.1"), gomp],
                      [gomp, "libiomp5.so"]]:
            with self.subTest(order=[os.path.basename(o) for o in order]):
                lines = self.open(*order)
                self.assertEqual(lines.count("3 threads"), len([o for o in order if o in (gomp, omp)]))
                self.assertEqual(lines[-1], f"loaded {RUNTIME}")
                self.assert_one_runtime(self.loader, *order)

    def test_closed_again(self):
        text, closer = self.folder / "closer.c", self.folder / "closer"
        text.write_text(CLOSER)
        subprocess.run(["gcc", "-pthread", str(text), "-o", str(closer), "-ldl"], check=True)
        names = [str(self.library("a.so")), str(self.library("b.so", compiler=CLANG)), "libgomp.so.1", "libiomp5.so"]
        # The initial thread, two of its regions, and of the pool what the two threads' regions had: seven, and some more where a
        # thread was asked for before one that was on its way to the pool had a CPU. Kept ones would be hundreds.
        def few(text):
            self.assertRegex(text, r"^\d+ threads are left\n$")
            self.assertIn(int(text.split()[0]), range(3, 20))
        few(self.run_it(closer, *names, env={"OMP_NUM_THREADS": "5"}))
        grain = self.folder / "closed.grain"
        done = self.einkorn("record", "-o", grain, "--no-report", "--", closer, *names, env={"OMP_NUM_THREADS": "5"})
        few(done.stdout)  # the recorder's is one
        report = json.loads(self.einkorn("report", grain, "--json").stdout)
        self.assertEqual((report["regions"], report["complete"]), (30 * 3 * 2, True))

    def test_what_is_no_runtime_is_left_alone(self):
        names = ["libgomp-plugin-nvptx.so.1", "libomptarget.so.19.1", "libompd.so", "libompstub.so", "libiompstubs5.so",
                 "libiomp5_db.so", "libgomp.so.old", "libgompx.so", "mylibgomp.so.1", "libomp-mine.so", "libomp.sock"]
        for name in names:
            with self.subTest(name=name):
                path = self.folder / name
                subprocess.run(["gcc", "-shared", "-o", str(path), "-x", "c", "-fPIC", "-"], input="int nothing;\n", text=True,
                               check=True)
                lines = self.open(path)
                self.assertEqual(lines[0], "something else")
                self.assertNotIn(f"loaded {RUNTIME}", lines)
                # A runtime that does not exist is not found: the search does not end at ours.
                self.assertIn("cannot open shared object file", self.open(name)[0])

    def test_libomptarget_of_llvm_loads_beside_ours(self):
        target = self.real("libomptarget.so", CLANG)
        # It needs symbols of libomp.so, which are ours, and so finds omp_get_max_threads().
        self.assertEqual(self.open(target), [f"5 maximum in {RUNTIME}", f"loaded {target}", f"loaded {RUNTIME}"])


class TheAuditLibrary(RedirectTest):
    def test_needs_nothing_and_hooks_no_call(self):
        dynamic = subprocess.run(["readelf", "-dW", str(AUDIT)], check=True, capture_output=True, text=True).stdout
        self.assertNotIn("NEEDED", dynamic)
        symbols = subprocess.run(["nm", "-D", "--format=posix", str(AUDIT)], check=True, capture_output=True, text=True).stdout
        self.assertEqual({line.split()[0] for line in symbols.splitlines()}, {"la_version", "la_objsearch", "la_objopen"})

    def test_without_a_runtime_it_steps_aside(self):
        app = self.compile(HELLO)
        for runtime in [None, "", "relative/libeinkorn.so", "/" + "x" * 5000]:
            with self.subTest(runtime=runtime and runtime[:20]):
                env = {"LD_AUDIT": str(AUDIT), **({"EINKORN_RUNTIME": runtime} if runtime is not None else {})}
                done = subprocess.run(["sh", "-c", f"{app}; grep -c libgomp /proc/self/maps || true"], env=environment(env),
                                      capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout), (0, "3 threads\n0\n"), done.stderr)


if __name__ == "__main__":
    main()
