#!/usr/bin/env python3
"""cmake --install as a user meets it: into a folder with a space, moved elsewhere, called through PATH, by a link and by
a relative name from another folder, not from the build; headers by find_package and pkg-config; manual pages that name
every option; completion; and an uninstall that leaves nothing."""
import gzip
import json
import lzma
import os
import pathlib
import shutil
import tempfile

import trying
from trying import require

BUILD = pathlib.Path(os.environ["EINKORN_BUILD"])
PROGRAM = """#include <einkorn/codelet.h>
#include <ompx_compat.h>
#include <ompx_locality.h>
#include <stdio.h>
static int counted[4];
static void fire(void* context, uint32_t i) { ((int*)context)[i]++; }
int main(void) {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads++;
  ek_graph* g = ek_graph_new("four");
  if (g) ek_graph_class(g, fire, counted, 4, __LINE__), ek_graph_close(g), ek_graph_run(g), ek_graph_free(g);
  ompx_free(ompx_malloc(1 << 20));
  printf("on %d, threads %d, fired %d\\n", ek_on(), threads, counted[0] + counted[1] + counted[2] + counted[3]);
  return 0;
}
"""
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(Einkorn 0.1 REQUIRED)
find_package(OpenMP REQUIRED)
add_executable(app app.c)
target_link_libraries(app Einkorn::headers OpenMP::OpenMP_C ${CMAKE_DL_LIBS})
add_executable(bound app.c)
target_compile_options(bound PRIVATE -fopenmp)
target_link_libraries(bound Einkorn::runtime)
if(NOT EXISTS ${EINKORN_EXECUTABLE})
  message(FATAL_ERROR "no tool: ${EINKORN_EXECUTABLE}")
endif()
"""


def run(*words, environment=None, **options):
    return trying.run(*words, environment={"OMP_NUM_THREADS": "2", **(environment or {})}, **options)


def install(prefix, **environment):
    manifest = BUILD / "install_manifest.txt"
    before = manifest.read_text() if manifest.exists() else None
    run("cmake", "--install", BUILD, "--prefix", prefix, environment=environment)
    ours = manifest.read_text()
    # That of an installation of the user's own stays what it was.
    manifest.write_text(before) if before is not None else manifest.unlink()
    return ours


def check_tool(prefix, elsewhere):
    path = {"PATH": f"{prefix / 'bin'}:{os.environ['PATH']}"}
    link = elsewhere / "a link"
    link.symlink_to(prefix / "bin/einkorn")
    relative = os.path.relpath(prefix / "bin/einkorn", elsewhere)
    (elsewhere / "app.c").write_text(PROGRAM)
    run("gcc", "-fopenmp", f"-I{prefix / 'include'}", "app.c", "-o", "app", cwd=elsewhere)
    for tool in ("einkorn", link, relative):
        require("192 CPUs" in run(tool, "machine", "--machine", "uv2000-24x8", cwd=elsewhere, environment=path), f"{tool} finds no model")
        require("on 1, threads 2, fired 4" in run(tool, "run", "--", "./app", cwd=elsewhere, environment=path), f"{tool} run")
    run("einkorn", "record", "-o", "app.grain", "--", "./app", cwd=elsewhere, environment=path)
    run("einkorn", "report", "app.grain", "--html", "app.html", cwd=elsewhere, environment=path)
    require((elsewhere / "app.html").stat().st_size > 100000, "the page is not whole")
    # Not that recording: what a busy machine recorded is refused.
    kept = pathlib.Path(__file__).parents[1] / "kept/cli-work.grain.xz"
    (elsewhere / "kept.grain").write_bytes(lzma.decompress(kept.read_bytes()))
    run("einkorn", "simulate", "kept.grain", "--machine", "uv2000-24x8", "--threads", "2,4", cwd=elsewhere, environment=path)
    require("on 0, threads 2, fired 0" in run("./app", cwd=elsewhere), "the program alone")
    said = run("einkorn", "cc", "--explain", "-O1", "-fopenmp", "app.c", "-o", "translated", cwd=elsewhere, environment=path)
    require("translated 1 of 1 regions" in said, f"einkorn cc: {said}")
    require("on 1, threads 2, fired 4" in run("einkorn", "run", "--", "./translated", cwd=elsewhere, environment=path), "translated")


def check_headers(prefix, elsewhere):
    (elsewhere / "CMakeLists.txt").write_text(PROJECT)
    run("cmake", "-G", "Ninja", "-S", elsewhere, "-B", elsewhere / "b", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("ninja", "-C", elsewhere / "b")
    require("on 0" in run(elsewhere / "b/app"), "a program with our headers runs on gcc's library")
    require("on 1, threads 2, fired 4" in run(elsewhere / "b/bound"), "a program that is linked to our library")
    packages = {"PKG_CONFIG_PATH": str(prefix / "share/pkgconfig")}
    flags = run("pkg-config", "--cflags", "einkorn", environment=packages)
    folder = flags.strip().removeprefix("-I").replace("\\ ", " ")
    for header in ("einkorn/codelet.h", "ompx_locality.h", "ompx_compat.h", "einkorn/tools/omp-tools.h"):
        require((pathlib.Path(folder) / header).exists(), f"pkg-config says {flags}: no {header}")


def check_texts(prefix):
    def page_of(name):
        return gzip.decompress((prefix / f"share/man/man1/{name}.1.gz").read_bytes()).decode().replace("\\-", "-")

    tool = json.loads(run(prefix / "bin/einkorn", "--describe"))
    for verb in tool["verbs"]:
        page = page_of(f"einkorn-{verb['name']}")
        for option in verb["options"]:
            require(all(f"\\fB{name}\\fR" in page for name in option["names"]), f"einkorn-{verb['name']}(1) lacks {option['names']}")
    page = page_of("einkorn")
    require("EINKORN_SCHEDULE" in page and "OMP_NUM_THREADS" in page, "einkorn(1) lacks variables")

    def completed(*words):
        script = f'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _einkorn 2>/dev/null; printf "%s\\n" "${{COMPREPLY[@]}}"'
        return run("bash", "-c", script, "-", prefix / "share/bash-completion/completions/einkorn", "einkorn", *words).split()

    require(completed("rec") == ["record"], f"completion of verbs: {completed('rec')}")
    require("--max-size" in completed("record", "--"), "completion of options")
    require(completed("simulate", "--machine", "uv2") == ["uv2000-24x8"], "completion of machines")
    require("two-level" in completed("run", "--schedule", "two") or completed("run", "--schedule", "w")[0] == "ws", "completion of schedules")


def check_uninstall(folder):
    manifest = folder / "manifest"
    stage = folder / "stage"
    manifest.write_text(install("/usr", DESTDIR=str(stage)))
    mine = stage / "usr/share/mine"
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("of somebody else's\n")
    require((stage / "usr/bin/einkorn").exists(), "DESTDIR")
    run("cmake", "-D", f"MANIFEST={manifest}", "-P", pathlib.Path(__file__).parents[2] / "packaging/uninstall.cmake", environment={"DESTDIR": str(stage)})
    left = [str(path.relative_to(stage)) for path in stage.rglob("*") if not path.is_dir()]
    folders = [str(path.relative_to(stage)) for path in stage.rglob("*") if path.is_dir()]
    require(left == ["usr/share/mine"] and sorted(folders) == ["usr", "usr/share"], f"uninstall leaves {left}, {folders}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        first, prefix, elsewhere = folder / "a prefix/first", folder / "moved", folder / "else where"
        elsewhere.mkdir()
        install(first)
        shutil.move(first, prefix)
        check_tool(prefix, elsewhere)
        check_headers(prefix, elsewhere)
        check_texts(prefix)
        check_uninstall(folder)


if __name__ == "__main__":
    main()
