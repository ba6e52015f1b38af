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
    """A median, with smallest and largest behind it."""
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
    """CPU time that everything on this machine has used, stolen time included."""
    user, nice, system, _, _, irq, softirq, steal = map(int, open("/proc/stat").readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def machine(cpus, libraries):
    model = re.search(r"^model name\s*: (.*)$", open("/proc/cpuinfo").read(), re.M)
    revision = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return (f"{model.group(1) if model else platform.machine()}, {cpus} CPUs, Linux {platform.release()}; "
            f"{' and '.join(str(path) for path in libraries)}; Einkorn {revision.stdout.strip() or 'of no revision'}; "
            f"{datetime.date.today().isoformat()}")


def write(lines):
    text = DOCUMENT.read_text()
    if BEGIN not in text or END not in text:
        raise Failure(f"{DOCUMENT} has lost its lines {BEGIN} and {END}")
    head, rest = text.split(BEGIN, 1)
    DOCUMENT.write_text(head + BEGIN + "\n" + "\n".join(lines) + "\n" + END + rest.split(END, 1)[1])
