"""Machines in software (qemu's TCG), of either architecture: they work where there is no KVM, and are always the same.

  numa     four memory nodes of two CPUs each
  counted  one CPU whose clock counts its instructions, one a nanosecond: on a busy computer nothing takes longer there. While it
           sleeps the clock jumps. (With two CPUs Linux does not start under a counted clock.) An Arm processor's counters count its
           instructions there, and only there.
  large    eight memory nodes of eight CPUs each, in turn on one CPU of this computer: as a thread each they wait for each other's turns
           (a barrier's program took over 240 s so, 17 as it is)"""
import pathlib
import shutil
import subprocess
import time

MACHINES = ["numa", "counted", "large"]
CPUS_PER_NODE = 2
NODE_MEGABYTES = 192
# distance[from][to], local = 10. Not flat, and one pair is not symmetric: code that mixes up rows and columns is found.
DISTANCES = [
    [10, 16, 22, 28],
    [16, 10, 25, 22],
    [22, 25, 10, 17],
    [27, 22, 17, 10],
]
NODES = len(DISTANCES)
# Two sockets of four nodes each, 64 CPUs.
LARGE_DISTANCES = [[10 if a == b else 12 if a // 4 == b // 4 else 32 for b in range(8)] for a in range(8)]


class Failed(Exception):
    pass


def command(architecture, machine, kernel, archive, console, results):
    words = [architecture.emulator, *architecture.machine, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
             "-kernel", str(kernel), "-initrd", str(archive), "-append", architecture.kernel_arguments,
             "-serial", f"file:{console}"]
    if architecture.results_device:
        words += ["-chardev", f"file,id=results,path={results}", *architecture.results_device]
    else:
        words += ["-serial", f"file:{results}"]
    return words + {"numa": numa, "counted": counted, "large": large}[machine]()


def counted():
    return ["-accel", "tcg,thread=single", "-icount", "shift=0,align=off,sleep=off", "-m", "512M",
            "-smp", "1"]


def numa():
    return nodes("multi", DISTANCES, CPUS_PER_NODE, NODE_MEGABYTES)


def large():
    return nodes("single", LARGE_DISTANCES, 8, 384)


def nodes(threads, distances, cpus, megabytes):
    count = len(distances)
    words = ["-accel", f"tcg,thread={threads}", "-m", f"{count * megabytes}M",
             "-smp", f"{count * cpus},sockets={count},cores={cpus},threads=1"]
    for node in range(count):
        first = node * cpus
        words += ["-object", f"memory-backend-ram,id=m{node},size={megabytes}M",
                  "-numa", f"node,nodeid={node},memdev=m{node},cpus={first}-{first + cpus - 1}"]
    for a in range(count):
        for b in range(count):
            if a != b:
                words += ["-numa", f"dist,src={a},dst={b},val={distances[a][b]}"]
    return words


class NotStarted(Failed):
    """The machine did not reach the first case."""


def boot(architecture, machine, kernel, archive, folder, limit):
    """Returns what the machine wrote on its second serial line, and how many seconds that took."""
    try:
        return boot_once(architecture, machine, kernel, archive, folder, limit)
    except NotStarted as error:  # none of the tested code has run by then: the fault is the emulator's or the computer's
        print(f"emulator.py: once more, as {error}")
        return boot_once(architecture, machine, kernel, archive, folder, limit)


def boot_once(architecture, machine, kernel, archive, folder, limit):
    if not shutil.which(architecture.emulator):
        raise Failed(f"{architecture.emulator} is not installed (./dev test installs what the tests need)")
    console, results = pathlib.Path(folder) / "console.txt", pathlib.Path(folder) / "results.txt"
    for path in (console, results):
        path.write_bytes(b"")
    begin = time.monotonic()
    run = subprocess.Popen(command(architecture, machine, kernel, archive, console, results), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
    try:
        said, _ = run.communicate(timeout=limit)
        late = False
    except subprocess.TimeoutExpired:
        run.kill()
        said, _ = run.communicate()
        late = True
    took = time.monotonic() - begin
    text, kernel_says = (path.read_bytes().decode(errors="replace").replace("\r", "") for path in (results, console))
    if "@done" not in text.splitlines():
        why = (f"not through after {limit:.0f} s" if late else
               "its kernel panicked" if "Kernel panic" in kernel_says else
               f"the emulator ended with status {run.returncode} before all was through")
        tail = "\n".join(kernel_says.splitlines()[-25:])
        kind = Failed if "@begin" in text else NotStarted
        raise kind(f"the emulated machine: {why}. {architecture.emulator} said: {said.strip() or 'nothing'}. Its console ends with:\n{tail}"
                     f"\nand what it had answered until then is in {results}")
    return text, took
