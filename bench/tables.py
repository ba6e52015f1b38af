"""How figures are written down: medians with their spread, ratios, the machine, and the page they go into."""
import datetime
import os
import pathlib
import platform
import re
import resource
import statistics
import subprocess

from runner import LIMIT, Failure

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"


def figure(values):
    """A median, followed by the smallest and largest."""
    def number(x):
        if x == float("inf"):
            return f"over {LIMIT} s"
        return f"{x:,.0f}" if x >= 100 else f"{x:.1f}" if x >= 1 or x <= 0 else f"{x:.2g}"
    return f"{number(statistics.median(values))} ({number(min(values))}-{number(max(values))})"


def settings(results):
    def text(setting):
        return " ".join(f"{k}={v}" for k, v in setting.items()) or "unset"
    return "; ".join(f"{name}: " + ", ".join(f"{peer} {text(setting)}" for peer, setting in result["settings"].items())
                     for name, result in results.items())


def busy_seconds():
    """Time for which the CPUs that we may use were busy with anything, or taken away by the host."""
    seconds, ours = 0, os.sched_getaffinity(0)
    for line in open("/proc/stat"):
        name, *ticks = line.split()
        if name.startswith("cpu") and name != "cpu" and int(name[3:]) in ours:
            user, nice, system, _, _, irq, softirq, steal = map(int, ticks[:8])
            seconds += (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    return seconds


def own_seconds():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def machine(cpus, libraries):
    model = re.search(r"^model name\s*: (.*)$", open("/proc/cpuinfo").read(), re.M)
    revision = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    of = f" of {os.cpu_count()}" if os.cpu_count() > cpus else ""
    return (f"{model.group(1) if model else platform.machine()}, {cpus}{of} CPUs, Linux {platform.release()}; "
            f"{' and '.join(str(path) for path in libraries)}; Einkorn {revision.stdout.strip() or 'of no revision'}; "
            f"{datetime.date.today().isoformat()}")


def write(lines):
    text = DOCUMENT.read_text()
    if BEGIN not in text or END not in text:
        raise Failure(f"{DOCUMENT} has lost its lines {BEGIN} and {END}")
    head, rest = text.split(BEGIN, 1)
    DOCUMENT.write_text(head + BEGIN + "\n" + "\n".join(lines) + "\n" + END + rest.split(END, 1)[1])
