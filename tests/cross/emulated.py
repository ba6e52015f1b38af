#!/usr/bin/env python3
"""Runs a command where programs of another architecture run as this machine's own do: by their path, from a shell, a script, another
program. What is under test starts programs, and a program that qemu runs starts what the kernel starts.

  tests/cross/emulated.py --target aarch64 --sysroot build/sysroot-aarch64 [--tools FOLDER] -- COMMAND [ARGUMENT ...]

In namespaces of its own, which end with it: nothing of this machine changes, and nobody has to be root. There

- the kernel hands programs of that architecture to qemu's user emulation (binfmt_misc, one's own since Linux 6.7; before, the entry that
  qemu-user-static registers where there is systemd);
- /usr/bin and /usr/lib are this machine's below the sysroot's: the C library and libomp as on any machine of that architecture, and its
  sh, env and cat, too;
- /usr/bin has what is in FOLDER above all: compilers that build for there by their everyday names (packaging/cross/compilers.cmake)."""
import argparse
import ctypes
import os
import pathlib
import sys

BINFMT = pathlib.Path("/proc/sys/fs/binfmt_misc")
NEW_MOUNTS, NEW_USERS = 0x00020000, 0x10000000  # <linux/sched.h>
RECURSIVE, PRIVATE = 1 << 14, 1 << 18  # <linux/mount.h>
C = ctypes.CDLL(None, use_errno=True)


def checked(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(what, where, kind=None, flags=0, options=None):
    words = [os.fsencode(word) if word is not None else None for word in (what, where, kind)]
    checked(C.mount(*words, ctypes.c_ulong(flags), os.fsencode(options) if options else None), f"mount {where}")


def overlay(folder, *above):
    mount("overlay", folder, "overlay", options="lowerdir=" + ":".join(map(str, [*above, folder])))


def write_maps(process):
    """Everybody keeps their numbers. Root maps all, as tests become somebody else; others can map themselves only."""
    folder = pathlib.Path(f"/proc/{process}")
    if os.geteuid() == 0:
        users = groups = f"0 0 {2 ** 32 - 1}"
    else:
        users, groups = f"{os.geteuid()} {os.geteuid()} 1", f"{os.getegid()} {os.getegid()} 1"
        (folder / "setgroups").write_text("deny")
    (folder / "uid_map").write_text(users)
    (folder / "gid_map").write_text(groups)


def own_namespaces():
    """Who maps more than oneself has to be outside."""
    here, there = os.pipe(), os.pipe()
    inside, helper = os.getpid(), os.fork()
    if helper == 0:
        status = 1
        try:
            os.read(here[0], 1)
            write_maps(inside)
            status = 0
        finally:
            os.write(there[1], b"." if status == 0 else b"!")
            os._exit(status)
    checked(C.unshare(NEW_MOUNTS | NEW_USERS), "namespaces")
    os.write(here[1], b".")
    os.read(there[0], 1)
    _, status = os.waitpid(helper, 0)
    for end in (*here, *there):
        os.close(end)
    if status != 0:
        raise OSError(0, "the namespace's users could not be mapped")


def hand_to_qemu(target):
    entry = f"qemu-{target}"
    if (BINFMT / entry).exists():
        return
    line = pathlib.Path("/usr/lib/binfmt.d", f"{entry}.conf").read_text()
    try:
        mount("binfmt_misc", BINFMT, "binfmt_misc")
    except OSError as error:
        sys.exit(f"emulated.py: {error}. Programs for {target} cannot be run: before Linux 6.7 the entry of qemu-user-static in "
                 "/proc/sys/fs/binfmt_misc is needed (systemctl restart systemd-binfmt).")
    (BINFMT / "register").write_text(line.strip() + "C")  # programs have the rights that their files give them, not the emulator's file


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--target", required=True)
    p.add_argument("--sysroot", type=pathlib.Path, required=True)
    p.add_argument("--tools", type=pathlib.Path)
    p.add_argument("command", nargs="+")
    options = p.parse_args()
    own_namespaces()
    mount("none", "/", flags=RECURSIVE | PRIVATE)
    hand_to_qemu(options.target)
    sysroot = options.sysroot.resolve()
    # Debian's packages have files in /usr/bin and in /bin, which have been one for long.
    overlay("/usr/bin", *([options.tools.resolve()] if options.tools else []), sysroot / "usr/bin", sysroot / "bin")
    overlay("/usr/lib", sysroot / "usr/lib", sysroot / "lib")
    # Cross compilers tell of libraries there, of another version: a program must not get half of its C library from each.
    triple = f"{options.target}-linux-gnu"
    overlay(f"/usr/{triple}/lib", sysroot / "usr/lib" / triple, sysroot / "lib" / triple)
    os.execvp(options.command[0], options.command)


if __name__ == "__main__":
    main()
