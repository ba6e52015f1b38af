"""What there is to run: the programs of a suite, each as one or more cases, read from the sources themselves.

A program of constructs/ may say in comments at its top (`//`, in Fortran `!`):
  run NAME: VAR=VALUE ... [-- ARGUMENT ...]   one case PROGRAM.NAME for each such line; without any, one case PROGRAM
  stderr NAME: REGEX                          that case's stderr must have a match; NAME may be left out without cases
  flags COMPILER: FLAG ...                    more flags for that compiler
  compilers: NAME ...                         built by these only, because (say why in the source); NAME>=N: from that version on
  threads: N ...                              run with these numbers of threads only
  limit: SECONDS                              needs longer than the usual time limit
  peer COMPILER[.NAME]: WHY                   that compiler's own runtime is known to fail (that case): not run under it
  emulated NAME: WHY                          the emulator of another architecture cannot run that case as a system does; NAME may be left out
A case that sets OMP_NUM_THREADS itself is run once, whatever numbers of threads are asked for.
"""
import dataclasses
import pathlib
import re
import shlex

import compiling

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = {".c": "c", ".cpp": "c++", ".f90": "fortran"}
DIRECTIVE = re.compile(r"^\s*(?://|!)\s*(run|stderr|flags|compilers|threads|limit|peer|emulated)(?: ([\w.-]+))?: ?(.*)$")


@dataclasses.dataclass
class Case:
    name: str
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    arguments: list[str] = dataclasses.field(default_factory=list)
    stderr: re.Pattern | None = None
    emulated: bool = True  # as well as by a system


@dataclasses.dataclass
class Program:
    """source is None for a program that somebody else builds: then `built` gives its path by compiler."""
    name: str
    source: pathlib.Path | None
    language: str
    cases: list[Case]
    flags: dict[str, list[str]]
    compilers: list[str]
    threads: list[int] | None = None
    limit: float | None = None
    peer_fails: set[str] = dataclasses.field(default_factory=set)  # COMPILER or COMPILER.NAME

    def is_for(self, compiler):
        """Is it built by this compiler, with its version or without?"""
        for name, _, least in (word.partition(">=") for word in self.compilers):
            if name == compiling.family(compiler) and compiling.version(compiler) >= int(least or 0):
                return True
        return False


def split_run(name, text):
    """The case NAME of `VAR=VALUE ... [-- ARGUMENT ...]`."""
    words = shlex.split(text)
    arguments = []
    if "--" in words:
        cut = words.index("--")
        words, arguments = words[:cut], words[cut + 1:]
    for word in words:
        if "=" not in word:
            raise ValueError(f"{name}: '{word}' is not VAR=VALUE")
    return Case(name, dict(word.split("=", 1) for word in words), arguments)


def read_program(path):
    name = path.stem
    language = SOURCES[path.suffix]
    program = Program(name, path, language, [], {}, ["gcc"] if language == "fortran" else ["gcc", "clang"])
    patterns, not_emulated = {}, set()
    for line in path.read_text().splitlines():
        if not line.strip() or not line.lstrip().startswith(("//", "!")):
            break
        match = DIRECTIVE.match(line)
        if not match:
            continue
        word, label, text = match.groups()
        if word == "run":
            program.cases.append(split_run(f"{name}.{label}", text))
        elif word == "stderr":
            patterns[f"{name}.{label}" if label else name] = re.compile(text, re.IGNORECASE)
        elif word == "flags":
            program.flags[label] = shlex.split(text)
        elif word == "compilers":
            program.compilers = text.split()
        elif word == "peer":
            program.peer_fails.add(label)
        elif word == "emulated":
            not_emulated.add(f"{name}.{label}" if label else name)
        elif word == "threads":
            program.threads = [int(n) for n in text.split()]
        else:
            program.limit = float(text)
    if not program.cases:
        program.cases = [Case(name)]
    for case in program.cases:
        case.stderr = patterns.pop(case.name, None)
        case.emulated = case.name not in not_emulated
    if unknown := patterns.keys() | not_emulated - {case.name for case in program.cases}:
        raise ValueError(f"{path}: a line for a case that is not there: {', '.join(unknown)}")
    return program


def constructs():
    """The self-checking programs of constructs/, one for each construct."""
    paths = sorted(p for p in (HERE / "constructs").iterdir() if p.suffix in SOURCES)
    return [read_program(path) for path in paths]


def programs():
    """The field's programs, built by the target `programs`, with the sizes of programs.txt: CASE ARGUMENT ..."""
    found = {}
    for line in (HERE / "programs.txt").read_text().splitlines():
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        name = words[0].split(".")[0]
        program = found.setdefault(name, Program(name, None, "c", [], {}, ["gcc", "clang"]))
        program.cases.append(Case(words[0], {}, words[1:]))
    return list(found.values())


SUITES = {"constructs": constructs, "programs": programs}
