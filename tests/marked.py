"""Lines of programs under test that a comment marks: the file says where what a report should find is, and stays right when it grows."""
from pathlib import Path


def marked_line(file, mark):
    lines = [number for number, line in enumerate(Path(file).read_text().splitlines(), 1) if f"/* {mark} */" in line]
    if len(lines) != 1:
        raise SystemExit(f"{file}: {len(lines)} lines are marked {mark}")
    return lines[0]


def is_marked(line, file, mark):
    """Of the directive, or of the loop below it: compilers differ."""
    return line in (marked_line(file, mark), marked_line(file, mark) + 1)
