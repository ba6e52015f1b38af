"""What is known of foreign suites: which tests pass under our library, why others do not, and how the peers do.

expected/SUITE.txt       the tests that pass under ours, one a line
expected/SUITE.fails.txt the others that run, `TEST  CLASS: WHY`; none without a reason
expected/peers/SUITE.LIBRARY.txt  what does not pass under the peer, and its counts: ours must pass as many

Of suites for another architecture only the second is kept: the differences from this machine's.
Of suites by other compilers than the usual ones, whose names have a version, what passes is not listed one by one: it is
what the peer's counts have and the failures have not."""
import collections
import dataclasses
import json
import pathlib
import re

from executing import FAIL, OUTCOMES, PASS, SKIPPED, TIMEOUT, UNCOMPILED

FOLDER = pathlib.Path(__file__).resolve().parent / "expected"
PEERS = {"libgomp": 12, "libomp": 19}  # of the usual compilers
RUN = [PASS, FAIL, TIMEOUT]
UNREVIEWED = "not reviewed"
NOT_THERE = "not there:"  # the class of tests of this machine's architecture only
# Suites of which a peer may pass more than we do, and why. Elsewhere that is a failure.
BELOW = {"llvm-internal": "tests of libomp's insides"}


def lines(path):
    if not path.exists():
        return []
    return [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]


def version(suite):
    """Of another compiler than the usual ones, or None."""
    found = re.search(r"-(\d+)-", suite)
    return int(found[1]) if found else None


def usual(suite):
    """Of a suite by compilers for another architecture, the one that this machine's own build, or None."""
    return suite.replace("-aarch64-", "-") if "-aarch64-" in suite else None


def peer_name(suite, library):
    return f"{library} {version(suite) or PEERS[library]}"


def own_library(suite):
    """That of the compiler which builds the suite."""
    return "libomp" if suite.startswith(("libgomp-clang", "llvm")) else "libgomp"


def counts(suite):
    """(tests that run, of these pass under ours, of those that do not the ones that pass under the compiler's own library)"""
    failing = {test for test, why in reasons(suite).items() if not why.startswith(NOT_THERE)}
    measured = peer(suite, own_library(suite))
    if version(suite):
        run = sum(measured[0][outcome] for outcome in RUN) if measured else 0
    else:
        run = len(passing(suite)) + len(failing)
    return run, run - len(failing), failing - set(measured[1] if measured else [])


def passing(suite):
    if of := usual(suite):  # the same tests; the differences are among the reasons
        return (passing(of) | set(reasons(of))) - set(reasons(suite))
    return set(lines(FOLDER / f"{suite}.txt"))


def reasons(suite):
    """{test: CLASS: WHY}"""
    found = {}
    for line in lines(FOLDER / f"{suite}.fails.txt"):
        test, _, why = line.partition(" ")
        found[test] = why.strip()
    return found


def peer_file(suite, library):
    return FOLDER / "peers" / f"{suite}.{library}.txt"


def peer(suite, library):
    """({outcome: count}, {test: outcome}) of a measured peer, or None."""
    path = peer_file(suite, library)
    if not path.exists():
        return None
    counts, others = {}, {}
    for line in lines(path):
        first, _, rest = line.partition("  ")
        if rest.isdigit():
            counts[first] = int(rest)
        else:
            others[rest] = first
    return counts, others


def write(path, head, body):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"# {line}\n" for line in head) + "".join(f"{line}\n" for line in body))


class Report:
    """Judges the results of suites under LIBRARY. PARTIAL: not all tests were asked for. LATER: the tests are of later sources than
    the lists: one that fails and is on none of them is reported."""

    def __init__(self, library, build, update=False, partial=False, json_path=None, later=False):
        self.library, self.build, self.update, self.partial, self.json_path = library, build, update, partial, json_path
        self.failed, self.passed, self.table, self.all = 0, 0, [], {}
        self.later = later

    def fail(self, name, reason):
        self.failed += 1
        print(f"{name}: {reason}", flush=True)

    def suite(self, suite, results, seconds, show, left_out=frozenset()):
        """LEFT_OUT: tests that were not asked for; they count as the lists say."""
        counts = collections.Counter(result.outcome for result in results)
        self.passed += counts[PASS]
        self.table.append((suite, counts, seconds))
        self.all[suite] = [dataclasses.asdict(result) for result in results]
        if not results:
            self.fail(suite, "nothing to run")
        if self.library == "ours":
            if not self.partial:
                self.note_counts(suite, counts, seconds)
            self.judge(suite, results, counts, show, left_out)
        else:
            for result in results:
                if result.outcome in (FAIL, TIMEOUT):
                    self.fail(f"{suite} {result.test}", result.reason + (f"\n{result.output}" if show else ""))
            if self.update and not self.partial:
                self.write_peer(suite, results, counts)

    def judge(self, suite, results, counts, show, left_out):
        listed, known = passing(suite), reasons(suite)
        new, unlisted, classes = [], [], collections.Counter()
        for result in results:
            bad = result.outcome in (FAIL, TIMEOUT)
            if bad and show:
                print(f"== {result.test}: {result.reason}\n{result.output}")
            if result.outcome == PASS and result.test not in listed and not version(suite):
                new.append(result.test)
            elif result.outcome != PASS and result.test in listed and not self.update:
                self.fail(f"{suite} {result.test}", f"passed before: {result.outcome}: {result.reason}")
            elif bad and result.test in known:
                classes[known[result.test].partition(":")[0]] += 1
            elif bad and self.later:
                unlisted.append(result.test)
            elif bad:
                self.fail(f"{suite} {result.test}", f"{result.reason} (not in {suite}.fails.txt)")
        if unlisted:
            print(f"{suite}: {len(unlisted)} fail that are not on the lists, which are of older sources: {', '.join(unlisted)}")
        if new:
            print(f"{suite}: {len(new)} pass that are not on the list (--update adds them): {', '.join(new[:20])}"
                  + (" ..." if len(new) > 20 else ""))
        for name, count in classes.most_common():
            print(f"{suite}: {count} fail as {suite}.fails.txt says: {name}")
        if self.partial:
            return
        for test in sorted((listed | set(known)) - {result.test for result in results} - left_out):
            if not self.update:
                self.fail(f"{suite} {test}", "is on the lists, but there is no such test any more")
        if self.update:
            self.write_own(suite, results, known)
        passed = counts[PASS] + len(listed & left_out)
        for library in PEERS:
            measured = peer(suite, library)
            if measured and passed < measured[0][PASS]:
                said = f"{passed} tests pass, {peer_name(suite, library)} passes {measured[0][PASS]}"
                if suite in BELOW:
                    print(f"{suite}: {said}: {BELOW[suite]}")
                else:
                    self.fail(suite, said)

    def note_counts(self, suite, counts, seconds):
        """For table.py, which prints them when all tests have run."""
        path = self.build / "conformance" / "counts" / f"{suite}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"counts": counts, "seconds": seconds}))

    def write_own(self, suite, results, known):
        of = usual(suite)
        here = passing(of) | set(reasons(of)) if of else set()
        if version(suite):
            theirs = peer(suite, own_library(suite))
            too = f"peer too: it fails under {peer_name(suite, own_library(suite))} as well"
            known = {**{test: too for test in (theirs[1] if theirs else [])}, **known}
        elif not of:
            write(FOLDER / f"{suite}.txt", [f"Tests of {suite} that pass under our library. Written by --update."],
                  [result.test for result in results if result.outcome == PASS])
        write(FOLDER / f"{suite}.fails.txt",
              [f"Tests of {suite} that run and do not pass under our library, each with its reason, reviewed.",
               "--update takes out those that pass now and adds others as `not reviewed`: give them a reason."],
              [f"{r.test}  {known.get(r.test) or f'{UNREVIEWED}: {r.reason}'}" for r in results
               if r.outcome in (FAIL, TIMEOUT) or (r.test in here and r.outcome != PASS)])

    def write_peer(self, suite, results, counts):
        write(peer_file(suite, self.library),
              [f"{suite} under {peer_name(suite, self.library)}, same flags and limits: counts, and the tests that do not pass.",
               f"Written by --library {self.library} --update."],
              [*(f"{outcome}  {counts[outcome]}" for outcome in OUTCOMES),
               *(f"{r.outcome}  {r.test}" for r in results if r.outcome in (FAIL, TIMEOUT))])

    def end(self):
        if self.json_path:
            self.json_path.write_text(json.dumps(self.all, indent=1))
        print(f"{'under ' + self.library:<20}{'total':>7}" + "".join(f"{outcome:>14}" for outcome in OUTCOMES) + "   seconds")
        for suite, counts, seconds in self.table:
            print(f"{suite:<20}{sum(counts.values()):>7}" + "".join(f"{counts[outcome]:>14}" for outcome in OUTCOMES)
                  + f"{seconds:>10.0f}")
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
