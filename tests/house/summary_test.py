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


def summary(*suites):
    """Status and output of summary.py over files of these test cases; None stands for a file that is not there."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, cases in enumerate(suites):
            files.append(pathlib.Path(folder) / f"{number}.xml")
            if cases is not None:
                files[-1].write_text(f"<testsuite>{cases}</testsuite>")
        done = subprocess.run([sys.executable, SUMMARY, *files], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()


def main():
    assert summary(PASSED, PASSED + PASSED) == (0, ["3 passed, 0 failed"])
    for name, case in OTHERS.items():
        status, lines = summary(PASSED + case)
        assert (status, lines[-1]) == (1, "1 passed, 1 failed"), (name, status, lines)
        assert name in lines[0], lines
    assert summary(PASSED, None)[0] == 1
    assert summary(PASSED, "")[0] == 1
    assert summary(PASSED, "<testcase")[0] == 1


main()
