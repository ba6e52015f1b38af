#!/usr/bin/env python3
"""Are the generated programs valid OpenMP 5.1? Neither compiler checks that: which construct may nest in which, and to which region a
reduction belongs, they leave to the program; if it is wrong, every library may do as it likes. This reads the C, not the generator.

  valid.py [[FIRST:]LAST] [SEED]"""
import re
import sys

import generate

STANDALONE = ("taskwait", "taskyield", "barrier", "cancel", "cancellation point", "depobj", "scan", "flush")
WORDS = ("parallel for", "parallel sections", "parallel", "cancellation point", "cancel", "distribute parallel for", "distribute",
         "teams distribute parallel for", "teams distribute", "teams", "taskgroup", "taskloop", "taskwait", "taskyield", "task",
         "for", "sections", "section", "single", "masked", "master", "ordered", "barrier", "atomic", "depobj", "scan", "critical")
TASKS = ("task", "taskloop")
SHARING = ("for", "sections", "single", "parallel for", "parallel sections", "section", "distribute parallel for")
REGIONS = ("parallel", "parallel for", "parallel sections", "distribute parallel for")


class Directive:
    def __init__(self, text):
        self.text = text.strip()
        self.kind = next(word for word in sorted(WORDS, key=len, reverse=True) if re.match(rf"{word}\b", self.text))

    def has(self, clause):
        return re.search(rf"\b{clause}\b(?!\))", self.text[len(self.kind):]) is not None

    def argument(self, clause):
        """The text in its brackets, or None."""
        found = re.search(rf"\b{clause}\(([^()]*)\)", self.text)
        return found and found[1]

    @property
    def alone(self):
        return self.kind in STANDALONE or self.kind == "ordered" and "depend" in self.text


def statement(lines, at, around, found):
    """Reads a statement from lines[at] on, and notes each directive with those around it; returns where the next begins."""
    line = lines[at]
    if line.startswith("#pragma omp"):
        directive = Directive(line[len("#pragma omp"):])
        found.append((directive, tuple(around)))
        return at + 1 if directive.alone else statement(lines, at + 1, [*around, directive], found)
    if line.endswith("{"):
        at += 1
        while lines[at] != "}":
            at = statement(lines, at, around, found)
        return at + 1
    if re.match(r"(for|if|while) \(", line) and line.endswith(")"):
        return statement(lines, at + 1, around, found)
    return at + 1


def directives(text):
    """The directives of a program: (directive, those around it, outermost first)."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found, at = [], 0
    while at < len(lines):
        at = statement(lines, at, [], found)
    return found


def reduces(directive, variable, clause):
    return any(variable == item.strip() for items in re.findall(rf"\b{clause}\((?:task, )?\S+: ([^()]*)\)", directive.text)
               for item in items.split(","))


def takes_part(around, variable):
    """Is there an enclosing reduction of the variable, without a task in between that has a copy of it?"""
    for outer in reversed(around):
        if reduces(outer, variable, "task_reduction") or "reduction(task," in outer.text and reduces(outer, variable, "reduction"):
            return True
        if outer.kind in TASKS and not reduces(outer, variable, "in_reduction") or outer.kind in REGIONS or outer.kind == "teams":
            return False
    return False


def closely(around):
    """The enclosing directives within the innermost region, innermost first."""
    for outer in reversed(around):
        yield outer
        if outer.kind in REGIONS:
            return


def complaint(directive, around):
    """The rule of OpenMP that it breaks, or None."""
    kind, inner = directive.kind, list(closely(around))
    part_of = [outer.kind for outer in inner if outer.kind not in ("taskgroup", "parallel", "atomic")]
    for variable in re.findall(r"\bin_reduction\(\S+: (\w+)\)", directive.text):
        if not takes_part(around, variable):
            return f"in_reduction of {variable}, which no reduction around names"
    if directive.has("detach"):
        if directive.has("mergeable"):
            return "detach and mergeable"
        if any(outer.argument("final") == "one" for outer in inner):
            return "a final task makes a detached one"
    if kind in ("for", "sections", "single", "barrier") and any(k in (*TASKS, *SHARING, "masked", "master", "ordered") for k in part_of):
        return f"{kind} in {' in '.join(part_of)}"
    if kind in ("masked", "master") and any(k in (*TASKS, *SHARING, "distribute") for k in part_of):
        return f"{kind} in {' in '.join(part_of)}"
    if kind == "ordered":
        loop = next((outer for outer in inner if outer.kind != "atomic"), None)
        if loop is None or loop.kind not in ("for", "parallel for") or not loop.has("ordered"):
            return "ordered outside of an ordered loop"
    if kind in ("cancel", "cancellation point"):
        what = directive.text.split()[-1]
        around_it = inner[0] if inner else None
        fits = {"taskgroup": TASKS, "for": ("for", "parallel for"), "parallel": ("parallel",),
                "sections": ("sections", "section", "parallel sections")}[what]
        if around_it is None or around_it.kind not in fits:
            return f"{kind} {what} in {around_it and around_it.kind}"
        if what in ("for", "sections") and any(outer.has("nowait") or outer.has("ordered") for outer in inner[:2]):
            return f"{kind} {what} in one with nowait or ordered"
    if directive.has("nogroup") and directive.has("reduction"):
        return "nogroup and reduction"
    if directive.has("grainsize") and directive.has("num_tasks"):
        return "grainsize and num_tasks"
    if directive.has("copyprivate") and directive.has("nowait"):
        return "copyprivate and nowait"
    if "nonmonotonic" in directive.text and directive.has("ordered"):
        return "nonmonotonic and ordered"
    if "reduction(task," in directive.text and directive.has("nowait"):
        return "reduction(task) and nowait"
    return None


def main(programs="3000", seed="1"):
    first, _, last = programs.rpartition(":")
    numbers, wrong, seen = range(int(first or 0), int(last)), 0, {}
    for number in numbers:
        for directive, around in directives(generate.Made(int(seed), number).c):
            seen[directive.kind] = seen.get(directive.kind, 0) + 1
            if text := complaint(directive, around):
                wrong += 1
                print(f"program {number}: {text}: #pragma omp {directive.text}")
    print(f"{len(numbers)} programs, {sum(seen.values())} directives of {len(seen)} kinds, {wrong} where they may not stand")
    return 1 if wrong or len(seen) < 18 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
