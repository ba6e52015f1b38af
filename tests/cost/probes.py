"""What the cost tests share: small C programs beside them, built by both compilers, and run on our library."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = {"gcc": "gcc", "clang": "clang-19"}


class Failure(Exception):
    """An error whose text says what is wrong, and what to do about it if that is not obvious."""


def require(condition, text):
    if not condition:
        raise Failure(text)


def execute(command, environment=None, limit=280):
    """stdout of a command that must succeed."""
    try:
        done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True,
                              timeout=limit, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise Failure(f"{command[0]} is not there: dev.d/packages has its package, ./dev test installs it") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"not done within {limit} s: {' '.join(map(str, command))}") from None
    require(done.returncode == 0,
            f"status {done.returncode} from {' '.join(map(str, command))}:\n{done.stderr.strip()}")
    return done.stdout


class Probes:
    def __init__(self, build):
        self.library, self.folder = build / "lib", build / "cost"
        self.folder.mkdir(parents=True, exist_ok=True)

    def environment(self, **more):
        """An environment without the caller's OpenMP settings, with our library first."""
        plain = {k: v for k, v in os.environ.items() if not re.match("(OMP|GOMP|KMP|LIBOMP|EINKORN|LD)_", k)}
        return dict(plain, LD_LIBRARY_PATH=str(self.library), LD_BIND_NOW="1", **more)

    def build(self, source, compiler):
        """The program, after checking that the library that it loads is ours."""
        path = self.folder / f"{source.stem}-{compiler}"
        execute([COMPILERS[compiler], "-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-fopenmp",
                 f"-I{HERE.parent.parent / 'include'}", source, "-o", path])
        loaded = execute([path], self.environment(LD_TRACE_LOADED_OBJECTS="1"))
        found = re.search(r"lib[gi]?i?omp5?\.so\S* => (\S+)", loaded)
        require(found and pathlib.Path(found.group(1)).resolve().is_relative_to(self.library.resolve()),
                f"{path} does not load its OpenMP library from {self.library}:\n{loaded}")
        return path

    def for_each_compiler(self, function):
        """{compiler: function(compiler)}, both at the same time."""
        with concurrent.futures.ThreadPoolExecutor() as pool:
            return dict(zip(COMPILERS, pool.map(function, COMPILERS)))


def run(main):
    """Exit status 1 with the reason when `main` raises Failure or returns complaints."""
    try:
        complaints = main() or []
    except Failure as failure:
        complaints = [str(failure)]
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)
