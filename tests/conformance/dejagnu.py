"""What a file of libgomp's test suite says about itself, in DejaGnu directives: { dg-do run { target lto } } and the like.

DejaGnu is a Tcl program and a directive's arguments are Tcl words; what follows knows as much Tcl as these files use."""
import dataclasses
import fnmatch
import re

import compiling

TRIPLETS = {None: "x86_64-pc-linux-gnu", "aarch64": "aarch64-unknown-linux-gnu"}
LINE = re.compile(r"\{[ \t]+(dg-[-a-z]+)[ \t]+(.*)[ \t]+\}[^}]*$")
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


class BadDirective(Exception):
    pass


@dataclasses.dataclass
class Directives:
    action: str = "run"  # libgomp's default
    skip: str | None = None  # why it is not for this machine
    options: list[str] | None = None  # dg-options: instead of the suite's own
    additional: list[str] = dataclasses.field(default_factory=list)
    sources: list[str] = dataclasses.field(default_factory=list)
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    should_fail: bool = False
    output: str = ""  # a regular expression for what it prints
    compile_error: bool = False  # it is there to be refused by the compiler
    time_factor: float = 1


def words(text):
    """Splits TEXT as Tcl does: {braces} as they are, "quotes" with backslashes, bare words."""
    found, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] == "{":
            depth, end = 1, at + 1
            while end < len(text) and depth:
                if text[end] == "\\":
                    end += 1
                else:
                    depth += (text[end] == "{") - (text[end] == "}")
                end += 1
            if depth:
                raise BadDirective(f"unbalanced braces: {text}")
            found.append(text[at + 1:end - 1])
            at = end
        else:
            quoted = text[at] == '"'
            at += quoted
            word = ""
            while at < len(text) and not (text[at] == '"' if quoted else text[at].isspace()):
                if text[at] == "\\" and at + 1 < len(text):
                    at += 1
                    word += ESCAPES.get(text[at], text[at])
                else:
                    word += text[at]
                at += 1
            found.append(word)
            at += 1
    return found


class Selector:
    """Does a target selector hold here? EFFECTIVE: the effective targets that do."""

    def __init__(self, effective):
        self.effective = effective

    def holds(self, text):
        tokens = re.findall(r"[{}]|&&|\|\||!|[^\s{}!]+", text)
        value, rest = self.either(tokens)
        if rest:
            raise BadDirective(f"target selector not understood: {text}")
        return value

    # A list of triplets or names holds if one of them does; an expression has the usual operators.
    def either(self, tokens):
        value, tokens = self.both(tokens)
        while tokens and tokens[0] != "}":
            if tokens[0] == "||":
                tokens = tokens[1:]
            other, tokens = self.both(tokens)
            value = value or other
        return value, tokens

    def both(self, tokens):
        value, tokens = self.one(tokens)
        while tokens and tokens[0] == "&&":
            other, tokens = self.one(tokens[1:])
            value = value and other
        return value, tokens

    def one(self, tokens):
        if not tokens:
            raise BadDirective("target selector ends early")
        head, rest = tokens[0], tokens[1:]
        if head == "!":
            value, rest = self.one(rest)
            return not value, rest
        if head == "{":
            value, rest = self.either(rest)
            if not rest or rest[0] != "}":
                raise BadDirective("target selector with unbalanced braces")
            return value, rest[1:]
        if "-" in head:
            return fnmatch.fnmatchcase(TRIPLETS[compiling.target], head), rest
        return head in self.effective, rest


def selected(selector, arguments):
    """True or False for a `target` clause among the arguments, None if there is none; `xfail` ones are left aside."""
    for argument in arguments:
        parts = argument.split(maxsplit=1)
        if parts and parts[0] == "target":
            return selector.holds(parts[1])
    return None


def parse(path, effective, flags):
    """FLAGS: what the suite compiles with, for dg-skip-if."""
    selector, found = Selector(effective), Directives()
    for line in path.read_text(errors="replace").splitlines():
        match = LINE.search(line)
        if match:
            try:
                apply(found, selector, match[1], words(match[2]), flags)
            except (BadDirective, IndexError) as error:
                raise BadDirective(f"{path}: {line.strip()}: {error}") from None
    return found


def apply(found, selector, name, arguments, flags):
    here = selected(selector, arguments[1:])
    if name == "dg-do":
        if here is False:
            found.skip = f"dg-do {arguments[0]} only for {' '.join(arguments[1:])}"
        else:
            found.action, found.skip = arguments[0], None
    elif name == "dg-require-effective-target":
        if arguments[0] not in selector.effective and here is not False:
            found.skip = f"requires {arguments[0]}"
    elif name == "dg-skip-if":
        included = arguments[2] if len(arguments) > 2 else "*"
        excluded = arguments[3] if len(arguments) > 3 else ""
        if selector.holds(arguments[1]) and has_flag(flags, included) and not has_flag(flags, excluded):
            found.skip = f"dg-skip-if {arguments[1]}"
    elif here is False:
        return
    elif name == "dg-options":
        found.options = arguments[0].split()
    elif name == "dg-additional-options":
        found.additional += arguments[0].split()
    elif name == "dg-additional-sources":
        found.sources += arguments[0].split()
    elif name == "dg-set-target-env-var":
        found.environment[arguments[0]] = arguments[1]
    elif name == "dg-shouldfail":
        found.should_fail = True
    elif name == "dg-output":
        found.output += arguments[0]
    elif name == "dg-error":
        found.compile_error = True
    elif name == "dg-timeout-factor":
        found.time_factor = float(arguments[0])


def has_flag(flags, patterns):
    return any(pattern == "*" or any(fnmatch.fnmatchcase(flag, pattern) for flag in flags)
               for pattern in words(patterns))
