"""The drivers of foreign suites: directives are read as DejaGnu reads them, and what must fail does."""
import contextlib
import io
import pathlib
import stat
import tempfile
import types
import unittest

import dejagnu
import executing
import kept
import libgomp_suites
import libraries
import llvm
from executing import FAIL, PASS, SKIPPED, TIMEOUT, Result


class Directives(unittest.TestCase):
    def parse(self, text, effective=("lto", "c"), flags=("-O2",)):
        with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
            file.write(text)
            file.flush()
            return dejagnu.parse(pathlib.Path(file.name), set(effective), list(flags))

    def test_words(self):
        self.assertEqual(dejagnu.words(r'a {b {c} d} "e \"f\" \[0-9\]"'), ["a", "b {c} d", 'e "f" [0-9]'])
        with self.assertRaises(dejagnu.BadDirective):
            dejagnu.words("{a")

    def test_selectors(self):
        holds = dejagnu.Selector({"lto"}).holds
        for text in ["lto", "*-*-linux*", "! ia32", "{ x86_64-*-* i?86-*-* } && lto", "ia32 lto", "ia32 || lto",
                     "{ ! ia32 } && { lp64 || lto }"]:
            self.assertTrue(holds(text), text)
        for text in ["ia32", "! lto", "lto && ia32", "alpha*-*-*", "! *-*-*"]:
            self.assertFalse(holds(text), text)

    def test_what_is_run(self):
        self.assertEqual(self.parse("int i;").action, "run")
        self.assertEqual(self.parse("/* { dg-do compile } */").action, "compile")
        self.assertIn("ia32", self.parse("/* { dg-do run { target ia32 } } */").skip)
        self.assertIsNone(self.parse("/* { dg-do run { target lto } } */").skip)
        self.assertIn("offload_device", self.parse("! { dg-require-effective-target offload_device }").skip)
        self.assertTrue(self.parse('x /* { dg-error "expected" } */').compile_error)
        self.assertFalse(self.parse('x /* { dg-error "expected" "" { target ia32 } } */').compile_error)

    def test_flags_for_clang(self):
        flags = ["-O2", "-fdump-tree-vect-details", "-mavx", "-fipa-pta", "-ftree-parallelize-loops=0", "-flto"]
        self.assertEqual(libgomp_suites.clang_flags(flags), (["-O2", "-mavx", "-flto"], None))
        self.assertIsNotNone(libgomp_suites.clang_flags(["-O2", "-ftree-parallelize-loops=4"])[1])

    def test_skip_if(self):
        line = '! { dg-skip-if "" { ! run_expensive_tests } { "*" } { "-O0" "-O2" } }'
        self.assertIsNone(self.parse(line).skip)
        self.assertIsNotNone(self.parse(line, flags=["-O3"]).skip)

    def test_options(self):
        found = self.parse('/* { dg-options "-O1 -g" } */\n/* { dg-additional-options "-flto" { target lto } } */\n'
                           '/* { dg-additional-options "-m32" { target ia32 } } */\n'
                           '/* { dg-additional-sources "a.c b.c" } */\n'
                           '/* { dg-set-target-env-var OMP_CANCELLATION "true" } */\n/* { dg-shouldfail "" } */\n'
                           r'/* { dg-output "x: \[0-9\]+(\n|\r)" } */')
        self.assertEqual(found.options, ["-O1", "-g"])
        self.assertEqual(found.additional, ["-flto"])
        self.assertEqual(found.sources, ["a.c", "b.c"])
        self.assertEqual(found.environment, {"OMP_CANCELLATION": "true"})
        self.assertTrue(found.should_fail)
        self.assertRegex("x: 12\n", found.output)


class Running(unittest.TestCase):
    def outcome(self, script, **directives):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program")
            program.write_text("#!/bin/sh\n" + script)
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            test = types.SimpleNamespace(name="t", directives=dejagnu.Directives(**directives))
            library = types.SimpleNamespace(environment=lambda more: dict(more))
            return executing.execute(test, program, library, 1)

    def test_outcomes(self):
        self.assertEqual(self.outcome("exit 0").outcome, PASS)
        failed = self.outcome("echo wrong; exit 3")
        self.assertEqual((failed.outcome, failed.reason), (FAIL, "exit status 3: wrong"))
        self.assertIn("SIGABRT", self.outcome("kill -ABRT $$").reason)
        self.assertEqual(self.outcome("while :; do :; done").outcome, TIMEOUT)
        self.assertEqual(self.outcome("exit 1", should_fail=True).outcome, PASS)
        self.assertEqual(self.outcome("exit 0", should_fail=True).outcome, FAIL)
        self.assertEqual(self.outcome("echo yes", output="yes(\n|\r)").outcome, PASS)
        self.assertEqual(self.outcome("echo yes; echo or; echo no", output="yes.*no").outcome, PASS)
        self.assertEqual(self.outcome("echo no", output="yes").outcome, FAIL)
        self.assertEqual(self.outcome('test "$A" = 1', environment={"A": "1"}).outcome, PASS)


class Lists(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(setattr, kept, "FOLDER", kept.FOLDER)
        kept.FOLDER = pathlib.Path(self.folder.name)
        (kept.FOLDER / "s.txt").write_text("# head\na\nb\n")
        (kept.FOLDER / "s.fails.txt").write_text("c  device: needs one\n")
        kept.write(kept.peer_file("s", "libgomp"), ["head"], ["pass  2", "fail  1", "fail  c"])

    def judge(self, outcomes, left_out=frozenset(), **more):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            report = kept.Report("ours", kept.FOLDER, **more)
            report.suite("s", [Result(test, outcome) for test, outcome in outcomes.items()], 1, False, left_out)
            status = report.end()
        return status, out.getvalue()

    def test_as_expected(self):
        self.assertEqual(self.judge({"a": PASS, "b": PASS, "c": FAIL})[0], 0)

    def test_new_pass_is_reported(self):
        status, said = self.judge({"a": PASS, "b": PASS, "c": PASS})
        self.assertEqual(status, 0)
        self.assertIn("not on the list", said)

    def test_failures(self):
        for outcomes, text in [({"a": PASS, "b": FAIL, "c": PASS}, "s b: passed before"),
                               ({"a": PASS, "b": SKIPPED, "c": PASS}, "s b: passed before"),
                               ({"a": PASS, "b": PASS, "c": FAIL, "d": FAIL}, "s d:"),
                               ({"a": PASS, "c": PASS}, "no such test any more"),
                               ({}, "nothing to run")]:
            status, said = self.judge(outcomes)
            self.assertEqual(status, 1, outcomes)
            self.assertIn(text, said)

    def test_later_sources(self):
        status, said = self.judge({"a": PASS, "b": PASS, "c": FAIL, "d": FAIL}, later=True)
        self.assertEqual(status, 0)
        self.assertIn("older sources: d", said)
        self.assertEqual(self.judge({"a": PASS, "b": FAIL, "c": FAIL, "d": FAIL}, later=True)[0], 1)

    def test_fewer_than_a_peer(self):
        kept.write(kept.peer_file("s", "libomp"), ["head"], ["pass  3"])
        status, said = self.judge({"a": PASS, "b": PASS, "c": FAIL})
        self.assertEqual(status, 1)
        self.assertIn("libomp 19 passes 3", said)

    def test_left_out(self):
        self.assertEqual(self.judge({"a": PASS, "c": FAIL}, {"b"})[0], 0)
        status, said = self.judge({"a": PASS}, {"c"})
        self.assertEqual(status, 1)
        self.assertIn("s b: is on the lists", said)
        self.assertIn("1 tests pass, libgomp 12 passes 2", said)

    def test_update_keeps_reasons(self):
        self.judge({"a": PASS, "b": PASS, "c": FAIL, "d": TIMEOUT}, update=True)
        self.assertEqual(kept.passing("s"), {"a", "b"})
        self.assertEqual(kept.reasons("s")["c"], "device: needs one")
        self.assertIn(kept.UNREVIEWED, kept.reasons("s")["d"])


class Names(unittest.TestCase):
    def test_a_folder_without_the_library(self):
        library = libraries.Library("/nowhere", pathlib.Path("/nowhere"), "gcc")
        self.assertIn("does not exist", library.problem(pathlib.Path("/nowhere")))

    def test_lists_of_llvm(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for text, expected in [("omp_get_num_threads();", "llvm-portable"), ("kmp_set_blocktime(1);", "llvm-internal"),
                                   ("__kmpc_barrier(0, 0);", "llvm-internal"), ("// RUN: env KMP_AFFINITY=x", "llvm-internal")]:
                (folder / "t.c").write_text(text)
                self.assertEqual(llvm.list_of("t.c", folder), expected, text)
        self.assertEqual(llvm.list_of("ompt/t.c", folder), "llvm-ompt")


class Reviewed(unittest.TestCase):
    def test_every_failure_has_a_reason(self):
        files = list(kept.FOLDER.glob("*.fails.txt"))
        self.assertGreater(len(files), 3)
        for file in files:
            for test, why in kept.reasons(file.name.removesuffix(".fails.txt")).items():
                self.assertRegex(why, r"^[a-z].*: .", f"{file.name}: {test}")
                self.assertFalse(why.startswith(kept.UNREVIEWED), f"{file.name}: {test}")


if __name__ == "__main__":
    unittest.main()
