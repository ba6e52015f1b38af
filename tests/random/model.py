"""The sequential model of a generated program: what its sums are, and how many tasks it makes.

A Node is a piece of a program: its lines of C, and the same in Python. If all threads of a team execute it, `team` runs it for
all of them, one after the other; what they may do in any order only adds to sums, and what has an order runs in that order."""
MASK = (1 << 64) - 1
THREADS = (1, 2, 4, 7)
SUMS = 16


def mix(site, e):
    x = (site * 0xD6E8FEB86659FD93 + e * 0x9E3779B97F4A7C15) & MASK
    x ^= x >> 29
    x = x * 0xBF58476D1CE4E5B9 & MASK
    return x ^ x >> 32


class State:
    """The sums, the number of explicit tasks, and the number of threads of a region that does not ask for one."""

    def __init__(self, threads):
        self.sums, self.tasks, self.threads = [0] * SUMS, 0, threads

    def add(self, site, e, way="add"):
        value, s = mix(site, e & MASK), self.sums
        if way == "add":
            s[site & 3] = (s[site & 3] + value) & MASK
        elif way == "add_captured":
            s[4], s[5] = (s[4] + value) & MASK, (s[5] + value) & MASK
        elif way == "add_xor":
            s[6] ^= value
        else:
            k = PLAIN[way]
            s[k] = (s[k] + value + (2 if way == "add_nested" else 0)) & MASK

    def total(self):
        total = 0
        for k, value in enumerate(self.sums):
            total = mix(k, (total + value) & MASK)
        return total


PLAIN = {"add_unnamed": 7, "add_named": 8, "add_hinted": 9, "add_locked": 10, "add_tested": 11, "add_nested": 12,
         "add_hint_lock": 13, "ask": 14}
WAYS = ["add", "add_captured", "add_xor", *[way for way in PLAIN if way != "ask"]]
ASKS = ["kThreads", "kLevel", "kActive", "kFinal", "kTeamSize", "kMaxLevels"]


class Node:
    """`run(state, known)`: one thread executes it; `known` has its variables, `known["$"]` those of its team.
    `team(state, all)`: all threads execute it; `all` is a list of their `known`."""

    def __init__(self, lines, run, team=None):
        self.lines = lines
        self.run = run or (lambda state, known: team(state, [known]))
        self.team = team or self.each

    def each(self, state, everybody):
        for known in everybody:
            self.run(state, known)


def sequence(nodes):
    """Nodes one after the other."""
    def run(state, known):
        for node in nodes:
            node.run(state, known)

    def team(state, everybody):
        for node in nodes:
            node.team(state, everybody)
    return Node([line for node in nodes for line in node.lines], run, team)


def text(lines, indent=1):
    """Nested lists of lines, as C."""
    out = []
    for line in lines:
        if isinstance(line, list):
            out += text(line, indent + 1)
        elif line.startswith("#"):
            out.append(line)
        else:
            out.append("  " * indent + line)
    return out
