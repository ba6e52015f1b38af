#!/usr/bin/env python3
"""The wheel as its users get it: installed by pip in an environment that has nothing, in a folder with a space, and used from another
folder, by the command and by import; what gets into programs needs nothing but the C library; pip uninstall leaves no file."""
import json
import lzma
import os
import pathlib
import re
import signal
import sys
import tempfile

import trying
from trying import require

BUILD = pathlib.Path(os.environ["EINKORN_BUILD"])
SOURCE = pathlib.Path(__file__).resolve().parents[2]
WHEELS = SOURCE / "build/wheels"  # made by ./dev test: numpy
PROGRAM = r"""
#include <einkorn/codelet.h>
#include <stdio.h>
int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 100; ++i)
#pragma omp task shared(sum)
#pragma omp atomic
    sum += i;
  printf("on %d, sum %d\n", ek_on(), sum);
  return 0;
}
"""
READ = r"""
import json, sys
import einkorn
r = einkorn.load(sys.argv[1])
print(json.dumps({"file": einkorn.__file__, "tasks": int((r.grains["kind"] == einkorn.TASK).sum())}))
"""
# Both compilers' names in one process: what is said by one is heard by the other.
BOTH = r"""
import ctypes, sys
first, *others = [ctypes.CDLL(name) for name in sys.argv[1:]]
for threads, other in enumerate(others, 5):
    first.omp_set_num_threads(threads)
    assert other.omp_get_max_threads() == threads, (sys.argv[1:], threads)
"""
C_LIBRARY = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}
NAMES = ("libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so")


def run(*words, **options):
    return trying.run(*words, hidden=("PYTHONPATH", "VIRTUAL_ENV"), **options)


def pip(python, *words):
    run(sys.executable, "-m", "pip", "--python", python, *words, "--disable-pip-version-check")


def check_command(venv, elsewhere):
    path = {"PATH": f"{venv / 'bin'}:{os.environ['PATH']}"}
    packages = {"PKG_CONFIG_PATH": str(venv / "lib/pkgconfig")}
    include = run("pkg-config", "--cflags", "einkorn", environment=packages).strip().removeprefix("-I").replace("\\ ", " ")
    (elsewhere / "app.c").write_text(PROGRAM)
    run("gcc", "-g", "-fopenmp", "-I", include, "app.c", "-o", "app", cwd=elsewhere)
    said = run("einkorn", "record", "-o", "app.grain", "--", "./app", cwd=elsewhere, environment=path)
    require("on 1, sum 4950" in said, f"recorded: {said}")
    tasks = json.loads(run("einkorn", "report", "app.grain", "--json", cwd=elsewhere, environment=path))["tasks"]
    require(tasks == 100, f"{tasks} tasks in the report")
    run("einkorn", "report", "app.grain", "--html", "app.html", cwd=elsewhere, environment=path)
    require((elsewhere / "app.html").stat().st_size > 100000, "the page is not whole")
    # Not that recording: what a busy machine recorded is refused.
    (elsewhere / "kept.grain").write_bytes(lzma.decompress((SOURCE / "tests/kept/cli-work.grain.xz").read_bytes()))
    said = run("einkorn", "simulate", "kept.grain", "--machine", "uv2000-24x8", "--threads", "2,4", cwd=elsewhere, environment=path)
    require("uv2000-24x8" in said, f"simulated: {said}")
    # What comes between the command and the tool leaves no trace.
    (elsewhere / "a link").symlink_to(venv / "bin/einkorn")
    for tool in ("einkorn", "./a link"):
        run(tool, "run", "--", "sh", "-c", "exit 7", status=7, cwd=elsewhere, environment=path)
        run(tool, "run", "--", "sh", "-c", "kill -TERM $$", status=-signal.SIGTERM, cwd=elsewhere, environment=path)
    page = pathlib.Path(run("man", "-w", "einkorn-record", cwd=elsewhere, environment=path).strip())
    require(page.is_relative_to(venv), f"man shows {page}")
    for completion in ("bash-completion/completions/einkorn", "zsh/site-functions/_einkorn", "fish/vendor_completions.d/einkorn.fish"):
        require((venv / "share" / completion).is_file(), f"no {completion}")
    used = json.loads(run(venv / "bin/python", "-I", "-c", READ, "app.grain", cwd=elsewhere))
    require(pathlib.Path(used["file"]).is_relative_to(venv) and used["tasks"] == 100, f"import einkorn: {used}")


def check_libraries(venv, elsewhere):
    [packages] = venv.glob("lib/python3*/site-packages")
    folder = packages / "einkorn/tool/lib"
    for library in folder.iterdir():
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", library)))
        allowed = {"libgomp-einkorn.so"} if library.name in NAMES else C_LIBRARY
        require(needed <= allowed, f"{library.name}, which gets into programs, needs {needed}")
    for order in (NAMES, NAMES[::-1]):
        said = run(sys.executable, "-c", BOTH, *order, environment={"LD_LIBRARY_PATH": str(folder)})
        require(said == "", f"{order} in one process: {said}")
    require("on 1, sum 4950" in run("./app", cwd=elsewhere, environment={"LD_LIBRARY_PATH": str(folder)}), "the program without the tool")
    [about] = packages.glob("einkorn-*.dist-info")
    texts = {path.name for path in (about / "licenses").iterdir()}
    libdw = {"libdw1.txt", "libdw1t64.txt"}  # Debian 13 calls it so
    require({"LICENSE", "LGPL-3.txt"} <= texts and libdw & texts, f"licences: {texts}")


def what_is_in(folder):
    return {path.relative_to(folder) for path in folder.rglob("*")}


def main():
    [wheel] = (BUILD / "wheel").glob("einkorn-*.whl")
    require("-manylinux_" in wheel.name, f"{wheel.name} names no systems that it runs on")
    with tempfile.TemporaryDirectory() as name:
        venv, elsewhere = pathlib.Path(name, "an environment"), pathlib.Path(name, "else where")
        elsewhere.mkdir()
        run(sys.executable, "-m", "venv", "--without-pip", venv)
        before = what_is_in(venv)
        pip(venv / "bin/python", "install", "--no-index", "--find-links", WHEELS, wheel)
        check_command(venv, elsewhere)
        check_libraries(venv, elsewhere)
        # pip lays all that into one folder; the command finds the tool there, too.
        pip(venv / "bin/python", "install", "--no-index", "--no-deps", "--target", elsewhere / "a target", wheel)
        require("192 CPUs" in run(elsewhere / "a target/bin/einkorn", "machine", "--machine", "uv2000-24x8"), "pip install --target")
        pip(venv / "bin/python", "uninstall", "--yes", "einkorn", "numpy")
        # pip removes a folder only if a file of ours was directly in it: share/man itself, and the like, stay, empty.
        left = {path for path in what_is_in(venv) - before if path.parts[0] != "share" or not (venv / path).is_dir()}
        require(not left, f"pip uninstall leaves {sorted(map(str, left))}")


if __name__ == "__main__":
    main()
