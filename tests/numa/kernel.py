#!/usr/bin/env python3
"""The kernel that the emulated machine boots: Debian's for virtual machines, unpacked and not installed (an installed one would
change what this computer boots).

  tests/numa/kernel.py           fetches the package once, about 30 MB, and keeps 8 MB of it in ~/.cache/einkorn
  tests/numa/kernel.py --have    exit status 0 if it is there"""
import os
import pathlib
import subprocess
import sys
import tempfile

PACKAGE = "linux-image-cloud-amd64"  # depends on the newest one with a version in its name


class Missing(Exception):
    pass


def folder():
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return cache / "einkorn" / "linux"


def kernel():
    """The file; EINKORN_NUMA_KERNEL names another one."""
    named = os.environ.get("EINKORN_NUMA_KERNEL")
    found = [pathlib.Path(named)] if named else sorted(folder().glob("vmlinuz-*"), key=lambda path: path.stat().st_mtime)
    if not found or not found[-1].exists():
        raise Missing(f"no kernel in {folder()}: tests/numa/kernel.py fetches it (./dev test does it), or let "
                      "EINKORN_NUMA_KERNEL name a vmlinuz with a serial console and ACPI's NUMA tables built in")
    return found[-1]


def command(words, **more):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        raise Missing(f"{' '.join(map(str, words))}: exit status {done.returncode}:\n{done.stdout.strip()[-2000:]}")
    return done.stdout


def download(scratch, env):
    lines = command(["apt-cache", "depends", "--no-recommends", "--no-suggests", PACKAGE], env=env).splitlines()
    images = [line.split()[-1] for line in lines if "Depends: linux-image-" in line]
    if not images:
        raise Missing(f"apt knows no {PACKAGE}")
    command(["apt-get", "download", images[0]], cwd=scratch, env=env)
    return next(scratch.glob("linux-image-*.deb"))


def fetch():
    folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder()) as scratch:
        scratch = pathlib.Path(scratch)
        env = {**os.environ, "LC_ALL": "C"}
        try:
            package = download(scratch, env)
        except Missing:
            # apt's lists are not there, or older than what the mirror has: with lists of our own.
            for name in ["lists/partial", "cache/archives/partial"]:
                (scratch / name).mkdir(parents=True)
            (scratch / "apt.conf").write_text(f'Dir::State::Lists "{scratch}/lists";\nDir::Cache "{scratch}/cache";\n'
                                              'APT::Sandbox::User "";\nAcquire::Retries "3";\n')
            env["APT_CONFIG"] = str(scratch / "apt.conf")
            command(["apt-get", "update"], env=env)
            package = download(scratch, env)
        command(["dpkg-deb", "--extract", package, scratch / "unpacked"])
        found = next((scratch / "unpacked" / "boot").glob("vmlinuz-*"))
        target = folder() / found.name
        os.utime(found)
        found.rename(target)
        return target


if __name__ == "__main__":
    try:
        if "--have" in sys.argv[1:]:
            kernel()
            sys.exit(0)
        print(fetch())
    except Missing as error:
        sys.exit(1 if "--have" in sys.argv[1:] else f"kernel.py: {error}")
