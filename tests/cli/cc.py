"""einkorn cc as CC=, with a codelet compiler of the tests' own, which says what it was given and does what the source asks of it. What
the true one makes of programs: tests/compiler."""
import ast
import os
import re
import signal
import subprocess
import time
from xml.etree import ElementTree

from harness import BUILD, CLANG, CliTest, environment, main

COMPILERS = ["gcc", CLANG]

# Writes PLAIN as CODELETS, so that it can be seen which was compiled. `fake: ...` in the source chooses another end.
FAKE = r'''#!/usr/bin/env python3
import os, re, sys, time
words = sys.argv[1:]
split = words.index("--")
own, flags = words[:split], words[split + 1:]
source, output, regions = own[0], own[own.index("-o") + 1], own[own.index("--explain") + 1]
with open(os.environ["FAKE_LOG"], "a") as log:
    log.write(repr([own, flags]) + "\n")
text = open(source).read()
asked = re.search(r"fake: (\w+)", text)
asked = asked[1] if asked else ""
if "MARK" in text and "--unmarked" in own:
    open(own[own.index("--unmarked") + 1], "w").write(f'#line 1 "{source}"\n' + text.replace("MARK", ""))
if asked == "unreadable":
    print("clang's error", file=sys.stderr)
    sys.exit(2)
if asked == "crash":
    os.kill(os.getpid(), 11)
if asked == "usage":
    sys.exit(3)
if asked == "slow":
    open(os.environ["FAKE_LOG"] + ".slow", "w").close()
    time.sleep(60)
if "--graph" in own:
    open(own[own.index("--graph") + 1], "w").write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{len(source)}" height="7"/>')
open(regions, "w").write(f"{source}:1: region of f(): translated, C codelets\ntranslated 1 of 1 regions\n")
if asked == "left" and "--strict" in own:
    print(f"{source}:1: region of f(): stays OpenMP's: because", file=sys.stderr)
    sys.exit(1)
made = text if asked == "left" else f'#include <einkorn/codelet.h>\n#line 1 "{source}"\n' + text.replace("PLAIN", "CODELETS")
if asked == "nonsense":
    made += "\n#line 99\nthis is no C;\n"
open(output, "w").write(made)
'''

SOURCE = r"""
#include <assert.h>
#include <stdio.h>
#include "beside.h"
int main(void) {
  int n = 0, unused;
  #pragma omp parallel num_threads(2) reduction(+ : n)
  n += 1;
  printf("PLAIN %s %s %d\n", __FILE__, where(), __LINE__);
  assert(n == 2);
  return EXTRA;
}
"""
HEADER = "static inline const char *where(void) { return __FILE__; }\n"


class Cc(CliTest):
    def setUp(self):
        super().setUp()
        home = self.folder / "home"
        (home / "bin").mkdir(parents=True)
        (home / "include").symlink_to(BUILD / "include")
        fake = home / "bin" / "einkorn-codelets"
        fake.write_text(FAKE)
        fake.chmod(0o755)
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.log = self.folder / "log"
        self.env = {"EINKORN_HOME": str(home), "FAKE_LOG": str(self.log), "TMPDIR": str(self.temporary)}
        self.work = self.folder / "a project"
        self.write("main.c", SOURCE.replace("EXTRA", "0"))
        self.write("beside.h", HEADER)
        self.write("sub dir/part.c", SOURCE.replace("EXTRA", "0"))
        self.write("sub dir/beside.h", HEADER)

    def tearDown(self):
        self.assertEqual(sorted(self.temporary.iterdir()), [], "temporary files are left")
        super().tearDown()

    def write(self, name, text):
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def cc(self, *words, **more):
        env = {**self.env, **more.pop("env", {})}
        return self.einkorn("cc", *words, env=env, cwd=self.work, **more)

    def plain(self, *words, compiler="gcc", **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run([compiler, *words], cwd=self.work, env=environment({"TMPDIR": str(self.temporary)}), capture_output=True,
                              text=True, **more)

    def given(self):
        return [ast.literal_eval(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def output_of(self, program):
        return subprocess.run([self.work / program], cwd=self.work, env=environment(), capture_output=True, text=True)

    def files(self):
        return {str(p.relative_to(self.work)): p for p in self.work.rglob("*") if p.is_file()}

    def new_files(self, do):
        """What a command makes, by name; it is taken away."""
        before = self.files()
        done = do()
        made = {name: path.read_bytes() for name, path in self.files().items() if name not in before}
        for name in made:
            (self.work / name).unlink()
        return done, made

    def test_the_translated_source_is_compiled_under_the_users_names(self):
        for compiler in COMPILERS:
            for source in ["main.c", "./main.c", "sub dir/part.c", str(self.work / "sub dir/part.c")]:
                with self.subTest(compiler=compiler, source=source):
                    done = self.cc("--compiler", compiler, "-g", "-fopenmp", "-c", source, "-o", "o.o")
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertEqual(self.cc("--compiler", compiler, "-fopenmp", "o.o", "-o", "app").returncode, 0)
                    there = self.output_of("app").stdout
                    plain = self.plain("-fopenmp", "-g", source, "-o", "app", compiler=compiler)
                    self.assertEqual(plain.returncode, 0, plain.stderr)
                    self.assertEqual(there, self.output_of("app").stdout.replace("PLAIN", "CODELETS"))

    def test_nothing_of_the_translation_is_in_the_object(self):
        for compiler in COMPILERS:
            for source in ["main.c", "sub dir/part.c"]:
                with self.subTest(compiler=compiler, source=source):
                    objects = []
                    for _ in range(2):
                        self.assertEqual(self.cc("--compiler", compiler, "-g", "-fopenmp", "-c", source, "-o", "o.o").returncode, 0)
                        objects.append((self.work / "o.o").read_bytes())
                    self.assertEqual(objects[0], objects[1])
                    self.assertNotIn(str(self.temporary).encode(), objects[0])
                    self.assertNotIn(b"<stdin>", objects[0])
                    units = subprocess.run(["readelf", "--debug-dump=info", "o.o"], cwd=self.work, capture_output=True, text=True).stdout
                    self.assertRegex(units, rf"DW_TAG_compile_unit(.*\n)*?.*DW_AT_name.*: {re.escape(source)}\n")

    def test_without_openmp_the_compiler_is_all(self):
        self.assertEqual(self.cc("-c", "main.c", "-o", "o.o").returncode, 0)
        self.assertEqual(self.cc("-fopenmp", "-fno-openmp", "-c", "main.c").returncode, 0)
        self.assertEqual(self.given(), [])
        for words in [["--version"], ["-dumpversion"], ["-print-prog-name=ld"], ["-fopenmp", "-E", "main.c"], ["-fopenmp", "-MM", "main.c"],
                      ["-fopenmp", "-###", "main.c"], ["-fopenmp", "-fsyntax-only", "main.c"], ["-fopenmp", "missing.c"], ["-o"],
                      ["-fopenmp", "-c", "main.c", "sub dir/part.c", "-o", "x.o"], ["-fopenmp", "main.c", "-o"]]:
            for compiler in COMPILERS:
                with self.subTest(words=words, compiler=compiler):
                    ours, plain = self.cc("--compiler", compiler, *words), self.plain(*words, compiler=compiler)
                    self.assertEqual((ours.returncode, ours.stdout), (plain.returncode, plain.stdout))
                    self.assertEqual(re.sub(r"cc\w{6}|-\w{6}\.o", "", ours.stderr), re.sub(r"cc\w{6}|-\w{6}\.o", "", plain.stderr))
        self.assertEqual(self.given(), [])

    def test_the_codelet_compiler_gets_the_flags_of_the_compile(self):
        self.write("flags", '-DA="a b" -O2\n')
        done = self.cc("--strict", "-fopenmp", "@flags", "-I", "sub dir", "-std=gnu11", "-MD", "-MF", "d", "-c", "main.c",
                       "-o", "o.o", "-lm", "-Wl,-z,now", "-include", "stdio.h")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        [[own, flags]] = self.given()
        self.assertEqual(own[0], "main.c")
        self.assertEqual(own[-3:], ["--strict", "--compiler", "gcc"])
        self.assertEqual(flags[0], "-isystem")
        self.assertTrue(os.path.exists(os.path.join(flags[1], "einkorn", "codelet.h")))
        self.assertEqual(flags[2:], ["-fopenmp", "-DA=a b", "-O2", "-I", "sub dir", "-std=gnu11", "-include", "stdio.h"])

    def test_dependency_files_are_the_compilers(self):
        (self.work / "out").mkdir()
        cases = ["-c -MMD main.c", "-c -MD main.c -o out/x.o", "-c -MMD -MF q.d main.c", "-c -MMD -MF q.d -MT target main.c -o out/x.o",
                 "-c -MMD -MP -MQ $t main.c", "-MMD main.c -o out/app.exe", "-MMD main.c", "-c -Wp,-MMD,k.d main.c -o out/x.o", "-S -MMD main.c",
                 "-c -MMD main.c -MF -"]
        for compiler in COMPILERS:
            for case in cases:
                for source in ["main.c", "sub dir/part.c"]:
                    words = ["-fopenmp", *[source if word == "main.c" else word for word in case.split()]]
                    with self.subTest(words=words, compiler=compiler):
                        ours, made = self.new_files(lambda: self.cc("--compiler", compiler, *words))
                        plain, expected = self.new_files(lambda: self.plain(*words, compiler=compiler))
                        self.assertEqual((ours.returncode, ours.stderr), (0, ""))
                        self.assertEqual(sorted(made), sorted(expected))
                        self.assertEqual(self.rules(ours.stdout), self.rules(plain.stdout))
                        for name in made:
                            if not name.endswith(".d"):
                                continue
                            rules, plain_rules = self.rules(made[name].decode()), self.rules(expected[name].decode())
                            if "-MD" in words:  # with what translated sources include, too
                                rules, plain_rules = [rules[0][0], set(plain_rules[0]) - set(rules[0])], [plain_rules[0][0], set()]
                            self.assertEqual(rules, plain_rules)

    def rules(self, text):
        return [re.findall(r"(?:\\.|\S)+", line) for line in re.sub(r"\\\n", " ", text).splitlines()]

    def test_several_sources(self):
        self.write("one.c", 'int two(void), three(void);\n#include <stdio.h>\nint main(void) { printf("PLAIN %d\\n", two() + three()); return 0; }\n')
        self.write("two.c", "int two(void) { return 2; }\n")
        self.write("three.cpp", 'extern "C" int three() { return 3; }\n')
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                own = ["--compiler", compiler, "-fopenmp"]
                (self.work / "three.o").unlink(missing_ok=True)
                done, made = self.new_files(lambda: self.cc(*own, "-c", "one.c", "two.c", "three.cpp"))
                self.assertEqual((done.returncode, done.stderr, sorted(made)), (0, "", ["one.o", "three.o", "two.o"]))
                self.assertEqual(self.cc(*own, "-c", "three.cpp").returncode, 0)
                done = self.cc(*own, "one.c", "-lm", "three.o", "-x", "c", "two.c", "-o", "app", "-Wl,--as-needed")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(self.output_of("app").stdout, "CODELETS 5\n")
                self.assertEqual(self.cc(*own, "one.c", "two.c", "three.cpp").returncode, 0)
                self.assertEqual(self.output_of("a.out").stdout, "CODELETS 5\n")
        ours, made = self.new_files(lambda: self.cc("-fopenmp", "-save-temps", "-MMD", "one.c", "two.c", "three.cpp", "-o", "prog"))
        plain, expected = self.new_files(lambda: self.plain("-fopenmp", "-save-temps", "-MMD", "one.c", "two.c", "three.cpp", "-o", "prog"))
        self.assertEqual((ours.returncode, plain.returncode), (0, 0), ours.stderr)
        self.assertEqual({n for n in expected if not n.endswith(".o")}, {n for n in made if not n.endswith(".o")})

    def test_what_is_no_c_source_is_passed_on(self):
        self.write("a.cpp", "int f() { return 0; }\n")
        self.write("a.s", ".text\n")
        self.write("a.i", "int g(void) { return 0; }\n")
        self.write("a.S", "#ifdef X\n#endif\n")
        self.assertEqual(self.cc("-fopenmp", "-c", "a.cpp", "a.s", "a.i", "a.S").returncode, 0)
        self.assertEqual(self.cc("-fopenmp", "-c", "-x", "c++", "a.i").returncode, 0)
        with open(self.work / "a.i") as text:
            self.assertEqual(self.cc("-fopenmp", "-c", "-x", "c", "-", "-o", "in.o", stdin=text).returncode, 0)
        self.assertEqual(self.given(), [])
        self.write("listing.inc", "int h(void) { return 0; }\n")
        self.assertEqual(self.cc("-fopenmp", "-c", "-xc", "listing.inc", "-o", "in.o").returncode, 0)
        self.assertEqual(len(self.given()), 1)

    def test_diagnostics_and_status_are_the_compilers(self):
        self.write("wrong.c", SOURCE.replace("EXTRA", "undeclared"))
        self.write("sub dir/wrong.c", SOURCE.replace("EXTRA", "undeclared"))
        self.write("second.c", "int second(void) { int unused; return 0; }\n")
        for compiler in COMPILERS:
            for words in [["main.c"], ["sub dir/part.c"], ["wrong.c"], ["sub dir/wrong.c"], ["main.c", "-Werror"], ["main.c", "second.c"],
                          ["wrong.c", "second.c"]]:
                words = ["-fopenmp", "-Wall", "-c", *words]
                with self.subTest(words=words, compiler=compiler):
                    ours, plain = self.cc("--compiler", compiler, *words), self.plain(*words, compiler=compiler)
                    self.assertEqual((ours.returncode, ours.stdout), (plain.returncode, plain.stdout))
                    self.assertEqual(ours.stderr.replace("CODELETS", "PLAIN"), plain.stderr)

    def test_what_clang_cannot_read_is_compiled_as_it_is(self):
        self.write("odd.c", SOURCE.replace("EXTRA", "0 /* fake: unreadable */"))
        done = self.cc("-fopenmp", "odd.c", "-o", "app")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(self.output_of("app").stdout.startswith("PLAIN"))
        done = self.cc("--explain", "-fopenmp", "odd.c", "-o", "app")
        self.assertEqual((done.returncode, done.stderr), (0, "odd.c: stays OpenMP's: clang cannot read it\n"))
        done = self.cc("--strict", "-fopenmp", "odd.c", "-o", "app")
        self.assertEqual(done.returncode, 1)
        self.assertIn("clang's error\n", done.stderr)

    def test_a_region_that_is_left(self):
        self.write("left.c", SOURCE.replace("EXTRA", "0 /* fake: left */"))
        self.assertEqual(self.cc("-fopenmp", "-c", "left.c").stderr, "")
        done, made = self.new_files(lambda: self.cc("--strict", "-fopenmp", "-c", "left.c", "-o", "not.o"))
        self.assertEqual((done.returncode, done.stderr, made), (1, "left.c:1: region of f(): stays OpenMP's: because\n", {}))

    def test_a_broken_codelet_compiler_breaks_no_build(self):
        for end, said in [("crash", "signal 11"), ("usage", "status 3")]:
            with self.subTest(end=end):
                self.write("broken.c", SOURCE.replace("EXTRA", f"0 /* fake: {end} */"))
                done = self.cc("-fopenmp", "broken.c", "-o", "app")
                self.assertEqual(done.returncode, 0)
                self.assertRegex(done.stderr, rf"^einkorn: .*broken.c \({said}\): it is compiled as it is. Please report it.\n$")
                self.assertTrue(self.output_of("app").stdout.startswith("PLAIN"))
                self.assertEqual(self.cc("--strict", "-fopenmp", "broken.c").returncode, 1)

    def test_what_the_compiler_refuses_is_compiled_as_it_was(self):
        self.write("nonsense.c", SOURCE.replace("EXTRA", "0 /* fake: nonsense */"))
        for compiler in COMPILERS:
            done = self.cc("--compiler", compiler, "-fopenmp", "nonsense.c", "-o", "app")
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, r"^einkorn: .* refuses what was made of nonsense.c, .*Please report it: nonsense.c:99.*error.*\n$")
            self.assertTrue(self.output_of("app").stdout.startswith("PLAIN"))

    def test_what_only_we_know_is_taken_out_wherever_it_is_compiled(self):
        for end in ["nonsense", "unreadable"]:
            self.write("marked.c", SOURCE.replace("EXTRA", f"0 /* fake: {end} */").replace("num_threads", "MARK num_threads"))
            for compiler in COMPILERS:
                done = self.cc("--compiler", compiler, "-fopenmp", "marked.c", "-o", "app")
                self.assertEqual((done.returncode, "refuses what was made" in done.stderr), (0, end == "nonsense"), done.stderr)
                self.assertTrue(self.output_of("app").stdout.startswith("PLAIN marked.c"))

    def test_explain_and_keep(self):
        done = self.cc("--explain", "--keep", "kept", "-fopenmp", "-c", "main.c", "sub dir/part.c")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.splitlines()[:2], ["main.c:1: region of f(): translated, C codelets", "translated 1 of 1 regions"])
        for name in ["main.c", "sub dir/part.c"]:
            self.assertIn("CODELETS", (self.work / "kept" / name).read_text())
        done = self.cc("--keep=.", "-fopenmp", "-c", "main.c")
        self.assert_refused(done, 125, "./main.c is itself what is read here")
        self.assertIn("PLAIN", (self.work / "main.c").read_text())

    def test_signals_leave_nothing(self):
        self.write("slow.c", SOURCE.replace("EXTRA", "0 /* fake: slow */"))
        for number, to_group in [(signal.SIGTERM, False), (signal.SIGINT, True), (signal.SIGHUP, True)]:
            with self.subTest(signal=number):
                begun = self.folder / "log.slow"
                begun.unlink(missing_ok=True)
                child = subprocess.Popen([str(BUILD / "bin" / "einkorn"), "cc", "-fopenmp", "-c", "slow.c"], cwd=self.work,
                                         env=environment({**os.environ, **self.env}), stderr=subprocess.PIPE, start_new_session=True)
                while not begun.exists():
                    time.sleep(0.01)
                (os.killpg if to_group else os.kill)(child.pid, number)
                child.communicate(timeout=60)
                self.assertEqual(child.returncode, -number)
                self.assertEqual(list(self.temporary.iterdir()), [])

    def test_no_wait_outlasts_a_signal(self):
        """Whatever it waits for: here nobody reads the dependencies."""
        os.mkfifo(self.work / "fifo")
        words = ["cc", "-fopenmp", "-c", "main.c", "-MD", "-MF", "fifo", "-o", "m.o"]
        for number in [signal.SIGTERM, signal.SIGINT]:
            with self.subTest(signal=number):
                self.log.unlink(missing_ok=True)
                (self.work / "m.o").unlink(missing_ok=True)
                child = subprocess.Popen([str(BUILD / "bin" / "einkorn"), *words], cwd=self.work, env=environment({**os.environ, **self.env}))
                while not (self.work / "m.o").exists():
                    time.sleep(0.01)
                time.sleep(0.3)
                self.assertIsNone(child.poll(), "it has not waited")
                os.kill(child.pid, number)
                self.assertEqual(child.wait(timeout=60), -number)
                self.assertEqual(list(self.temporary.iterdir()), [])

    def test_what_can_be_read_once_is_the_compilers(self):
        os.mkfifo(self.work / "fifo")
        for compiler in COMPILERS:
            with subprocess.Popen(["sh", "-c", "cat main.c > fifo"], cwd=self.work) as writer:
                done = self.cc("--compiler", compiler, "-fopenmp", "-x", "c", "fifo", "-o", "app", timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(writer.wait(timeout=60), 0)
            self.assertTrue(self.output_of("app").stdout.startswith("PLAIN"))
        self.assertEqual(self.given(), [])

    def test_no_output_takes_the_place_of_a_source(self):
        plain = (self.work / "main.c").read_text()
        (self.work / "link.c").symlink_to("main.c")
        os.link(self.work / "main.c", self.work / "hard.c")
        self.write("object.o", plain)
        self.write("a.out", plain)
        for compiler in COMPILERS:
            for words in [["main.c", "-o", "main.c"], ["main.c", "-o", "./main.c"], ["-c", "main.c", "-o", "main.c"], ["main.c", "-o", "link.c"],
                          ["-c", "link.c", "-o", "main.c"], ["main.c", "-omain.c"], ["-S", "main.c", "-o", "hard.c"], ["-E", "main.c", "-o", "hard.c"],
                          ["-c", "main.c", "-o", "m.o", "-MD", "-MF", "main.c"], ["-c", "main.c", "-o", "m.o", "-MMD", "-MFhard.c"],
                          ["-c", "-x", "c", "object.o"], ["-x", "c", "a.out"]]:
                for openmp in [["-fopenmp"], []]:
                    with self.subTest(words=words, compiler=compiler, openmp=openmp):
                        done = self.cc("--compiler", compiler, *openmp, *words)
                        self.assert_refused(done, 1, "is itself what is read here")
                        for name in ["main.c", "object.o", "a.out"]:
                            self.assertEqual((self.work / name).read_text(), plain)
            self.assertEqual(self.cc("--compiler", compiler, "-fopenmp", "-c", "-x", "c", "/dev/null", "-o", "/dev/null").returncode, 0)
        self.assertEqual(self.given(), [])
        # Of the folders of --keep and codelets: sources that are others' copies, too.
        self.write("kept/main.c", plain)
        self.write("linked/main.c", plain).unlink()
        os.link(self.work / "main.c", self.work / "linked/main.c")
        for folder, sources in [(".", ["main.c"]), ("kept", ["main.c", "kept/main.c"]), ("linked", ["main.c"])]:
            for verb in [["cc", "--keep", folder, "-fopenmp", "-c", *sources], ["codelets", *sources, "-o", folder]]:
                with self.subTest(verb=verb):
                    done = self.einkorn(*verb, env=self.env, cwd=self.work)
                    self.assertEqual(done.returncode, 125)
                    self.assertIn("is itself what is read here", done.stderr)
                    self.assertEqual([(self.work / s).read_text() for s in sources], [plain] * len(sources))
        for graph in ["main.c", "hard.c", "./link.c"]:
            self.assert_refused(self.einkorn("codelets", "main.c", "-o", "read", "--graph", graph, env=self.env, cwd=self.work), 125,
                                "is itself what is read here")
            self.assertEqual((self.work / "main.c").read_text(), plain)

    def test_where_no_temporary_files_can_be_made(self):
        closed = self.folder / "closed"
        closed.mkdir()
        link = closed / "file system"
        link.symlink_to("/proc/self")  # a folder in which nobody can make files, not even root
        done = self.cc("-fopenmp", "-pipe", "-c", "main.c", "-o", "m.o", env={"TMPDIR": str(link)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^einkorn: .*: compiled as it is, without codelets. Set TMPDIR to .*\n$")
        self.assertEqual(self.given(), [])
        self.assertEqual(self.cc("--strict", "-fopenmp", "-c", "main.c", "-o", "n.o", env={"TMPDIR": str(link)}).returncode, 1)
        self.assertFalse((self.work / "n.o").exists())

    def test_make_and_cmake(self):
        self.write("Makefile", "CFLAGS = -fopenmp -MMD\nprog: main.o second.o\n\t$(CC) $(CFLAGS) $^ -o $@\n-include main.d second.d\n")
        self.write("second.c", "int second(void) { return 0; }\n")
        env = environment({**os.environ, **self.env})
        done = subprocess.run(["make", "-j2", "CC=einkorn cc"], cwd=self.work, env=env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.output_of("prog").stdout.startswith("CODELETS"))
        self.assertEqual(len(self.given()), 2)
        os.utime(self.work / "beside.h", (time.time() + 5, time.time() + 5))
        done = subprocess.run(["make", "CC=einkorn cc"], cwd=self.work, env=env, capture_output=True, text=True)
        self.assertIn("main.c", done.stdout)
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(p C)\nfind_package(OpenMP REQUIRED)\n"
                   "add_executable(app main.c second.c)\ntarget_link_libraries(app OpenMP::OpenMP_C)\n")
        for compiler in COMPILERS:
            build = f"build {compiler}"
            env["CC"] = f"einkorn cc --compiler {compiler}"
            for words in [["-B", build, "-DCMAKE_EXE_LINKER_FLAGS=-L/usr/lib/llvm-19/lib"], ["--build", build, "-j2"]]:
                done = subprocess.run(["cmake", *words], cwd=self.work, env=env, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertTrue(self.output_of(f"{build}/app").stdout.startswith("CODELETS"), compiler)

    def test_wrong_words_of_ours(self):
        self.assert_refused(self.cc("--compiler"), 125, "--compiler: what comes behind it is missing")
        self.assert_refused(self.cc("--compiler", "no-such-compiler", "-c", "main.c"), 127, "no-such-compiler", "--compiler")
        self.assert_refused(self.cc("--compiler", "no-such-compiler", "-fopenmp", "-c", "main.c"), 127, "no-such-compiler", "--compiler")
        self.assert_refused(self.cc(), 125, "no words for the compiler")
        self.assert_refused(self.cc("--target", "swarm", "-c", "main.c"), 125, "--target is tp or complexes, not 'swarm'")
        self.assert_refused(self.cc("--target=swarm", "-c", "main.c"), 125, "--target is tp or complexes, not 'swarm'")
        self.assert_refused(self.cc("--target"), 125, "--target: what comes behind it is missing")

    def test_the_target_is_the_codelet_compilers_or_clangs(self):
        for words, own in [(["--target", "complexes"], "complexes"), (["--target=tp"], "tp"), ([], None)]:
            with self.subTest(words=words):
                self.log.unlink(missing_ok=True)
                self.assertEqual(self.cc(*words, "-fopenmp", "-c", "main.c", "-o", "o.o").returncode, 0)
                [[given, _]] = self.given()
                self.assertEqual(given[given.index("--target") + 1] if "--target" in given else None, own)
        done = self.cc("--compiler", CLANG, "--target=x86_64-linux-gnu", "-fopenmp", "-c", "main.c", "-o", "o.o")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--target=x86_64-linux-gnu", self.given()[-1][1])
        read = ["main.c", "-o", "read", "--", "-fopenmp"]
        done = self.einkorn("codelets", "--target", "complexes", *read, env=self.env, cwd=self.work)
        given = self.given()[-1][0]
        self.assertEqual((done.returncode, given[given.index("--target") + 1]), (0, "complexes"), done.stderr)
        done = self.einkorn("codelets", "--target", "swarm", *read, env=self.env, cwd=self.work)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--target is tp or complexes, not 'swarm'", done.stderr)

    def test_without_a_codelet_compiler_it_names_the_packages(self):
        tool = self.public_copy()
        done = subprocess.run([tool, "cc", "-fopenmp", "-c", "main.c"], cwd=self.work, env=environment({"TMPDIR": str(self.temporary)}),
                              capture_output=True, text=True)
        self.assert_refused(done, 125, "libclang-19-dev", "build Einkorn again")
        done = subprocess.run([tool, "cc", "-c", "main.c"], cwd=self.work, env=environment(), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_to_be_read(self):
        done = self.einkorn("codelets", "main.c", "sub dir/part.c", "-o", "read", "--explain", "--", "-I.", "-c", "-o", "x.o", env=self.env,
                            cwd=self.work)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("translated 1 of 1 regions"), 2)
        self.assertIn("CODELETS", (self.work / "read" / "sub dir" / "part.c").read_text())
        self.assertEqual([flags[2:] for _, flags in self.given()], [["-fopenmp", "-I."]] * 2)
        done = self.einkorn("codelets", "main.c", "-o", ".", env=self.env, cwd=self.work)
        self.assert_refused(done, 125, "./main.c is itself what is read here")
        self.write("odd.c", "/* fake: unreadable */\n")
        done = self.einkorn("codelets", "odd.c", "-o", "read", env=self.env, cwd=self.work)
        self.assertEqual(done.returncode, 1)
        self.assertIn("clang's error", done.stderr)
        self.write("left.c", "/* fake: left */\n")
        done = self.einkorn("codelets", "left.c", "-o", "read", "--strict", env=self.env, cwd=self.work)
        self.assertEqual((done.returncode, done.stderr), (1, "left.c:1: region of f(): stays OpenMP's: because\n"))

    def test_pictures_stand_below_each_other(self):
        def draw(*words, to="graph.svg"):
            return self.einkorn("codelets", *words, "-o", "read", "--graph", to, env=self.env, cwd=self.work)
        self.assertEqual(draw("main.c").returncode, 0)
        self.assertEqual((self.work / "graph.svg").read_text(), '<svg xmlns="http://www.w3.org/2000/svg" width="6" height="7"/>')
        self.assertEqual(draw("main.c", "sub dir/part.c").returncode, 0)
        picture = ElementTree.parse(self.work / "graph.svg").getroot()
        self.assertEqual((picture.get("width"), picture.get("height"), picture.get("viewBox")), ("14", "14", "0 0 14 14"))
        self.assertEqual([(part.get("y"), part.get("width")) for part in picture], [("0", "6"), ("7", "14")])
        self.assert_refused(draw("main.c", to="none/graph.svg"), 125, "--graph: cannot write none/graph.svg: No such file")


if __name__ == "__main__":
    main()
