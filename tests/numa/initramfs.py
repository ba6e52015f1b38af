"""The file system of the emulated machine: programs with the shared libraries that they need, as one archive that the kernel
unpacks (cpio, "newc")."""
import pathlib
import re
import stat
import subprocess


class Broken(Exception):
    pass


def libraries_of(path, architecture):
    """What the dynamic linker would load for it, by the paths that it has there."""
    found = []
    for line in architecture.libraries_of(path).splitlines():
        if "not found" in line:
            raise Broken(f"{path} needs {line.split()[0]}, which is not here")
        match = re.match(r"\s*(?:\S+ => )?(/\S+) \(0x", line)
        if match:
            found.append(pathlib.Path(match.group(1)))
    return found


class Tree:
    """Files by their path in the archive. Libraries keep the paths that they have here, or in the sysroot, with links resolved."""

    def __init__(self, scratch, architecture):
        self.scratch, self.architecture, self.entries = scratch, architecture, {}

    def folder(self, path):
        path = pathlib.PurePosixPath(path)
        for parent in [*reversed(path.parents), path]:
            if str(parent) != "/":
                self.entries.setdefault(str(parent), (stat.S_IFDIR | 0o755, b""))

    def add(self, inside, source, strip=False):
        source = pathlib.Path(source)
        self.folder(pathlib.PurePosixPath(inside).parent)
        if strip:  # debugging information is most of a file, and of the time to unpack it there
            small = self.scratch / "stripped"
            subprocess.run([f"{self.architecture.prefix}strip", "--strip-debug", "-o", str(small), str(source)], check=True)
            source = small
        self.entries[str(inside)] = (stat.S_IFREG | 0o755, source.read_bytes())

    def add_text(self, inside, text):
        self.folder(pathlib.PurePosixPath(inside).parent)
        self.entries[str(inside)] = (stat.S_IFREG | 0o644, text.encode())

    def add_with_libraries(self, inside, source, without=()):
        """`without`: names of libraries that somebody else puts there."""
        self.add(inside, source, strip=True)
        for library in libraries_of(source, self.architecture):
            if library.name not in without and str(library) not in self.entries:
                self.add(str(library), self.architecture.here(library).resolve())

    def write(self, path):
        with open(path, "wb") as out:
            for number, name in enumerate(sorted(self.entries), 1):
                mode, data = self.entries[name]
                member(out, number, name.lstrip("/"), mode, data)
            member(out, 0, "TRAILER!!!", 0, b"")


def member(out, number, name, mode, data):
    fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
    header = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    out.write(header + b"\0" * (-len(header) % 4) + data + b"\0" * (-len(data) % 4))
