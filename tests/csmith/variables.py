"""What lifetimes.py knows of the variables at a point of a program: which parts of which have a value, where pointers point.

A program reads only what has a value on every way to that point, so that none has undefined behaviour."""
from types_of_c import Array, Bits, Pointer, Scalar, Struct, same, spots


class Fact:
    """Where a pointer points: `count` elements from leaf `first` of `target`. Without target: to one of several, all set."""

    def __init__(self, target, first, count, writable, depth):
        self.target, self.first, self.count, self.writable, self.depth = target, first, count, writable, depth

    def __eq__(self, other):
        return isinstance(other, Fact) and vars(self) == vars(other)


class Object:
    """kind: private (a thread's own, depends on its id), uniform (the same in all threads), shared (read by all), pile (only
    its total over all threads is known), added (of a reduction)."""

    def __init__(self, name, type, depth, kind="private", const=False, volatile=False):
        self.name, self.type, self.depth, self.kind, self.const, self.volatile = name, type, depth, kind, const, volatile
        self.leaves = type.leaves()
        self.state = [None] * len(self.leaves)
        self.busy = False  # a task works with it
        self.register = self.varies = self.parameter = False

    def set_all(self):
        for k, (_, leaf) in enumerate(self.leaves):
            if not isinstance(leaf, Pointer):
                self.state[k] = True

    def is_set(self, first=0, count=None):
        return all(s is not None for s in self.state[first:None if count is None else first + count])

    def has_pointers(self):
        return any(isinstance(leaf, Pointer) for _, leaf in self.leaves)

    def all_of(self, *kinds):
        return all(leaf.kind in kinds for _, leaf in self.leaves)


class Place:
    """A leaf that can be named: C text, its type, where its state is kept (None: one of several)."""

    def __init__(self, text, type, object, index, writable):
        self.text, self.type, self.object, self.index, self.writable = text, type, object, index, writable

    def state(self):
        return self.object.state[self.index] if self.object else True


class Scope:
    def __init__(self, names, loop=False, braces=True):
        self.objects, self.names, self.loop, self.braces = [], names, loop, braces


class Variables:
    def __init__(self, dice):
        self.dice, self.scopes = dice, []

    # ---- scopes ----

    def open(self, loop=False, braces=True):
        names = {} if braces or not self.scopes else self.scopes[-1].names
        self.scopes.append(Scope(names, loop, braces))

    def close(self):
        scope = self.scopes.pop()
        depth = len(self.scopes)
        for o in scope.objects:
            if not scope.braces and scope.names.get(o.name) is o:
                scope.names[o.name] = None  # C still knows the name
        for o in self.alive():
            for k, fact in enumerate(o.state):
                if isinstance(fact, Fact) and fact.depth >= depth:
                    o.state[k] = None

    def alive(self):
        return [o for scope in self.scopes for o in scope.objects]

    def add(self, o):
        self.scopes[-1].objects.append(o)
        self.scopes[-1].names[o.name] = o
        return o

    def hide(self, name):
        """A name that is no variable (a type, a constant)."""
        self.scopes[-1].names[name] = None

    def free(self, name):
        return name not in self.scopes[-1].names

    def depth(self):
        return len(self.scopes) - 1

    def visible(self):
        seen, out = set(), []
        for scope in reversed(self.scopes):
            for name, o in scope.names.items():
                if name not in seen:
                    seen.add(name)
                    if o is not None:
                        out.append(o)
        return out

    # ---- ways that join ----

    def snapshot(self):
        return {o: list(o.state) for o in self.alive()}

    def join(self, *before):
        """What is known where any of these ways and the present one come together."""
        for old in before:
            for numbers in (True, False):  # whether all that a pointer may point to is set
                for o in self.alive():
                    for k, (_, leaf) in enumerate(o.leaves):
                        if numbers != isinstance(leaf, Pointer):
                            o.state[k] = joined(leaf, old[o][k] if o in old else None, o.state[k])

    def restore(self, snapshot):
        for o in self.alive():
            o.state = list(snapshot[o]) if o in snapshot else [None] * len(o.state)

    def loop_inside(self, o):
        """The outermost loop that begins inside of the scope of the variable; None: there is none."""
        for depth in range(o.depth + 1, len(self.scopes)):
            if self.scopes[depth].loop:
                return depth
        return None

    # ---- places ----

    def place(self, write=False, pure=False, only=None, want=None):
        """A leaf with a number in it that may be read (or written) here; None: nothing found."""
        choice = only or [o for o in self.visible() if usable(o, write, pure)]
        for _ in range(14):
            if not choice:
                return None
            o = self.dice.choice(choice)
            k = self.dice.randrange(len(o.leaves))
            suffix, leaf = o.leaves[k]
            found = self.follow(Place(o.name + suffix, leaf, o, k, not o.const and o.kind == "private"), write, pure)
            if found and (want is None or want(found)):
                return found
        return None

    def follow(self, at, write, pure, depth=0):
        if not isinstance(at.type, Pointer):
            if not write and at.state() is None or write and not at.writable:
                return None
            if not write and at.object and isinstance(at.object.type, Struct) and at.object.type.union and self.dice.random() < 0.5 and at.text.endswith((".u", ">u")):
                at = Place(at.text[:-1] + self.dice.choice(["u", "i", "h[1]", "b[2]"]), at.type, at.object, at.index, False)
            return at
        fact = at.state()
        if not isinstance(fact, Fact) or depth > 3:
            return None
        target = fact.target
        if target and (target.busy or pure and target.kind not in ("uniform", "shared") or write and (target.const or target.volatile)):
            return None
        if pure and not target:
            return None
        if write and not (fact.writable and not at.type.const and (not target or target.kind == "private")):
            return None
        to, j = at.type.to, self.dice.randrange(fact.count)
        leaves = to.leaves()
        k = self.dice.randrange(len(leaves))
        suffix, leaf = leaves[k]
        if isinstance(to, Array):
            text = f"(*{at.text}){suffix}" if j == 0 else f"{at.text}[{j}]{suffix}"
        elif isinstance(to, Struct):
            text = f"{at.text}->{suffix[1:]}" if j == 0 else f"{at.text}[{j}]{suffix}"
        else:
            text = f"(*{at.text})" if j == 0 else f"{at.text}[{j}]" if self.dice.random() < 0.7 else f"(*({at.text} + {j}))"
        if isinstance(leaf, Pointer) and not target:
            return None
        return self.follow(Place(text, leaf, target, fact.first + j * len(leaves) + k if target else None, fact.writable), write, pure, depth + 1)

    # ---- addresses ----

    def address(self, to, const, deeper_than=None, full=False, least=1):
        """Something that a pointer to that type may point to: (C, Fact)."""
        found = []
        for o in self.visible():
            if o.busy or o.volatile or o.register or o.kind in ("pile", "added") or (o.const and not const):
                continue
            if o.kind in ("shared", "uniform") and not const:
                continue
            if deeper_than is not None and o.depth >= deeper_than:
                continue
            for kind, first, count, text in spots(o.type, o.name):
                if o.parameter and kind is o.type and isinstance(kind, Array):
                    continue
                if count >= least and same(kind, to) and (not full or o.is_set(first, count * len(kind.leaves()))):
                    found.append((text, Fact(o, first, count, o.kind == "private" and not o.const, o.depth)))
        return self.dice.choice(found) if found else None


def usable(o, write, pure):
    if o.busy or o.kind in ("pile", "added") or write and o.kind != "private":
        return False
    return not pure or o.kind in ("uniform", "shared")


def joined(leaf, a, b):
    if a is None or b is None:
        return None
    if a is True or b is True:
        return True if a is True and b is True else None
    if a == b:
        return a
    if isinstance(leaf.to, Pointer) or any(isinstance(l, (Pointer, Bits)) for _, l in leaf.to.leaves()):
        return None
    for fact in (a, b):
        if fact.target and (fact.target.busy or not fact.target.is_set(fact.first, fact.count * len(leaf.to.leaves()))):
            return None
    return Fact(None, 0, min(a.count, b.count), a.writable and b.writable, max(a.depth, b.depth))


def usable_pointer(o):
    """Whether it may be set here, if it is a pointer, or have all of it set."""
    return o.kind == "private" and not o.const and not o.busy and bool(o.name)


def plain_integer(o):
    return isinstance(o.type, Scalar) and o.type.kind == "int" and not o.type.c.startswith("enum")
