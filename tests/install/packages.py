#!/usr/bin/env python3
"""The Debian packages that ./dev package makes: lintian has nothing to say, and what is needed of other packages is said."""
import os
import pathlib
import tempfile

from trying import require, run

BUILD = pathlib.Path(os.environ["EINKORN_BUILD"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        run("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", folder)
        packages = {path.name.split("_")[0]: path for path in pathlib.Path(folder).glob("*.deb")}
        require(sorted(packages) == ["einkorn", "einkorn-compiler", "einkorn-dev"], f"packages: {sorted(packages)}")
        run("lintian", "--allow-root", "--fail-on", "error,warning", *packages.values())
        needs = run("dpkg-deb", "-f", packages["einkorn"], "Depends")
        require("libc6 (>=" in needs and "libdw1" in needs, f"einkorn needs {needs}")
        needs = run("dpkg-deb", "-f", packages["einkorn-compiler"], "Depends")
        require("libclang-cpp19" in needs and "libllvm19" in needs, f"einkorn-compiler needs {needs}")
        files = run("dpkg-deb", "-c", packages["einkorn"])
        for name in ("./usr/bin/einkorn -> ", "./usr/lib/einkorn/lib/libgomp.so.1 -> ", "./usr/share/man/man1/einkorn.1.gz"):
            require(name in files, f"einkorn lacks {name}:\n{files}")
        require("usr/lib/libgomp" not in files and "usr/lib/libomp" not in files, f"in the linker's way:\n{files}")


if __name__ == "__main__":
    main()
