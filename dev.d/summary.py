"""Adds up the results that ctest left (JUnit XML): summary.py FILE...

Names every test that did not pass, with the end of what it printed, then prints one line, `N passed, N failed`. A test
that was skipped or could not be run counts as failed: on a machine that ./dev has set up there is no good reason for one.

`summary.py --known LIST FILE...`: tests that LIST names, `TEST  WHY` a line, are not expected to pass. They are named and counted by
themselves, also where they pass; a test of LIST that there is not is a failure. A line `TEST:PART  WHY` is about one part of a test, which
sees to it itself that this part fails, and says so (tests/cli/harness.py).

`summary.py --alone FILE [LIST]` prints, as a pattern for ctest -R, the tests that deserve a second try alone: those of tools
and measurements, whose programs a busy machine keeps from their CPUs. Their second results are in alone.xml beside
FILE. Tests of the runtime's own code get no second try, as a failure in one of a hundred runs is a fault there; and
where more than a few fail, it was not the machine: those of LIST, which are not expected to pass, aside. A test that passed
alone counts, and is named.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

OF_TOOLS = re.compile(r"(cli|cost|kept|problems|python|truth|viewer)\.")
MOST_ALONE = 4
PART = re.compile(r"^known not to pass: (\S+) +(.+)$", re.M)
LINES = 30  # of what a failed test printed


def verdict(case):
    """None for a test that ran and passed; otherwise what happened to it."""
    if case.find("failure") is not None or case.get("status") == "fail":
        return "failed"
    skipped = case.find("skipped")
    if skipped is not None or case.get("status") != "run":
        why = (skipped.get("message") if skipped is not None else None) or "no reason given"
        return f"not run ({why})"
    return None


def cases_of(file):
    return list(ElementTree.parse(file).getroot().iter("testcase"))


def for_a_second_try(file, known_list=None):
    """The pattern for ctest -R, or nothing."""
    known = read_known(known_list)
    failed = [case.get("name") for case in cases_of(file) if verdict(case) == "failed" and case.get("name") not in known]
    if len(failed) > MOST_ALONE:
        return ""
    return "|".join(f"^{re.escape(name)}$" for name in failed if OF_TOOLS.match(name))


def passed_alone(file):
    """The tests of a second try that passed."""
    alone = pathlib.Path(file).with_name("alone.xml")
    return {case.get("name") for case in cases_of(alone) if verdict(case) is None} if alone.exists() else set()


def read_known(file):
    lines = pathlib.Path(file).read_text().splitlines() if file else []
    lines = [line for line in lines if line.strip() and not line.startswith("#")]
    for line in lines:
        if len(line.split(maxsplit=1)) < 2:
            print(f"{file}: no reason is given for {line.strip()}")
            sys.exit(1)
    return dict(line.split(maxsplit=1) for line in lines)


def main(files, known_list=None):
    passed, failed, complaints = 0, 0, []
    known = read_known(known_list)
    seen, as_known = set(), 0
    for file in files:
        try:
            cases, second = cases_of(file), passed_alone(file)
        except (OSError, ElementTree.ParseError) as error:
            failed += 1
            complaints.append(f"{file}: no results: {error}")
            continue
        if not cases:
            failed += 1
            complaints.append(f"{file}: not a single test")
        for case in cases:
            what = verdict(case)
            seen.add(case.get("name"))
            parts = PART.findall(case.findtext("system-out") or "")
            seen |= {name for name, _ in parts}
            if what is None:
                as_known += len(parts)
                complaints += [f"{file}: {name}: failed, as known: {why}" for name, why in parts]
            if case.get("name") in known:
                why = known[case.get("name")]
                complaints.append(f"{file}: {case.get('name')}: {what}, as known: {why}" if what else
                                  f"{file}: {case.get('name')}: passes now, but is known not to: {why}")
                if what:
                    as_known += 1
                else:
                    passed += 1
                continue
            if what is not None and case.get("name") in second:
                complaints.append(f"{file}: {case.get('name')}: {what} beside other tests, passed alone")
                what = None
            if what is None:
                passed += 1
            else:
                failed += 1
                complaints.append(f"{file}: {case.get('name')}: {what}")
                printed = (case.findtext("system-out") or "").rstrip().splitlines()
                complaints += ["    " + line for line in printed[-LINES:]]
    for name in sorted(known.keys() - seen):
        failed += 1
        complaints.append(f"{known_list}: {name}: there is no such test")
    for complaint in complaints:
        print(complaint)
    print(f"{passed} passed, {failed} failed" + (f", {as_known} known not to pass" if as_known else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--alone"]:
        print(for_a_second_try(*sys.argv[2:4]))
    elif sys.argv[1:2] == ["--known"]:
        sys.exit(main(sys.argv[3:], sys.argv[2]))
    else:
        sys.exit(main(sys.argv[1:]))
