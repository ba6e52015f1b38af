"""Verbs and options: help, versions, what is misspelt."""
import subprocess

from harness import CliTest, EINKORN, HELLO, main

VERBS = ["run", "record", "report", "machine"]


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


class ABrokenInstallation(CliTest):
    def test_missing_libraries(self):
        copy = self.folder / "bin" / "einkorn"
        copy.parent.mkdir()
        copy.write_bytes(EINKORN.read_bytes())
        copy.chmod(0o755)
        app = self.compile(HELLO)
        done = subprocess.run([copy, "run", "--", app], capture_output=True, text=True)
        self.assert_refused(done, 125, self.folder / "lib" / "libeinkorn.so", "EINKORN_HOME")
        done = subprocess.run([copy, "run", "--", app], capture_output=True, text=True,
                              env={"EINKORN_HOME": str(EINKORN.parent.parent)})
        self.assertEqual((done.returncode, done.stdout), (0, "3 threads\n"), done.stderr)

    def test_a_folder_whose_name_the_dynamic_linker_cannot_take(self):
        odd = self.folder / "a:b"
        (odd / "lib").mkdir(parents=True)
        for name in ["libeinkorn.so", "libeinkorn-audit.so"]:
            (odd / "lib" / name).symlink_to(EINKORN.parent.parent / "lib" / name)
        self.assert_refused(self.einkorn("run", "--", "true", env={"EINKORN_HOME": str(odd)}), 125, "a:b", "Move Einkorn")


if __name__ == "__main__":
    main()
