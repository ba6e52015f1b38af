"""What the tests of this folder share: commands that have to end as expected."""
import os
import pathlib
import subprocess
import sys


def require(truth, message):
    if not truth:
        sys.exit(f"install.{pathlib.Path(sys.argv[0]).stem}: {message}")


def run(*words, status=0, hidden=(), environment=None, **options):
    """What it prints. hidden: variables that it does not get; environment: those that it gets besides."""
    variables = {name: value for name, value in os.environ.items() if name not in hidden} | (environment or {})
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=variables, timeout=300, check=False, **options)
    require(done.returncode == status, f"{words} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout
