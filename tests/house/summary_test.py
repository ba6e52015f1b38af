"""dev.d/summary.py: only a test that ran and did not fail is passed."""
import pathlib
import subprocess
import sys
import tempfile

SUMMARY = pathlib.Path(sys.argv[1]) / "dev.d" / "summary.py"
PASSED = '<testcase name="good" status="run"><system-out/></testcase>'
OTHERS = {
    "bad": '<testcase name="bad" status="fail"><failure message=""/></testcase>',
    "skipped": '<testcase name="skipped" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>',
    "missing": '<testcase name="missing" status="notrun"><skipped message="Unable to find executable"/></testcase>',
    "disabled": '<testcase name="disabled" status="disabled"><system-out>Disabled</system-out></testcase>',
}


def summary(*suites, known=None):
    """Status and output of summary.py over files of these test cases; None stands for a file that is not there."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, cases in enumerate(suites):
            files.append(pathlib.Path(folder) / f"{number}.xml")
            if cases is not None:
                files[-1].write_text(f"<testsuite>{cases}</testsuite>")
        options = []
        if known is not None:
            options = ["--known", pathlib.Path(folder) / "known.txt"]
            options[1].write_text(known)
        done = subprocess.run([sys.executable, SUMMARY, *options, *files], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()


def alone(failed, known=""):
    """What gets a second try of so many failed tests of the tool."""
    with tempfile.TemporaryDirectory() as folder:
        results, listed = pathlib.Path(folder) / "tests.xml", pathlib.Path(folder) / "known.txt"
        results.write_text("<testsuite>" + "".join(f'<testcase name="cli.t{i}" status="fail"/>' for i in range(failed)) + "</testsuite>")
        listed.write_text(known)
        done = subprocess.run([sys.executable, SUMMARY, "--alone", results, listed], capture_output=True, text=True, check=True)
        return done.stdout.strip()


def main():
    assert summary(PASSED, PASSED + PASSED) == (0, ["3 passed, 0 failed"])
    for name, case in OTHERS.items():
        status, lines = summary(PASSED + case)
        assert (status, lines[-1]) == (1, "1 passed, 1 failed"), (name, status, lines)
        assert name in lines[0], lines
    assert summary(PASSED, None)[0] == 1
    assert summary(PASSED, "")[0] == 1
    assert summary(PASSED, "<testcase")[0] == 1
    status, lines = summary(PASSED + OTHERS["bad"], known="# why\nbad  it cannot\n")
    assert (status, lines[-1]) == (0, "1 passed, 0 failed, 1 known not to pass"), lines
    assert "bad: failed, as known: it cannot" in lines[0], lines
    status, lines = summary(PASSED, known="good  it cannot\n")
    assert status == 0 and "good: passes now" in lines[0], lines
    of_parts = '<testcase name="whole" status="run"><system-out>known not to pass: whole:A.part  it cannot\nOK</system-out></testcase>'
    status, lines = summary(of_parts, known="whole:A.part  it cannot\n")
    assert (status, lines[-1]) == (0, "1 passed, 0 failed, 1 known not to pass"), lines
    assert "whole:A.part: failed, as known: it cannot" in lines[0], lines
    assert summary(PASSED, known="whole:A.part  it cannot\n")[0] == 1
    status, lines = summary(PASSED, known="gone  it cannot\n")
    assert status == 1 and "no such test" in lines[0], lines
    assert summary(PASSED + OTHERS["bad"], known="good  it cannot\n")[0] == 1
    status, lines = summary(PASSED, known="good\n")
    assert status == 1 and len(lines) == 1 and "no reason is given for good" in lines[0], lines
    assert alone(2) == r"^cli\.t0$|^cli\.t1$"
    assert alone(5) == ""
    assert alone(5, "cli.t0  it cannot\ncli.t3  nor this\n") == r"^cli\.t1$|^cli\.t2$|^cli\.t4$"


main()
