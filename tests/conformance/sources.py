#!/usr/bin/env python3
"""The sources of gcc 12 and LLVM 19 as Debian ships them, for their test suites. Nothing of them is in this repository.

  tests/conformance/sources.py           fetches LLVM's, once: 160 MB, of which openmp/ is kept in ~/.cache/einkorn
  tests/conformance/sources.py --have    exit status 0 if it is there

gcc's come with the package gcc-12-source; those of other gccs, where they are asked for, with theirs."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

GCC = 12  # whose tests are run by default
LISTED = "12.2.0"  # of which the kept lists are
LLVM_PACKAGE = "llvm-toolchain-19"


class Missing(Exception):
    pass


def newest(folder, pattern, advice):
    found = sorted(folder.glob(pattern))
    if not found:
        raise Missing(f"no {folder}/{pattern}: {advice}")
    return found[-1]


def stamp_of(archive):
    """What a folder was unpacked from: enough to see that a package was updated, without reading 100 MB each time."""
    return f"{archive.name} {archive.stat().st_size} {archive.stat().st_mtime_ns}"


def unpack(archive, folder, members):
    """MEMBERS of ARCHIVE in FOLDER, once. Returns the single folder that the archive holds."""
    stamp = folder / "unpacked"
    wanted = f"{stamp_of(archive)} {hashlib.sha256(' '.join(members).encode()).hexdigest()}"
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        done = subprocess.run(["tar", "xf", archive, "-C", folder, "--wildcards", *members], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise Missing(f"tar cannot unpack {archive}: {done.stdout.strip()}")
        stamp.write_text(wanted)
    inside = [path for path in folder.iterdir() if path.is_dir()]
    if len(inside) != 1:
        raise Missing(f"{archive} holds {len(inside)} folders, not one")
    return inside[0], hashlib.sha256(wanted.encode()).hexdigest()


def are_later(build):
    """Are the usual gcc's sources (libgomp()) others than those of the kept lists? (Debian 13 has gcc 12.4.)"""
    return not (build / "conformance" / "gcc-source" / f"gcc-{LISTED}").exists()


def libgomp(build, gcc=GCC):
    """(folder of libgomp's source, what it was made from)"""
    advice = " (./dev test does it)" if gcc == GCC else ""
    archive = newest(pathlib.Path(f"/usr/src/gcc-{gcc}"), f"gcc-{gcc}*.tar.xz", f"apt-get install gcc-{gcc}-source{advice}")
    folder, key = unpack(archive, build / "conformance" / ("gcc-source" if gcc == GCC else f"gcc-{gcc}-source"),
                         ["gcc-*/libgomp/*.h", "gcc-*/libgomp/*.c", "gcc-*/libgomp/testsuite/*", "gcc-*/include/*.h"])
    return folder / "libgomp", key


def llvm_folder():
    """Where openmp/ of LLVM's source is kept, over build folders: by the version of the compiler that is installed."""
    try:
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "clang-19"], capture_output=True, text=True)
        version = done.stdout.strip().partition(":")[2] or done.stdout.strip()
    except FileNotFoundError:
        version = ""
    if not version:
        raise Missing("the package clang-19 is not installed (./dev test does it)")
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return cache / "einkorn" / f"{LLVM_PACKAGE}_{version}"


def llvm():
    folder = pathlib.Path(os.environ.get("EINKORN_LLVM_OPENMP") or llvm_folder() / "openmp")
    if not (folder / "runtime" / "test" / "lit.cfg").exists():
        raise Missing(f"no LLVM source in {folder}: tests/conformance/sources.py fetches it (./dev test does it), or let "
                      "EINKORN_LLVM_OPENMP name the folder openmp/ of the source of LLVM 19")
    return folder


def source_lists(folder):
    """Debian's own package sources of this machine, asked for source packages, for an apt that leaves the machine's alone."""
    codename = next((line.partition("=")[2].strip().strip('"') for line in open("/etc/os-release")
                     if line.startswith("VERSION_CODENAME=")), "")
    suites = {codename, f"{codename}-updates", f"{codename}-security"}
    etc, count = pathlib.Path("/etc/apt"), 0
    for path in [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]:
        text = ""
        if path.suffix == ".sources":
            for stanza in path.read_text().split("\n\n"):
                fields = dict(line.split(":", 1) for line in stanza.splitlines() if ":" in line and line[0] not in " #")
                if suites & set(fields.get("Suites", "").split()):
                    text += "\n".join("Types: deb-src" if line.startswith("Types:") else line
                                      for line in stanza.splitlines()) + "\n\n"
        elif path.suffix == ".list" and path.exists():
            text = "".join(f"deb-src{line[3:]}\n" for line in path.read_text().splitlines()
                           if line.startswith("deb ") and suites & set(line.split()))
        if text:
            count += 1
            (folder / f"{count}{path.suffix}").write_text(text)
    if not count:
        raise Missing(f"no package source of Debian '{codename}' in {etc}")


def command(words, **more):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        raise Missing(f"{' '.join(map(str, words))}: exit status {done.returncode}:\n{done.stdout.strip()[-2000:]}")


def fetch_llvm():
    """The source package from the Debian mirror that this machine uses, by an apt with folders of its own."""
    target = llvm_folder()
    if (target / "openmp").exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        scratch = pathlib.Path(scratch)
        for name in ["lists/partial", "cache/archives/partial", "parts"]:
            (scratch / name).mkdir(parents=True)
        source_lists(scratch / "parts")
        (scratch / "apt.conf").write_text(
            f'Dir::Etc::SourceList "/dev/null";\nDir::Etc::SourceParts "{scratch}/parts";\n'
            f'Dir::State::Lists "{scratch}/lists";\nDir::Cache "{scratch}/cache";\n'
            'APT::Sandbox::User "";\nAcquire::Retries "3";\n')
        env = {**os.environ, "APT_CONFIG": str(scratch / "apt.conf"), "LC_ALL": "C"}
        version = target.name.partition("_")[2]
        command(["apt-get", "update"], cwd=scratch, env=env)
        command(["apt-get", "source", "--download-only", "--tar-only", f"{LLVM_PACKAGE}=1:{version}"], cwd=scratch, env=env)
        archive = newest(scratch, f"{LLVM_PACKAGE}_*.orig.tar.*", "apt-get downloaded nothing of that name")
        command(["tar", "xf", archive, "-C", scratch, "--wildcards", "*/openmp/*"])
        made = next(scratch.glob("*/openmp")).parent
        if not target.exists():
            made.rename(target)
    return target


if __name__ == "__main__":
    try:
        if "--have" in sys.argv[1:]:
            llvm()
            sys.exit(0)
        print(fetch_llvm())
    except Missing as error:
        sys.exit(1 if "--have" in sys.argv[1:] else f"sources.py: {error}")
