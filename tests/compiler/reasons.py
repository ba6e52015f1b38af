#!/usr/bin/env python3
"""Reasons why something stays OpenMP's: reasons.py TOOL [--update]. The table of docs/codelets.md is that of the tool (--update writes
it), each reason has a name of its own, a sentence and an advice, and what --explain says in golden/ is one of them."""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
DOC = HERE.parents[1] / "docs" / "codelets.md"
PART = re.compile(r"(<!-- reasons: [^\n]*-->\n)(.*?)(<!-- end of reasons -->)", re.DOTALL)


def listed(tool):
    """[(id, sentence, advice)]"""
    done = subprocess.run([tool, "--reasons"], capture_output=True, text=True, check=True)
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


def patterns(reasons):
    """{id: what matches its sentence}"""
    return {name: re.compile(re.sub(r"%\d", ".*", re.escape(sentence).replace("\\%", "%")) + r"( \([^()]*:\d+\))?$") for name, sentence, _ in reasons}


def table(reasons):
    rows = "".join(f"| {name} | {sentence} | {advice} |\n" for name, sentence, advice in reasons)
    return f"\n| reason | it stays because | what to do |\n|---|---|---|\n{rows}\n"


def main():
    tool, wrong = sys.argv[1], []
    reasons = listed(tool)
    known = patterns(reasons)
    text = DOC.read_text()
    if not PART.search(text):
        sys.exit(f"{DOC} has no part for reasons")
    now = PART.sub(lambda found: found[1] + table(reasons) + found[3], text)
    if "--update" in sys.argv:
        DOC.write_text(now)
    elif now != text:
        wrong.append(f"{DOC.name} has another list of reasons: reasons.py TOOL --update")
    if len(known) != len(reasons) or not all(name and sentence and advice for name, sentence, advice in reasons):
        wrong.append("a reason has the name of another one, or no sentence, or no advice")
    count = 0
    for file in sorted((HERE / "golden").glob("*.explain")):
        for why in re.findall(r": stays OpenMP's: (.*)$", file.read_text(), re.MULTILINE):
            count += 1
            if not any(pattern.match(why) for pattern in known.values()):
                wrong.append(f"{file.name}: not on the list: {why}")
    for sentence in wrong:
        print(sentence)
    print(f"{len(reasons)} reasons, {count} of golden/, {len(wrong)} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
