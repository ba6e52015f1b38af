#!/usr/bin/env python3
"""What the compiler writes: golden.py TOOL [--update]. Beside each golden/NAME.c stands NAME.out.c, the whole of its
output, and NAME.explain, a sentence a region; of those that say `--target complexes` for that target. --update writes them anew: read the difference before it is committed."""
import difflib
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent / "golden"


def translated(tool, name, folder):
    out, explain = folder / "out.c", folder / "explain"
    target = ["--target", "complexes"] if "--target complexes" in (FOLDER / name).read_text() else []
    done = subprocess.run([tool, name, "-o", out, *target, "--explain", explain, "--", "-fopenmp", "-std=gnu11"], cwd=FOLDER,
                          capture_output=True, text=True)
    if done.returncode != 0:
        return None, f"exit status {done.returncode}: {done.stderr}"
    return out.read_text(), explain.read_text()


def main():
    tool, update = pathlib.Path(sys.argv[1]).resolve(), "--update" in sys.argv
    names = sorted(p.name for p in FOLDER.glob("*.c") if not p.name.endswith(".out.c"))
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            text, explained = translated(tool, name, pathlib.Path(folder))
            if text is None:
                print(f"{name}: {explained}")
                wrong += 1
                continue
            stem = name[:-2]
            for kept, now in ((FOLDER / f"{stem}.out.c", text), (FOLDER / f"{stem}.explain", explained)):
                if update:
                    kept.write_text(now)
                    continue
                before = kept.read_text() if kept.exists() else ""
                if before != now:
                    wrong += 1
                    sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), now.splitlines(True), str(kept), "now"))
    print(f"{len(names)} files, {wrong} differences")
    sys.exit(1 if wrong or not names else 0)


if __name__ == "__main__":
    main()
