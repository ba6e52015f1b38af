"""Verbs and options: help, versions, misspellings."""
import os
import re
import subprocess
from pathlib import Path

from harness import BUILD, CliTest, EINKORN, HELLO, RUNTIME, RUNTIME_LINK, TOOL, environment, main

VERBS = ["run", "record", "tune", "report", "compare", "simulate", "view", "export", "machine", "cc", "codelets"]
REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference.md"


class Help(CliTest):
    def test_every_verb_has_help_with_an_example(self):
        for verb in VERBS:
            with self.subTest(verb=verb):
                done = self.einkorn(verb, "--help")
                self.assertEqual(done.returncode, 0)
                self.assertEqual(done.stderr, "")
                self.assertIn(f"einkorn {verb}", done.stdout)
                self.assertIn("Example: ", done.stdout)

    def test_the_tool_lists_its_verbs(self):
        done = self.einkorn("--help")
        self.assertEqual(done.returncode, 0)
        for verb in VERBS:
            self.assertIn(verb, done.stdout)

    def test_the_reference_has_every_verb_with_its_options_and_no_others(self):
        sections = re.split(r"^## ", REFERENCE.read_text(), flags=re.MULTILINE)[1:]
        for verb in VERBS:
            with self.subTest(verb=verb):
                section = next((s for s in sections if s.startswith(f"einkorn {verb}\n")), "")
                self.assertTrue(section, f"docs/reference.md has no section on `einkorn {verb}`")
                listed = re.findall(r"^  (-[-\w,]+)", self.einkorn(verb, "--help").stdout, re.MULTILINE)
                offered = [set(names.split(",")) for names in listed if "--help" not in names]
                told = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(re.findall(r"^\| (`-.*?) \|", section, re.MULTILINE))))
                for names in offered:
                    self.assertTrue(names & told, f"{names}: not in the section's tables")
                self.assertEqual(told - set().union(*offered), set())

    def test_version(self):
        done = self.einkorn("--version")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^einkorn \d+\.\d+\.\d+\n$")

    def test_nothing_at_all_shows_the_help_as_an_error(self):
        done = self.einkorn()
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        self.assertIn("Example: ", done.stderr)


class UnknownWords(CliTest):
    def test_a_misspelt_verb_gets_the_nearest_one(self):
        for word, meant in [("runn", "run"), ("recrod", "record"), ("reprot", "report")]:
            with self.subTest(word=word):
                self.assert_refused(self.einkorn(word, "--", "true"), 125, f"'{word}'", f"Did you mean '{meant}'?", *VERBS)

    def test_a_verb_from_nowhere_gets_the_list(self):
        done = self.einkorn("harvest", "x")
        self.assert_refused(done, 125, "'harvest'", *VERBS)
        self.assertNotIn("Did you mean", done.stderr)

    def test_an_unknown_option(self):
        self.assert_refused(self.einkorn("--bogus"), 125, "--bogus", "einkorn --help")
        for verb in ["run", "record"]:
            with self.subTest(verb=verb):
                self.assert_refused(self.einkorn(verb, "--bogus", "--", "touch", "ran"), 125, "--bogus", f"einkorn {verb} --help")
        self.assert_refused(self.einkorn("report", "--bogus", "x.grain"), 125, "--bogus", "einkorn report --help")
        self.assertFalse((self.folder / "ran").exists())

    def test_an_option_without_its_value(self):
        self.assert_refused(self.einkorn("record", "-o", "--", "touch", "ran"), 125, "--output")
        self.assertFalse((self.folder / "ran").exists())

    def test_an_unknown_schedule(self):
        self.assert_refused(self.einkorn("run", "--schedule", "fast", "--", "touch", "ran"), 125, "'fast'", "ws")
        self.assertFalse((self.folder / "ran").exists())

    def test_options_that_exclude_each_other(self):
        self.assert_refused(self.einkorn("report", "x.grain", "--json", "--html", "x.html"), 125, "--json", "--html")
        self.assert_refused(self.einkorn("report", "x.grain", "--no-source"), 125, "--no-source", "--html")

    def test_a_variable_that_nobody_reads_is_named_once(self):
        said = "einkorn: EINKORN_SHEDULE is not a variable of Einkorn. Did you mean EINKORN_SCHEDULE?\n"
        strange = "einkorn: EINKORN_QWZX is not a variable of Einkorn.\n"
        program = self.compile(HELLO, compiler="gcc")
        env = {"EINKORN_SHEDULE": "mts", "EINKORN_QWZX": ""}
        for words in (("run", "--", program), ("record", "--no-report", "-o", "r.grain", "--", program)):
            done = self.einkorn(*words, env=env)
            self.assertEqual((done.returncode, done.stdout), (0, "3 threads\n"), done.stderr)
            self.assertEqual((done.stderr.count(said), done.stderr.count(strange)), (1, 1), done.stderr)
            self.assertEqual(done.stderr.count("is not a variable"), 2, done.stderr)
        done = self.einkorn("report", "r.grain", env=env)
        self.assertIn(said + strange if done.stderr.startswith(said) else strange + said, done.stderr)
        # The library alone says it, too, and is quiet where its warnings are switched off.
        alone = {"LD_LIBRARY_PATH": str(RUNTIME_LINK.parent), **env}
        done = self.alone(program, alone)
        self.assertEqual((done.stderr.count(said), done.stderr.count(strange)), (1, 1), done.stderr)
        self.assertEqual(self.alone(program, {**alone, "KMP_WARNINGS": "false"}).stderr, "")

    def alone(self, program, env):
        return subprocess.run([program], env=environment(env), capture_output=True, text=True, cwd=self.folder, timeout=60)

    def test_what_is_set_for_what_is_off_is_named(self):
        program = self.compile(HELLO, compiler="gcc")
        done = self.einkorn("run", "--", program, env={"EINKORN_TPLOOP": "1,2", "EINKORN_CODELETS": "off"})
        self.assertEqual(done.stderr, "einkorn: EINKORN_TPLOOP is set and has no effect: EINKORN_CODELETS=off leaves no loop of codelets\n")
        done = self.einkorn("run", "--", program, env={"EINKORN_TPLOOP": "5,2"})
        self.assertTrue(done.stderr.startswith('einkorn: EINKORN_TPLOOP="5,2" is not valid and is ignored (form of a parallel loop'), done.stderr)
        self.assertIn("default auto", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_every_variable_of_our_own_is_in_a_list(self):
        """What tests, benchmarks and ./dev set or read, so that none of them makes the library say something."""
        root = Path(__file__).resolve().parents[2]
        known = set(re.findall(r'^EK_[A-Z_]+\("(EINKORN_\w+)"', (root / "src/runtime/settings/config.def").read_text(), re.MULTILINE))
        known |= set(re.findall(r'^EK_[A-Z_]+\("(EINKORN_\w+)"', (root / "src/machine/variables.def").read_text(), re.MULTILINE))
        reads = re.compile(r"""(?:getenv\(|environ(?:ment)?(?:\.get)?[\[(]|process\.env\.|setenv\(|env\[)["']?(EINKORN_\w+)"""
                           r"""|\$\{?(EINKORN_\w+_TESTS)|ENVIRONMENT[^)]*?\b(EINKORN_\w+)=""")
        unknown = set()
        for folder in ("src", "tests", "bench", "python", "packaging", "programs", "dev.d", "viewer"):
            for path in (root / folder).rglob("*"):
                if path.suffix not in {".py", ".cpp", ".c", ".h", ".ts", ".tsx", ".mjs", ".txt", ".cmake", ".sh"} or "node_modules" in path.parts:
                    continue
                for found in reads.findall(path.read_text(errors="replace")):
                    name = "".join(found)
                    if name not in known:
                        unknown.add(f"{path.relative_to(root)}: {name}")
        self.assertEqual(sorted(unknown), [])

    def test_report_without_a_recording(self):
        self.assert_refused(self.einkorn("report"), 125, "RECORDING")


class TheProgramsPlace(CliTest):
    def test_no_program(self):
        for words in [("run",), ("run", "--"), ("record",), ("record", "--")]:
            with self.subTest(words=words):
                self.assert_refused(self.einkorn(*words), 125, "no program", "--")

    def test_a_program_without_dashes_before_it(self):
        self.assert_refused(self.einkorn("run", "./app", "-x"), 125, "einkorn run -- ./app -x")

    def test_the_programs_words_arrive_as_they_are(self):
        words = ["--", "{}", "[a,b]", "", "--help", "-o", "a b", "%%", "\n"]
        for verb in ["run", "record"]:
            with self.subTest(verb=verb):
                done = self.einkorn(verb, "--", "printf", "%s|", *words)
                self.assertEqual(done.stdout, "".join(w + "|" for w in words))
                self.assertEqual(done.returncode, 0)


# Imitates a system without /proc.
NO_PROC = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
static int hidden(const char* path) { return strncmp(path, "/proc/", 6) == 0; }
char* realpath(const char* path, char* out) {
  if (hidden(path)) return errno = ENOENT, (char*)0;
  return ((char* (*)(const char*, char*))dlsym(RTLD_NEXT, "realpath"))(path, out);
}
ssize_t readlink(const char* path, char* out, size_t n) {
  if (hidden(path)) return errno = ENOENT, -1;
  return ((ssize_t (*)(const char*, char*, size_t))dlsym(RTLD_NEXT, "readlink"))(path, out, n);
}
"""


class WhereItIsInstalled(CliTest):
    """Libraries and models are found beside the tool, however it is called."""

    def ways(self):
        link = self.folder / "a link"
        link.symlink_to(TOOL)
        return {"by name": EINKORN, "by its path": TOOL, "by a link": link, "by a relative path": os.path.relpath(TOOL, self.folder),
                "by a relative link": "./a link"}

    def check(self, called, **more):
        def call(*words):
            return subprocess.run([called, *words], cwd=self.folder, capture_output=True, text=True, env=environment(more))

        done = call("machine", "--machine", "uv2000-24x8")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("192 CPUs", done.stdout)
        done = call("run", "--machine", "uv2000-24x8", "--", "printenv", "EINKORN_RUNTIME")
        self.assertEqual((done.returncode, done.stdout), (0, f"{RUNTIME}\n"), done.stderr)

    def test_every_way_to_call_it(self):
        for way, called in self.ways().items():
            with self.subTest(way):
                self.check(called)

    def test_without_proc(self):
        library = self.folder / "no_proc.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, "-x", "c", "-"], input=NO_PROC, text=True, check=True)
        for way, called in self.ways().items():
            with self.subTest(way):
                self.check(called, LD_PRELOAD=str(library))

    def test_models_for_the_library_alone(self):
        # The library under a program must find out by itself where it is.
        app = self.compile(HELLO.replace("num_threads(3)", ""))
        for folder in [BUILD / "lib", os.path.relpath(BUILD / "lib", self.folder)]:
            done = subprocess.run([app], cwd=self.folder, capture_output=True, text=True,
                                  env=environment({"LD_LIBRARY_PATH": str(folder), "EINKORN_MACHINE": "nehalem-ex-4x8"}))
            self.assertEqual((done.stdout, done.stderr), ("32 threads\n", ""))


class ABrokenInstallation(CliTest):
    def test_missing_libraries(self):
        copy = self.folder / "bin" / "einkorn"
        copy.parent.mkdir()
        copy.write_bytes(TOOL.read_bytes())
        copy.chmod(0o755)
        app = self.compile(HELLO)
        done = subprocess.run([copy, "run", "--", app], capture_output=True, text=True)
        self.assert_refused(done, 125, self.folder / "lib" / "libeinkorn.so", "EINKORN_HOME")
        done = subprocess.run([copy, "run", "--", app], capture_output=True, text=True,
                              env={"EINKORN_HOME": str(BUILD)})
        self.assertEqual((done.returncode, done.stdout), (0, "3 threads\n"), done.stderr)

    def test_a_folder_whose_name_the_dynamic_linker_cannot_take(self):
        odd = self.folder / "a:b"
        (odd / "lib").mkdir(parents=True)
        for name in ["libeinkorn.so", "libeinkorn-audit.so"]:
            (odd / "lib" / name).symlink_to(BUILD / "lib" / name)
        self.assert_refused(self.einkorn("run", "--", "true", env={"EINKORN_HOME": str(odd)}), 125, "a:b", "Move Einkorn")


if __name__ == "__main__":
    main()
