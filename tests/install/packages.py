#!/usr/bin/env python3
"""The Debian packages that ./dev package makes: lintian has nothing to say, and what is needed of other packages is said."""
import os
import pathlib
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ["EINKORN_BUILD"])


def require(truth, message):
    if not truth:
        sys.exit(f"install.packages: {message}")


def run(*words):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
    return done.returncode, done.stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        status, said = run("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", folder)
        require(status == 0, f"cpack: {said}")
        packages = {path.name.split("_")[0]: path for path in pathlib.Path(folder).glob("*.deb")}
        require(sorted(packages) == ["einkorn", "einkorn-compiler", "einkorn-dev"], f"packages: {sorted(packages)}")
        status, said = run("lintian", "--allow-root", "--fail-on", "error,warning", *packages.values())
        require(status == 0, f"lintian: {said}")
        needs = run("dpkg-deb", "-f", packages["einkorn"], "Depends")[1]
        require("libc6 (>=" in needs and "libdw1" in needs, f"einkorn needs {needs}")
        needs = run("dpkg-deb", "-f", packages["einkorn-compiler"], "Depends")[1]
        require("libclang-cpp19" in needs and "libllvm19" in needs, f"einkorn-compiler needs {needs}")
        files = run("dpkg-deb", "-c", packages["einkorn"])[1]
        for name in ("./usr/bin/einkorn -> ", "./usr/lib/einkorn/lib/libgomp.so.1 -> ", "./usr/share/man/man1/einkorn.1.gz"):
            require(name in files, f"einkorn lacks {name}:\n{files}")
        require("usr/lib/libgomp" not in files and "usr/lib/libomp" not in files, f"in the linker's way:\n{files}")


if __name__ == "__main__":
    main()
