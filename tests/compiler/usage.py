#!/usr/bin/env python3
"""The compiler as it is called: usage.py TOOL. Exit statuses, messages, what is passed on unchanged."""
import pathlib
import subprocess
import sys
import tempfile

REGION = "void f(int *x, int n) {\n#pragma omp parallel for\n  for (int i = 0; i < n; i++) x[i] = i;\n}\n"
LEFT = "void f(int *x, int n) {\n#pragma omp target teams distribute parallel for\n  for (int i = 0; i < n; i++) x[i] = i;\n}\n"


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def call(*words, text=None, file="in.c"):
            if text is not None:
                (folder / file).write_text(text)
            (folder / "out.c").unlink(missing_ok=True)
            return subprocess.run([tool, *words], cwd=folder, capture_output=True, text=True)

        def expect(what, done, status, *, says="", out=None):
            got = (folder / "out.c").read_text() if (folder / "out.c").exists() else None
            if done.returncode != status or says not in done.stderr + done.stdout:
                wrong.append(f"{what}: exit status {done.returncode}, {done.stdout}{done.stderr}")
            if out is not None and got != out:
                wrong.append(f"{what}: {got!r}")

        usual = ["in.c", "-o", "out.c", "--"]
        expect("a region", call(*usual, "-fopenmp", text=REGION), 0)
        if "if (f_2_on(n, x)) ; else" not in (folder / "out.c").read_text():
            wrong.append("a region: not translated")
        expect("no OpenMP", call(*usual, "-O2", text=REGION), 0, out=REGION)
        expect("C++", call("in.cpp", "-o", "out.c", "--", "-fopenmp", text=REGION, file="in.cpp"), 0, out=REGION)
        expect("C++ by -x", call(*usual, "-fopenmp", "-x", "c++", text=REGION), 0, out=REGION)
        expect("nothing to do", call(*usual, "-fopenmp", text=LEFT), 0, out=LEFT)
        expect("strict", call("in.c", "-o", "out.c", "--strict", "--", "-fopenmp", text=LEFT), 1, says="in.c:2: region of f(): stays OpenMP's: ")
        expect("not C", call(*usual, "-fopenmp", text="int f( {\n"), 2, says="in.c:1:8: error: ")
        old = REGION.replace("int i = 0", "i = 0").replace("{\n#", "{ int i;\n#")
        expect("C89", call(*usual, "-fopenmp", "-std=c89", text=old), 0, out=old)
        expect("unknown flags", call(*usual, "-fopenmp", "-fno-such-thing", "-Wno-such-warning", text=REGION), 0)
        marked = REGION.replace("parallel for", "parallel for codelet")
        expect("a mark", call("in.c", "-o", "out.c", "--unmarked", "bare.c", "--", "-fopenmp", text=marked), 0)
        if (folder / "bare.c").read_text() != '#line 1 "in.c"\n' + REGION.replace("parallel for", "parallel for        "):
            wrong.append("a mark: is not taken out")
        (folder / "bare.c").unlink()
        expect("a mark of what is not read", call("in.c", "-o", "out.c", "--unmarked", "bare.c", "--", "-fopenmp", text=marked + "int f( {"), 2)
        if not (folder / "bare.c").exists():
            wrong.append("a mark of what is not read: is not taken out")
        (folder / "bare.c").unlink()
        call("in.c", "-o", "out.c", "--unmarked", "bare.c", "--", "-fopenmp", text=REGION)
        if (folder / "bare.c").exists():
            wrong.append("no mark: written without it")
        expect("no input", call("none.c", "-o", "out.c", "--", "-fopenmp"), 3, says="none.c cannot be read: No such file or directory")
        expect("no output", call("in.c", "--", "-fopenmp"), 3, says="-o are needed")
        expect("output that cannot be", call("in.c", "-o", "no/out.c", "--", "-fopenmp", text=REGION), 3, says="no/out.c cannot be written")
        expect("an option that is not", call("in.c", "-o", "out.c", "--sloppy", "--"), 3, says="no option '--sloppy'")
        expect("a target that is not", call("in.c", "-o", "out.c", "--target", "swarm", "--"), 3, says="--target is tp (procedures) or complexes, not 'swarm'")
        expect("no target", call("in.c", "-o", "out.c", "--target", "--"), 3, says="--target needs a value")
        for target, run in ("tp", "static ek_next EK_ALIGNED f_2_run"), ("complexes", "static ek_successor EK_ALIGNED f_2_0"):
            expect(target, call("in.c", "-o", "out.c", "--target", target, "--", "-fopenmp", text=REGION), 0)
            if run not in (folder / "out.c").read_text():
                wrong.append(f"--target {target}: not what it makes")
        # A function for each codelet; of a very long region one with entries.
        for count, begins in (3, "EK_CUT ek_successor f_2_text("), (300, "\nstatic ek_successor f_2_text("):
            text = "void f(int *x) {\n#pragma omp parallel\n  {\n" + "#pragma omp barrier\n    x[0] += x[1] + x[2] * x[3];\n" * count + "  }\n}\n"
            expect(f"{count} barriers", call("in.c", "-o", "out.c", "--target", "complexes", "--", "-fopenmp", text=text), 0)
            made = (folder / "out.c").read_text()
            if begins not in made or f"static ek_successor EK_ALIGNED f_2_{count}(" not in made:
                wrong.append(f"{count} barriers: not what it makes")
        two = REGION + REGION.replace("f(", "g(")
        expect("one left", call("in.c", "-o", "out.c", "--names", "names", "--explain", "said", "--leave", "g_6=it is refused", "--", "-fopenmp", text=two), 0)
        if (folder / "names").read_text() != "region f_2\n" or "in.c:6: region of g(): stays OpenMP's: it is refused\n" not in (folder / "said").read_text():
            wrong.append("one left: " + (folder / "names").read_text() + (folder / "said").read_text())
        (folder / "part.h").write_text(REGION)
        call("in.c", "-o", "out.c", "--explain", "said", "--", "-fopenmp", text='#include "part.h"\n' + REGION.replace("f(", "g("))
        if (folder / "said").read_text().splitlines()[0::2] != ["./part.h:2: region of f(): stays OpenMP's: it stands in a file that is included", "translated 1 of 2 regions"]:
            wrong.append("in a file that is included: " + (folder / "said").read_text())
        expect("left for no reason", call("in.c", "-o", "out.c", "--leave", "g_6", "--", "-fopenmp"), 3, says="--leave needs NAME=WHY")
        fib = ("long fib(int n) {\n  long a, b;\n  if (n < 2) return n;\n#pragma omp task shared(a)\n  a = fib(n - 1);\n#pragma omp task shared(b)\n"
               "  b = fib(n - 2);\n#pragma omp taskwait\n  return a + b;\n}\nvoid h(long *x) {\n#pragma omp parallel\n#pragma omp single\n  *x = fib(9);\n}\n")
        call("in.c", "-o", "out.c", "--names", "names", "--", "-fopenmp", text=fib)
        if (folder / "names").read_text() != "procedure fib_1\nregion h_12\n":
            wrong.append("procedures: " + (folder / "names").read_text())
        call("in.c", "-o", "out.c", "--names", "names", "--explain", "said", "--no-procedures", "they are refused", "--", "-fopenmp")
        if (folder / "names").read_text() != "region h_12\n" or "no procedures: they are refused\n" not in (folder / "said").read_text():
            wrong.append("no procedures: " + (folder / "names").read_text() + (folder / "said").read_text())
        expect("version", call("--version"), 0, says="einkorn-codelets ")
    print("\n".join(wrong) or "all as it should be")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
