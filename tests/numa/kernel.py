#!/usr/bin/env python3
"""The kernel that the emulated machine boots: Debian's for virtual machines, unpacked and not installed (an installed one would
change what this computer boots).

  tests/numa/kernel.py                     fetches the package once, about 30 MB, and keeps 8 MB of it in ~/.cache/einkorn
  tests/numa/kernel.py --have              exit status 0 if it is there
  tests/numa/kernel.py --target aarch64    the same of 64-bit Arm's, 21 MB"""
import os
import pathlib
import subprocess
import sys
import tempfile

import architecture


class Missing(Exception):
    pass


def folder():
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return cache / "einkorn" / "linux"


def kernel(of):
    """The file for that architecture; a variable names another one."""
    named = os.environ.get(of.kernel_variable)
    found = [pathlib.Path(named)] if named else sorted(folder().glob(f"vmlinuz-*-{of.debian}"), key=lambda path: path.stat().st_mtime)
    if not found or not found[-1].exists():
        raise Missing(f"no kernel for {of.name} in {folder()}: tests/numa/kernel.py fetches it (./dev test does it, and test-aarch64), or "
                      f"let {of.kernel_variable} name a vmlinuz with serial lines and the firmware's NUMA tables built in")
    return found[-1]


def command(words, **more):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        raise Missing(f"{' '.join(map(str, words))}: exit status {done.returncode}:\n{done.stdout.strip()[-2000:]}")
    return done.stdout


def download(scratch, env, debian):
    package = f"linux-image-cloud-{debian}"  # depends on the newest one with a version in its name
    lines = command(["apt-cache", "depends", "--no-recommends", "--no-suggests", package], env=env).splitlines()
    images = [line.split()[-1] for line in lines if "Depends: linux-image-" in line]
    if not images:
        raise Missing(f"apt knows no {package}")
    command(["apt-get", "download", images[0]], cwd=scratch, env=env)
    return next(scratch.glob("linux-image-*.deb"))


def fetch(of):
    folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder()) as scratch:
        scratch = pathlib.Path(scratch)
        env = {**os.environ, "LC_ALL": "C"}
        try:
            if of.sysroot:
                raise Missing("apt's lists are of this machine's packages")
            package = download(scratch, env, of.debian)
        except Missing:
            # apt's lists are not there, or older than what the mirror has, or of another architecture: with lists of our own.
            for name in ["lists/partial", "cache/archives/partial"]:
                (scratch / name).mkdir(parents=True)
            (scratch / "apt.conf").write_text(f'Dir::State::Lists "{scratch}/lists";\nDir::Cache "{scratch}/cache";\n'
                                              'APT::Sandbox::User "";\nAcquire::Retries "3";\n'
                                              f'APT::Architecture "{of.debian}";\nAPT::Architectures {{ "{of.debian}"; }};\n')
            env["APT_CONFIG"] = str(scratch / "apt.conf")
            command(["apt-get", "update"], env=env)
            package = download(scratch, env, of.debian)
        command(["dpkg-deb", "--extract", package, scratch / "unpacked"])
        found = next((scratch / "unpacked" / "boot").glob("vmlinuz-*"))
        target = folder() / found.name
        os.utime(found)
        found.rename(target)
        return target


if __name__ == "__main__":
    try:
        wanted = architecture.of("aarch64" if "aarch64" in sys.argv[1:] else None, sysroot=pathlib.Path())
        if "--have" in sys.argv[1:]:
            kernel(wanted)
            sys.exit(0)
        print(fetch(wanted))
    except Missing as error:
        sys.exit(1 if "--have" in sys.argv[1:] else f"kernel.py: {error}")
