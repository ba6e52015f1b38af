#!/usr/bin/env python3
"""The recipes for Spack and Conda beside what is true of the build: each Debian package that ./dev build needs has its counterpart in
both, with a version that is not above Debian's; the versions of the project, of CMake and of Node.js are the build's; the options that
they set are options of the build. Neither Spack nor Conda is asked: they are not on this machine."""
import json
import pathlib
import re
import subprocess
import sys
import types

import jinja2
import yaml
from trying import require

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Debian's package: Spack's, Conda's; None: not there, for a reason.
COUNTERPARTS = {
    "build-essential": ("cxx", "gxx"),
    "cmake": ("cmake", "cmake"),
    "ninja-build": (None, "ninja"),  # Spack's generator brings it
    "pkg-config": ("pkgconfig", "pkg-config"),
    "libcli11-dev": ("cli11", "cli11"),
    "libfmt-dev": ("fmt", "fmt"),
    "nlohmann-json3-dev": ("nlohmann-json", "nlohmann_json"),
    "libzstd-dev": ("zstd", "zstd"),
    "zlib1g-dev": ("zlib-api", "zlib"),
    "libdw-dev": ("elfutils", "elfutils"),
    "libelf-dev": ("elfutils", "elfutils"),
    "libhwloc-dev": ("hwloc", "libhwloc"),
    "libcpp-httplib-dev": ("cpp-httplib", "cpp-httplib"),
    "libopen-trace-format2-dev": ("otf2", None),  # conda-forge has none
    "libclang-19-dev": ("llvm", None),  # hundreds of megabytes for one verb
    "llvm-19-dev": ("llvm", None),
    "python3": ("python", "python"),
    "nodejs": ("node-js", "nodejs"),
    "npm": ("npm", None),  # Conda's nodejs brings it
}


def number(version):
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


def spack_recipe():
    """What the recipe says to Spack: least versions by names, and the options that it sets in each case of its variants."""
    needs, package = {}, types.ModuleType("spack.package")

    def depends_on(spec, type=None, when=None):
        name, _, version = re.match(r"([\w-]+)(@([\d.]+))?", spec).groups()
        needs[name] = version
        require(when is None or when[1:] in variants, f"Spack: {spec} when {when}")

    variants = set()
    package.depends_on = depends_on
    package.variant = lambda name, default, description: variants.add(name)
    for name in ("version", "license", "requires", "generator"):
        setattr(package, name, lambda *words, **more: None)
    package.CMakePackage = type("CMakePackage", (), {"define": staticmethod(lambda name, value: name)})
    sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": package})
    file = SOURCE / "packaging/spack/packages/einkorn/package.py"
    scope = {"__file__": str(file)}
    exec(compile(file.read_text(encoding="utf-8"), file, "exec"), scope)  # noqa: S102: it is ours
    recipe = scope["Einkorn"]()
    require(recipe.git == SOURCE.as_uri(), f"Spack: the sources are {recipe.git}")
    options = set()
    for chosen in ("+", "~"):
        folder = types.SimpleNamespace(join=lambda name: name)
        llvm = types.SimpleNamespace(prefix=types.SimpleNamespace(bin=folder))
        recipe.spec = type("Spec", (dict,), {"satisfies": lambda self, wanted, chosen=chosen: wanted[0] == chosen})({"llvm": llvm})
        options.update(recipe.cmake_args())
    return needs, options


def conda_recipe():
    text = (SOURCE / "packaging/conda/meta.yaml").read_text(encoding="utf-8")
    compilers = {"c": "gcc", "cxx": "gxx"}
    recipe = yaml.safe_load(jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False).from_string(text).render(
        compiler=compilers.get, stdlib=lambda language: f"sysroot_{language}"))
    needs = {}
    for line in recipe["requirements"]["build"] + recipe["requirements"]["host"]:
        name, version = re.match(r"(\S+)(?: >=([\d.]+))?", line).groups()
        needs[name] = version
    return recipe, needs


def debian_packages():
    """Those that ./dev build needs, with the versions that are here (none for what comes from elsewhere)."""
    lines = (SOURCE / "dev.d/packages").read_text(encoding="utf-8").splitlines()
    packages = {}
    for words in (line.split("#")[0].split() for line in lines):
        if words[:1] == ["build"]:
            asked = subprocess.run(["dpkg-query", "-W", "-f=${Version}", words[1]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
            packages[words[1]] = asked.stdout.split(":")[-1]
    return packages


def main():
    cmake = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    everything = cmake + "".join(file.read_text(encoding="utf-8") for room in ("src", "tests") for file in sorted((SOURCE / room).rglob("CMakeLists.txt")))
    (spack, options), (conda, conda_needs), debian = spack_recipe(), conda_recipe(), debian_packages()

    require(set(debian) == set(COUNTERPARTS), f"dev.d/packages and this test differ in {set(debian) ^ set(COUNTERPARTS)}")
    for package, here in debian.items():
        for where, name, needs in (("Spack", COUNTERPARTS[package][0], spack), ("Conda", COUNTERPARTS[package][1], conda_needs)):
            require(name is None or name in needs, f"{where}'s recipe lacks {name}, Debian's {package}")
            least = needs.get(name)
            require(not least or not here or number(least) <= number(here), f"{where}'s recipe asks for {name} {least}; it is built with {here}")

    [wanted] = re.findall(r"cmake_minimum_required\(VERSION ([\d.]+)\)", cmake)
    require(spack["cmake"] == wanted == conda_needs["cmake"], f"CMake: {spack['cmake']}, {conda_needs['cmake']}; the build asks for {wanted}")
    node = json.loads((SOURCE / "viewer/package.json").read_text(encoding="utf-8"))["engines"]["node"].removeprefix(">=")
    require(spack["node-js"] == node == conda_needs["nodejs"], f"Node.js: {spack['node-js']}, {conda_needs['nodejs']}; the page asks for {node}")
    [version] = re.findall(r"project\(einkorn VERSION ([\d.]+)", cmake)
    require(conda["package"]["version"] == version, f"Conda's recipe is of {conda['package']['version']}, the sources of {version}")
    wheel = re.search(r'^version = "(.*)"', (SOURCE / "python/pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)[1]
    require(wheel == version, f"the wheel is of {wheel}, the sources of {version}")
    require((SOURCE / "packaging/conda" / conda["source"]["path"]).resolve() == SOURCE, "Conda: the sources are elsewhere")
    require((SOURCE / conda["about"]["license_file"]).is_file(), "Conda: there is no licence")
    options |= set(re.findall(r"-D(EINKORN_\w+)=", " ".join(conda["build"]["script"])))
    require({"EINKORN_TESTS", "EINKORN_LLVM_CONFIG"} <= options, f"options: {options}")
    for option in options:
        require(re.search(rf"\b(option|find_program|find_library)\({option}\b", everything), f"the build has no option {option}")


if __name__ == "__main__":
    main()
