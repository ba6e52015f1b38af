"""What tests that measure times run their programs with: nobody's settings, and no other work on their CPUs."""
import os
import subprocess


def environment():
    """Ours, without what steers OpenMP or the dynamic linker."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("EINKORN_", "OMP_", "KMP_", "GOMP_", "LD_"))}


def before_others():
    """What to put in front of a command: real-time priority, where it is permitted; else nothing. For runs of less than a
    second with pauses (PAUSE) between them."""
    command = ["chrt", "--rr", "1"]
    try:
        permitted = subprocess.run([*command, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        permitted = False
    return command if permitted else []


BEFORE_OTHERS = before_others()
PAUSE = 0.2  # s: real-time priority is taken away from who uses it all the time
