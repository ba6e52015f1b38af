"""Adds up the results that ctest left (JUnit XML): summary.py FILE...

Names every test that did not pass, then prints one line, `N passed, N failed`. A test that was skipped or could not be
run counts as failed: on a machine that ./dev has set up there is no good reason for one.
"""
import sys
import xml.etree.ElementTree as ElementTree


def verdict(case):
    """None for a test that ran and passed; otherwise what happened to it."""
    if case.find("failure") is not None or case.get("status") == "fail":
        return "failed"
    skipped = case.find("skipped")
    if skipped is not None or case.get("status") != "run":
        why = (skipped.get("message") if skipped is not None else None) or "no reason given"
        return f"not run ({why})"
    return None


def main(files):
    passed, failed, complaints = 0, 0, []
    for file in files:
        try:
            cases = list(ElementTree.parse(file).getroot().iter("testcase"))
        except (OSError, ElementTree.ParseError) as error:
            failed += 1
            complaints.append(f"{file}: no results: {error}")
            continue
        if not cases:
            failed += 1
            complaints.append(f"{file}: not a single test")
        for case in cases:
            what = verdict(case)
            if what is None:
                passed += 1
            else:
                failed += 1
                complaints.append(f"{file}: {case.get('name')}: {what}")
    for complaint in complaints:
        print(complaint)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
