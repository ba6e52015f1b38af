"""What all constructs are generated with: where one is, what it may name there, and how much it may still cost."""
import dataclasses
import random

import model
from model import Node, sequence

MOST = 72  # times that one site of a program is passed, with 7 threads


class Program:
    """Names and sites of one program; functions that it needs, and the parts that peers are known to get wrong."""

    def __init__(self, seed, number):
        self.number, self.rng = number, random.Random(f"{seed}:{number}")
        self.names, self.functions = 0, []
        self.left = self.rng.randint(2, 6)  # constructs
        self.tasks_known = True
        self.uses = set()  # what a peer gets wrong: see peers.py

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def site(self):
        return self.rng.getrandbits(31)


@dataclasses.dataclass
class Slots:
    """What the threads of one team share: (name, declaration, value before, value after the region)."""
    items: list = dataclasses.field(default_factory=list)

    def add(self, name, declaration, first, last):
        self.items.append((name, declaration, first, last))


@dataclasses.dataclass
class Place:
    """`where`: serial (no team of more than one), team (all of its threads come by) or once (one thread at a time)."""
    program: Program
    where: str
    passes: int = 1  # how often, at most
    depth: int = 0
    threads: int = 1  # of all nested regions together
    names: tuple = ()
    own: tuple = ()  # those of them that each thread of the team has a value of its own of
    slots: Slots | None = None
    repeated: bool = False  # within the team
    reduced: str | None = None  # what in_reduction may name
    tasks: bool = True  # may be made here
    regions: bool = True
    asks: bool = True  # what OpenMP says of the team is known
    active: bool = True  # how many of the regions around have more than one thread is known
    outside: bool = True  # of all parallel regions
    kept: bool = False  # in a region of which the compiler's form runs, also by einkorn cc: within another one, or with proc_bind
    included: bool = False  # tasks created here run at once, on their creator

    def inside(self, **changes):
        return dataclasses.replace(self, depth=self.depth + 1, **changes)

    def task(self, **changes):
        """The body of an explicit task. If it does not take part in a reduction, the variable is a copy in it, which no
    descendant may name."""
        return self.inside(**{"where": "once", "own": (), "slots": None, "reduced": None, **changes})

    def shared(self, **changes):
        """Any thread of the team may execute it: nothing depends on which."""
        names = tuple(name for name in self.names if name not in self.own)
        return self.inside(**{"where": "once", "own": (), **changes, "names": (*names, *changes.get("names", ()))})

    @property
    def rng(self):
        return self.program.rng

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *of):
        return self.rng.choice(of)

    def trips(self, most=12, least=1):
        """Trips of a loop here: no more than the program can afford."""
        return self.rng.randint(least, max(least, min(most, MOST // self.passes)))


def expression(place, also=()):
    """A number computed from what is known here: (C, Python)."""
    rng, names = place.rng, [*place.names, *also]
    chosen = rng.sample(names, min(len(names), rng.choice((0, 1, 1, 2, 3)))) if names else []
    for name in also:
        if name not in chosen:
            chosen.append(name)
    terms, constant = [(rng.randint(1, 99), name) for name in chosen], rng.randint(0, 999)
    c = " + ".join([*[f"{factor} * (long){name}" for factor, name in terms], str(constant)])
    return c, lambda known: sum(factor * known[name] for factor, name in terms) + constant


def leaf(place, also=()):
    """Adds something to the shared sums."""
    site, way = place.program.site(), place.rng.choice(model.WAYS)
    c, value = expression(place, also)
    return Node([f"{way}({site}u, {c});"], lambda state, known: state.add(site, value(known), way))


def added(place, variable):
    """Adds a variable of the team or of the thread: (lines, Python that takes its value)."""
    site = place.program.site()
    return f"add({site}u, {variable});", lambda state, value: state.add(site, value)


def asked(place, what=None):
    site, what = place.program.site(), what or place.rng.choice(model.ASKS)
    if what == "kActive" and not place.active:
        what = "kLevel"

    def run(state, known):
        answer = {"kThreads": known["#threads"], "kLevel": known["#level"], "kActive": known["#active"],
                  "kFinal": known["#final"], "kTeamSize": known["#threads"], "kMaxLevels": 8}[what]
        state.add(site, answer, "ask")
    return Node([f"ask({site}u, {what});"], run)


def value(place):
    """A variable of the thread, with a value that must reach its use: (node, name)."""
    name, site = place.program.name("v"), place.program.site()
    c, python = expression(place)

    def run(state, known):
        known[name] = model.mix(site, python(known) & model.MASK) >> 40
    return Node([f"long {name} = (long)(mix({site}u, (u64)({c})) >> 40);"], run), name


def repeated(place):
    """A plain loop around constructs."""
    trips, name = place.trips(3, 2), place.program.name("r")
    body = block(place.inside(passes=place.passes * trips, names=(*place.names, name), repeated=True))

    def run(state, known):
        for known[name] in range(trips):
            body.run(state, known)

    def team(state, everybody):
        for trip in range(trips):
            for known in everybody:
                known[name] = trip
            body.team(state, everybody)
    return Node([f"for (int {name} = 0; {name} < {trips}; ++{name}) {{", body.lines, "}"], run, team)


CHOICES = []  # (function, where it may occur, how often)


def construct(where, weight):
    def note(function):
        CHOICES.append((function, where.split(), weight))
        return function
    return note


def any_construct(place):
    program = place.program
    if program.left <= 0 or place.depth > 6 or place.passes > MOST:
        return leaf(place)
    program.left -= 1
    fit = [(make, weight) for make, where, weight in CHOICES if place.where in where]
    for _ in range(20):
        make = place.rng.choices([m for m, _ in fit], [w for _, w in fit])[0]
        node = make(place)
        if node:
            return node
    return leaf(place)


def block(place, most=3):
    """A few constructs in a row, in braces of their own."""
    nodes, here = [], place
    for _ in range(place.rng.randint(1, most)):
        if place.chance(0.15):
            node, name = value(here)
            nodes.append(node)
            own = (*here.own, name) if here.where == "team" else here.own
            here = dataclasses.replace(here, names=(*here.names, name), own=own)
        elif place.chance(0.15):
            nodes.append(leaf(here))
        elif place.asks and place.chance(0.08):
            nodes.append(asked(here))
        else:
            nodes.append(any_construct(here))
    if place.chance(0.5) or not nodes:
        nodes.append(leaf(here))
    return sequence(nodes)


@construct("serial team once", 2)
def plain(place):
    return leaf(place)


@construct("serial team once", 3)
def again(place):
    return repeated(place) if place.passes * 2 <= MOST else None
