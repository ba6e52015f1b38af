"""What differs between the architectures of emulated machines: the emulator and its devices, Debian's names, and what builds and looks
at programs for it. x86-64 is this machine's own; 64-bit Arm is built for by cross compilers, against a folder of Debian's packages."""
import dataclasses
import pathlib
import subprocess

# No balancing by the kernel: pages are to stay where they were put. panic=-1 with -no-reboot: a panic ends the emulator.
COMMON_ARGUMENTS = "panic=-1 oops=panic numa_balancing=disable mitigations=off nokaslr rdinit=/init"


@dataclasses.dataclass(frozen=True)
class Architecture:
    name: str
    debian: str
    emulator: str
    machine: list[str]
    kernel_variable: str  # names another kernel than Debian's
    kernel_arguments: str
    results_device: list[str]  # beside the kernel's own serial line, which is there
    prefix: str = ""  # of the binutils and of gcc
    sysroot: pathlib.Path | None = None
    linker: str = ""  # the dynamic one, in the sysroot

    def libraries_of(self, file):
        """What the dynamic linker itself says that it would load for a program or a library, as ldd has it: lines with the paths that
        a program sees."""
        command = ["ldd", str(file)]
        if self.sysroot:
            command = [f"qemu-{self.name}-static", "-L", str(self.sysroot), str(self.sysroot / self.linker), "--list", str(file)]
        return subprocess.run(command, capture_output=True, text=True).stdout.replace(str(self.sysroot), "")

    def here(self, path):
        """Where a file is on this computer that a program there finds at PATH, an absolute path."""
        inside = self.sysroot / str(path).lstrip("/") if self.sysroot else pathlib.Path(path)
        return inside if inside.exists() else pathlib.Path(path)  # what was built here stays where it is


# no_timer_check: on a busy computer the emulated timer may not tick while the kernel checks whether it does.
X86_64 = Architecture("x86-64", "amd64", "qemu-system-x86_64", ["-machine", "pc"], "EINKORN_NUMA_KERNEL",
                      f"console=ttyS0 no_timer_check EINKORN_RESULTS=/dev/ttyS1 {COMMON_ARGUMENTS}", [])


def aarch64(sysroot):
    # A board that exists in emulators only; it has one serial line of its own kind, and the second is a card.
    return Architecture("aarch64", "arm64", "qemu-system-aarch64", ["-machine", "virt,gic-version=3", "-cpu", "neoverse-n1"],
                        "EINKORN_NUMA_KERNEL_AARCH64", f"console=ttyAMA0 EINKORN_RESULTS=/dev/ttyS0 {COMMON_ARGUMENTS}",
                        ["-device", "pci-serial,chardev=results"], "aarch64-linux-gnu-", sysroot, "lib/ld-linux-aarch64.so.1")


def of(target, sysroot):
    """TARGET: nothing, or `aarch64`, whose libraries are in the folder SYSROOT."""
    return aarch64(sysroot) if target else X86_64
