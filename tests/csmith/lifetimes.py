"""Programs that aim at the lifetimes of variables: declared, set in part, pointed to, handed on, and read again behind sync
points, in blocks, loops and switches, under names that hide each other. Each is a function of C; its sums are the same
compiled with -fopenmp and, called once for each id, without (harness.h)."""
import random

from types_of_c import Array, Bits, INT, Pointer, RARE, SCALARS, Scalar, Struct, UNSIGNED, same
from variables import Fact, Object, Variables

NAMES = list("abcdtxikpqmrw") * 3 + ["me", "F", "I", "at", "own", "from", "to", "count", "frame", "result", "c1", "place", "end", "index"]
LONG = Scalar("unsigned long", "ulong")
SCHEDULES = ["static", "static, 1", "static, 3", "dynamic", "dynamic, 2", "guided", "runtime", "auto"]


def structs_of(seed):
    """The structures and unions that all programs of a file may use."""
    dice = random.Random(f"structs {seed}")
    out = []
    for n in range(6):
        fields = []
        for k in range(dice.randint(1, 4)):
            pick = dice.random()
            t = dice.choice(SCALARS)
            if pick < 0.25:
                t = Array(t, dice.randint(2, 4))
            elif pick < 0.35 and n > 2:
                t = dice.choice(out)
            elif pick < 0.5:
                t = Bits(dice.randint(1, 17))
            elif pick < 0.62:
                t = Pointer(dice.choice(SCALARS), dice.random() < 0.3)
            fields.append((f"m{k}", t))
        out.append(Struct(f"s{n}", fields))
    out.append(Struct("u", [("u", UNSIGNED), ("i", INT), ("h", Array(SCALARS[7], 2)), ("b", Array(SCALARS[5], 4))], union=True))
    out.append(Struct("k", [("fixed", Scalar("const int", None, mask="0x7fffffffu")), ("v", INT)], const=True))
    return out


class Program:
    """One program: lines of C. mode: region (sync points of a team), procedure (taskwait of a recursion)."""

    def __init__(self, seed, number, structs):
        self.dice = random.Random(f"locals {seed} {number}")
        self.number, self.structs = number, structs
        self.v = Variables(self.dice)
        self.functions, self.top, self.lines = [], [], []
        self.unique, self.depth, self.syncs = 0, 0, 0
        self.mode, self.sync_allowed, self.task_allowed = "region", True, True
        self.budget = 0
        self.added = []

    # ---- lines ----

    def put(self, text):
        self.lines.append("  " * (self.depth + 1) + text)

    def pragma(self, text):
        self.lines.append(f"#pragma omp {text}")

    def new(self, what):
        self.unique += 1
        return f"{what}{self.number}_{self.unique}"

    def chance(self, p):
        return self.dice.random() < p

    # ---- expressions ----

    def expression(self, pure=False, depth=0):
        pick = self.dice.random()
        if depth < 2 and pick < 0.35:
            a, b = self.expression(pure, depth + 1), self.expression(pure, depth + 1)
            return f"({a} {self.dice.choice(['+', '-', '*', '^', '|', '+'])} {b})"
        if pick < 0.8:
            found = self.v.place(pure=pure)
            if found:
                return found.type.read(found.text)
        if pick < 0.9 and not pure:
            return "(unsigned)id"
        return f"{self.dice.randint(1, 99)}u"

    def condition(self):
        """The same in all threads."""
        uniform = [o for o in self.v.visible() if o.kind == "uniform" and isinstance(o.type, Scalar)]
        if uniform and self.chance(0.7):
            return f"{self.dice.choice(uniform).name} % {self.dice.randint(2, 3)} {self.dice.choice(['==', '!='])} {self.dice.randint(0, 1)}"
        return self.dice.choice(["one", "two == 2", "zero", "three > two", "one == 1", "!zero"])

    # ---- declarations ----

    def type(self, nested=False):
        pick = self.dice.random()
        if pick < 0.30:
            return self.dice.choice(SCALARS)
        if pick < 0.34:
            return self.dice.choice(RARE)
        if pick < 0.58:
            of = self.dice.choice(SCALARS)
            if self.chance(0.15):
                of = Array(of, self.dice.randint(1, 3))
            elif self.chance(0.2):
                of = self.dice.choice(self.structs[:7])
            return Array(of, self.dice.randint(1, 5))
        if pick < 0.75:
            return self.dice.choice(self.structs)
        if pick < 0.80:
            return Array(Pointer(self.dice.choice(SCALARS)), self.dice.randint(2, 3))
        to = self.dice.choice(self.present_types() or SCALARS)
        return Pointer(to, self.chance(0.2) and not isinstance(to, (Pointer, Array)))

    def present_types(self):
        """Of variables here, so that pointers find something."""
        out = []
        for o in self.v.visible():
            if o.kind == "private" and not o.const and not o.volatile:
                t = o.type
                if isinstance(t, Array):
                    out.append(t.of)
                    if self.chance(0.2):
                        out.append(t)
                elif not isinstance(t, Scalar) or t.kind in ("int", "float", "bool"):
                    out.append(t)
                if isinstance(t, Pointer) and isinstance(t.to, Pointer):
                    out.remove(t)
        return [t for t in out if not (isinstance(t, Array) and isinstance(t.of, Pointer))]

    def name(self):
        for _ in range(20):
            name = self.dice.choice(NAMES)
            if self.v.free(name):
                return name
        return self.new("v")

    def initial(self, t, o):
        """An initialiser, and o.state as it leaves it; None: there is none."""
        if isinstance(t, Pointer):
            found = self.v.address(t.to, t.const)
            if not found:
                return None
            o.state = [found[1]]
            return found[0]
        if isinstance(t, Scalar):
            o.state = [True]
            return t.value(self.expression())
        if any(isinstance(l, Pointer) or l.kind == "function" for _, l in o.leaves):
            if isinstance(t, Array) and isinstance(t.of, Pointer):
                out = []
                for k in range(t.n):
                    found = self.v.address(t.of.to, t.of.const)
                    if not found:
                        break
                    o.state[k] = found[1]
                    out.append(found[0])
                return "{" + ", ".join(out) + "}" if out else None
            if isinstance(t, Struct) and self.chance(0.7):
                return self.struct_initial(t, o)
            return None
        if isinstance(t, Struct) and not t.union and self.chance(0.6):
            return self.struct_initial(t, o)
        if isinstance(t, Array) and isinstance(t.of, Scalar) and self.chance(0.3) and t.n > 1:
            o.set_all()
            return f"{{[{t.n - 1}] = {t.of.value(self.expression())}}}"
        o.set_all()
        if self.chance(0.2):
            return "{0}"
        return self.braces(t)

    def struct_initial(self, t, o):
        out, at = [], 0
        for name, field in t.fields:
            size = len(field.leaves())
            if isinstance(field, Pointer):
                found = self.v.address(field.to, field.const)
                if found:
                    o.state[at] = found[1]
                    out.append(f".{name} = {found[0]}")
            elif isinstance(field, Struct) and any(isinstance(l, Pointer) for _, l in field.leaves()):
                for k, (_, leaf) in enumerate(field.leaves()):
                    o.state[at + k] = None if isinstance(leaf, Pointer) else True
            else:
                for k in range(size):
                    o.state[at + k] = True  # what is not named is zero
                if self.chance(0.8):
                    out.append(f".{name} = {self.braces(field)}")
            at += size
        if not out:
            o.state = [None] * len(o.state)
            return None
        return "{" + ", ".join(out) + "}"

    def braces(self, t):
        if isinstance(t, Scalar):
            return t.value(self.expression())
        if isinstance(t, Array):
            return "{" + ", ".join(self.braces(t.of) for _ in range(t.n)) + "}"
        if isinstance(t, Pointer):
            return "0"
        if t.union:
            return f"{{.u = {self.expression()}}}"
        return "{" + ", ".join(f".{n} = {self.braces(f)}" for n, f in t.fields) + "}"

    def declare(self):
        pick = self.dice.random()
        if pick < 0.14:
            return self.declare_several()
        if pick < 0.18:
            return self.declare_compound()
        if pick < 0.21:
            return self.declare_local_type()
        if pick < 0.24:
            return self.declare_constant()
        if pick < 0.27 and not self.v.loop_inside(Object("", INT, 0)):
            return self.declare_variable_length()
        if pick < 0.31:
            return self.declare_text()
        if pick < 0.37:
            return self.declare_uniform()
        t, name = self.type(), self.name()
        o = Object(name, t, self.v.depth())
        text = t.declare(name)
        self.v.hide(name)  # in its own initialiser
        init = self.initial(t, o) if self.chance(0.45) or isinstance(t, Struct) and t.const else None
        if init is not None and isinstance(t, (Scalar, Array)) and not o.has_pointers() and self.chance(0.12):
            text, o.const = "const " + text, True
        elif isinstance(t, Scalar) and t.kind in ("int", "float") and self.chance(0.06):
            text, o.volatile = "volatile " + text, True
        elif isinstance(t, Scalar) and self.chance(0.03):
            text, o.register = "register " + text, True
        elif self.chance(0.03):
            text = f"_Alignas({self.dice.choice([16, 32])}) " + text
        elif self.chance(0.02):
            text += " __attribute__((unused))"
        if isinstance(t, Struct) and t.const:
            if init is None or not init:
                return None
            o.const = True
        self.put(text + (f" = {init};" if init is not None else ";"))
        self.v.add(o)

    def declare_several(self):
        t, parts = self.dice.choice(SCALARS), []
        for _ in range(self.dice.randint(2, 3)):
            kind = self.dice.choice([t, Array(t, self.dice.randint(1, 4)), Pointer(t), t])
            o = Object(self.name(), kind, self.v.depth())
            self.v.hide(o.name)
            text = kind.declare(o.name)[len(t.c) + 1:]
            init = self.initial(kind, o) if self.chance(0.5) else None
            parts.append(text + (f" = {init}" if init is not None else ""))
            self.v.add(o)
        self.put(f"{t.c} {', '.join(parts)};")

    def declare_compound(self):
        """A pointer to a compound literal, which lives as long as the block."""
        t = self.dice.choice(SCALARS)
        if t.short is None:
            return
        o, hidden = Object(self.name(), Pointer(t), self.v.depth()), None
        self.v.hide(o.name)
        if self.chance(0.6):
            n = self.dice.randint(1, 4)
            hidden = Object(self.new("literal"), Array(t, n), self.v.depth())
            text = f"{t.c} *{o.name} = ({t.c}[]){self.braces(hidden.type)};"
        else:
            s = self.dice.choice(self.structs[:7])
            if any(isinstance(l, Pointer) for _, l in s.leaves()):
                return
            hidden = Object(self.new("literal"), s, self.v.depth())
            o.type = Pointer(s)
            o.leaves = o.type.leaves()
            text = f"{s.declare('*' + o.name)} = &({s.declare('').strip()}){self.braces(s)};"
        hidden.set_all()
        o.state = [Fact(hidden, 0, hidden.type.n if isinstance(hidden.type, Array) else 1, True, self.v.depth())]
        self.put(text)
        self.v.add(o)
        self.v.scopes[-1].objects.append(hidden)  # no name

    def declare_local_type(self):
        tag = self.new("t")
        t = Struct(tag, [(f"m{k}", self.dice.choice(SCALARS)) for k in range(self.dice.randint(1, 3))])
        o = Object(self.name(), t, self.v.depth())
        if self.chance(0.5):
            self.put(f"{t.define(o.name)};")
        else:
            alias = self.name() if self.chance(0.3) else self.new("T")
            if alias == o.name:
                return
            self.put(f"typedef {t.define(alias)};")
            self.v.hide(alias), self.v.hide(o.name)
            init = self.initial(t, o) if self.chance(0.4) else None
            self.put(f"{alias} {o.name}{f' = {init}' if init else ''};")
        self.v.add(o)

    def declare_constant(self):
        name = self.name()
        o = Object(name, INT, self.v.depth(), "uniform", const=True)
        o.register = True  # has no address
        o.state = [True]
        self.put(f"enum {{ {name} = {self.dice.randint(0, 9)} }};")
        self.v.add(o)

    def declare_variable_length(self):
        t, n = self.dice.choice(SCALARS), self.dice.randint(1, 3)
        o = Object(self.name(), Array(t, n), self.v.depth())
        o.varies = True
        self.put(f"{t.declare(f'{o.name}[{n - 1} + one]')};")
        self.v.add(o)

    def declare_text(self):
        if self.chance(0.5):
            text = "".join(self.dice.choice("abcxyz") for _ in range(self.dice.randint(1, 4)))
            o = Object(self.name(), Array(Scalar("char", "char", mask="127u"), len(text) + 1), self.v.depth())
            self.put(f'char {o.name}[] = "{text}";')
            o.set_all()
            self.v.add(o)
        else:
            name, of = self.name(), self.dice.choice(["texts[id % 6]", f"texts[{self.dice.randint(0, 5)}]", '"literal"'])
            hidden = Object("", Array(Scalar("char", "char", mask="127u"), 6), 0, const=True)
            hidden.set_all()
            o = Object(name, Pointer(Scalar("char", "char", mask="127u"), True), self.v.depth())
            o.state = [Fact(hidden, 0, 6, False, 0)]
            self.put(f"const char *{name} = {of};")
            self.v.add(o)

    def declare_uniform(self):
        o = Object(self.name(), INT, self.v.depth(), "uniform")
        o.state = [True]
        self.put(f"int {o.name} = {self.dice.choice(['one', 'two', 'three', '0', '3', '5'])};")
        self.v.add(o)

    # ---- what a statement does ----

    def write(self):
        at = self.v.place(write=True)
        if at:
            operator = "="
            if at.state() is not None and at.type.kind == "int" and at.type.mask is None and self.chance(0.25):
                operator = self.dice.choice(["+=", "^=", "-="])
            if at.type.c == "unsigned" and at.state() is not None and self.chance(0.1):
                self.put(f"{at.text}++;")
                return
            self.put(f"{at.text} {operator} {at.type.value(self.expression())};")
            if at.object:
                at.object.state[at.index] = True

    def read(self, most=1):
        for _ in range(self.dice.randint(1, most)):
            at = self.v.place()
            if at:
                self.put(f"sum = mix(sum, {at.type.read(at.text)});")

    def read_with_loop(self):
        arrays = [o for o in self.v.visible() if isinstance(o.type, Array) and o.kind == "private" and o.is_set() and not o.busy and
                  isinstance(o.type.of, Scalar)]
        if arrays:
            o, j = self.dice.choice(arrays), self.new("j")
            if o.type.of.short and not o.const and not o.volatile and self.chance(0.5):
                self.put(f"sum = mix(sum, get_{o.type.of.short}({o.name}, {o.type.n}));")
            else:
                one = o.type.of.read(f"{o.name}[{j}]")
                self.put(f"for (int {j} = 0; {j} < {o.type.n}; {j}++) sum = mix(sum, {one});")

    def point(self):
        """A pointer gets another place to point to."""
        choice = []
        for o in self.v.visible():
            if usable_pointer(o):
                choice += [(o, k, suffix, leaf) for k, (suffix, leaf) in enumerate(o.leaves) if isinstance(leaf, Pointer)]
        if not choice:
            return
        o, k, suffix, leaf = self.dice.choice(choice)
        loop, old = self.v.loop_inside(o), o.state[k]
        if loop is None:
            found = self.v.address(leaf.to, leaf.const)
        else:
            if isinstance(leaf.to, Pointer) or any(isinstance(l, Pointer) for _, l in leaf.to.leaves()):
                return
            found = self.v.address(leaf.to, leaf.const, deeper_than=loop, full=True, least=old.count if old else 1)
            if found and old and old.writable and not found[1].writable:
                return
        if found:
            self.put(f"{o.name}{suffix} = {found[0]};")
            o.state[k] = found[1]

    def whole(self):
        """memset, memcpy, an assignment or a function sets a whole variable, or a part of one."""
        choice = [o for o in self.v.visible() if usable_pointer(o) and not (isinstance(o.type, Struct) and o.type.const)]
        self.dice.shuffle(choice)
        for o in choice[:4]:
            if o.has_pointers() and self.v.loop_inside(o) is not None:
                continue
            ways = []
            other = [p for p in self.v.visible() if p is not o and same(p.type, o.type) and p.kind in ("private", "shared") and not p.busy and
                     not p.register and p.is_set()]
            if not o.volatile and not o.register:
                if not any(l.kind == "function" for _, l in o.leaves) and not o.has_pointers():
                    ways.append("memset")
                if other and not o.has_pointers():
                    ways += ["memcpy"]
                t = o.type.of if isinstance(o.type, Array) else o.type
                if isinstance(t, Scalar) and t.short:
                    ways += ["function"] * 3 + (["loop"] if isinstance(o.type, Array) else [])
            if other and isinstance(o.type, Struct) and not o.has_pointers():
                ways.append("assign")
            if isinstance(o.type, Struct) and not o.has_pointers() and not o.type.union:
                ways.append("literal")
            if not ways:
                continue
            way = self.dice.choice(ways)
            address = o.name if isinstance(o.type, Array) else f"&{o.name}"
            if way == "memset":
                value = "0" if not o.all_of("int") or any(l.mask for _, l in o.leaves) else self.dice.choice(["0", "1", "id"])
                self.put(f"memset({address}, {value}, sizeof {o.name});")
            elif way == "memcpy":
                p = self.dice.choice(other)
                self.put(f"memcpy({address}, {p.name if isinstance(p.type, Array) else '&' + p.name}, sizeof {o.name});")
            elif way == "assign":
                self.put(f"{o.name} = {self.dice.choice(other).name};")
            elif way == "literal":
                self.put(f"{o.name} = ({o.type.declare('').strip()}){self.braces(o.type)};")
            elif way == "function":
                n = o.type.n if isinstance(o.type, Array) else 1
                t = o.type.of if isinstance(o.type, Array) else o.type
                first = self.dice.randrange(n) if self.chance(0.3) else 0
                self.put(f"set_{t.short}({address}{f' + {first}' if first else ''}, {n - first}, {self.expression()});")
                for k in range(first, n):
                    o.state[k] = True
                return
            elif way == "loop":
                j = self.name()
                if j == o.name:
                    return
                value = o.type.of.value(f"(unsigned){j} * {self.dice.randint(2, 9)}u + (unsigned)id")
                self.put(f"for (int {j} = 0; {j} < {o.type.n}; {j}++) {o.name}[{j}] = {value};")
            o.set_all()
            return

    def through_pointer(self):
        """A function sets what a pointer points to."""
        for o in self.v.visible():
            if usable_pointer(o) and isinstance(o.type, Pointer) and isinstance(o.state[0], Fact) and isinstance(o.type.to, Scalar) and o.type.to.short:
                fact = o.state[0]
                if o.type.const or not fact.writable or fact.target and (fact.target.busy or fact.target.kind != "private" or fact.target.const):
                    continue
                n = self.dice.randint(1, fact.count)
                if self.chance(0.4):
                    self.put(f"set_{o.type.to.short}({o.name}, {n}, {self.expression()});")
                    if fact.target:
                        for k in range(n):
                            fact.target.state[fact.first + k] = True
                elif not fact.target or fact.target.is_set(fact.first, n):
                    self.put(f"sum = mix(sum, get_{o.type.to.short}({o.name}, {n}));")
                return

    def step(self):
        uniform = [o for o in self.v.visible() if o.kind == "uniform" and not o.const and not o.busy]
        if uniform:
            o = self.dice.choice(uniform)
            self.put(f"{o.name} = ({o.name} + {self.dice.randint(1, 3)}) & 7;")

    def statement_expression(self):
        at = self.v.place(write=True)
        if at:
            name = self.new("z")
            value = at.type.value(f"({{ unsigned {name} = {self.expression()}; {name} + 1u; }})")
            self.put(f"{at.text} = {value};")
            if at.object:
                at.object.state[at.index] = True

    def accumulate(self):
        if self.added:
            o = self.dice.choice(self.added)
            if o in self.v.visible():
                self.put(f"{o.name}{self.dice.choice(o.leaves)[0]} += {self.expression()};")

    # ---- blocks ----

    def statements(self, most):
        for _ in range(self.dice.randint(1, most)):
            self.statement()

    def close(self):
        """The end of a scope: what is in it is read for the last time."""
        scope = self.v.scopes[-1]
        if any(o.busy for o in self.v.alive()) and scope.loop | any(o.busy for o in scope.objects) | True:
            self.wait_for_tasks()
        if self.chance(0.75):
            mine = [o for o in scope.objects if o.name and scope.names.get(o.name) is o and o.kind not in ("pile", "added")]
            self.dice.shuffle(mine)
            for o in mine[:4]:
                at = self.v.place(only=[o])
                if at:
                    self.put(f"sum = mix(sum, {at.type.read(at.text)});")
        self.v.close()

    def inner(self, most, loop=False):
        """{ ... }"""
        self.wait_for_tasks()
        self.put("{")
        self.depth += 1
        self.v.open(loop)
        self.statements(most)
        self.close()
        self.depth -= 1
        self.put("}")

    def nest(self):
        if self.depth > 3:
            return
        self.wait_for_tasks()
        self.dice.choice([self.block, self.block, self.branch, self.branch, self.loop, self.loop, self.loop, self.switch, self.forward, self.backward])()

    def block(self):
        self.inner(5)

    def branch(self):
        before = self.v.snapshot()
        self.put(f"if ({self.condition()})")
        self.inner(4)
        if self.chance(0.4):
            then = self.v.snapshot()
            self.v.restore(before)
            self.put("else")
            self.inner(3)
            self.v.join(then)
        else:
            self.v.join(before)

    def loop(self):
        before, certain = self.v.snapshot(), False
        name = self.name()
        pick = self.dice.random()
        count = self.dice.choice(["2", "3", "two", "three", "one"])
        self.v.open()
        o = Object(name, INT, self.v.depth(), "uniform", const=True)
        o.state = [True]
        if pick < 0.55:
            extra = ""
            p = Object(self.name(), INT, self.v.depth(), "uniform", const=True)
            if self.chance(0.2) and p.name != name:
                extra, p.state = f", {p.name} = {self.dice.choice(['7', 'three'])}", [True]
            self.put(f"for (int {name} = 0{extra}; {name} < {count}; {name}++)")
            self.v.add(o)
            if extra:
                self.v.add(p)
            certain = True
            self.inner(4, loop=True)
        elif pick < 0.75:
            name = self.new("i")
            self.put("{")
            self.depth += 1
            self.put(f"int {name} = 0;")
            o.name = name
            self.v.add(o)
            self.put(f"while ({name}++ < {count})")
            self.inner(4, loop=True)
            self.depth -= 1
            self.put("}")
        elif pick < 0.9:
            name = self.new("i")
            self.put("{")
            self.depth += 1
            self.put(f"int {name} = {self.dice.randint(1, 2)};")
            o.name = name
            self.v.add(o)
            self.put("do")
            self.inner(4, loop=True)
            self.put(f"while (--{name} > 0);")
            self.depth -= 1
            self.put("}")
            certain = True
        else:
            name, value = self.new("i"), self.dice.choice(["one", "two"])
            self.put(f"for (int {name} = 0, *p_{name} = &{name}; {name} < {count}; {'++*p_' + name if self.chance(0.5) else name + '++'})")
            o.name = name
            self.v.add(o)
            self.put("{")
            self.depth += 1
            self.v.open(loop=True)
            self.statements(3)
            if self.chance(0.6):
                middle = self.v.snapshot()
                self.put(f"if ({name} == {value}) {self.dice.choice(['break', 'continue'])};")
                self.statements(2)
                self.v.join({k: s for k, s in middle.items()})
            self.close()
            self.depth -= 1
            self.put("}")
        self.v.close()
        if not certain:
            self.v.join(before)

    def switch(self):
        before, ends = self.v.snapshot(), []
        uniform = [o for o in self.v.visible() if o.kind == "uniform" and isinstance(o.type, Scalar)]
        self.put(f"switch ({self.dice.choice(uniform).name + ' & 3' if uniform else 'two'}) {{")
        self.depth += 1
        for label in ["case 0:", "case 1: case 2:", "default:"][:self.dice.randint(2, 3)]:
            falls = ends and self.chance(0.2)
            if falls:
                self.lines.pop()
                self.v.join(before)
            else:
                self.v.restore(before)
            self.put(label)
            self.inner(3)
            ends.append(self.v.snapshot())
            self.put("break;")
        self.depth -= 1
        self.put("}")
        self.v.join(before, *ends)

    def forward(self):
        """goto over statements, and over declarations, whose variables may be set behind it."""
        label, before = self.new("over"), self.v.snapshot()
        self.put(f"if ({self.condition()}) goto {label};")
        self.v.open(braces=False)
        saved, self.skipping = getattr(self, "skipping", 0), 1
        for _ in range(self.dice.randint(1, 3)):
            self.statement(plain=True)
        self.skipping = saved
        self.wait_for_tasks()
        self.v.close()
        self.put(f"{label}:;")
        self.v.join(before)

    def backward(self):
        label, counter = self.new("again"), self.new("round")
        self.put(f"int {counter} = 0;")
        self.put(f"{label}:;")
        self.v.open(loop=True, braces=False)
        for _ in range(self.dice.randint(1, 4)):
            self.statement(plain=True)
        self.wait_for_tasks()
        if self.chance(0.5):
            self.read()
        self.v.close()
        self.put(f"if (++{counter} < {self.dice.choice(['2', 'two', 'three'])}) goto {label};")

    # ---- sync points ----

    def sync(self):
        self.syncs += 1
        if self.mode == "procedure":
            self.make_task()
            if self.chance(0.7):
                self.wait_for_tasks(always=True)
        else:
            ways = [(self.barrier, 5), (self.single, 2), (self.copyprivate, 1.5), (self.own_loop, 2.5), (self.pure_loop, 1.5), (self.pile_loop, 1.2),
                    (self.sections, 0.7), (self.master, 0.8), (self.critical, 0.7), (self.task_and_wait, 1.0), (self.linear, 0.2), (self.pointer_of_single, 0.3)]
            self.dice.choices([w for w, _ in ways], [n for _, n in ways])[0]()
        if self.chance(0.75):
            self.read(2)

    def barrier(self):
        self.pragma("barrier")
        self.done_tasks()

    def in_loop(self):
        return any(s.loop for s in self.v.scopes)

    def before_shared(self):
        if self.in_loop():
            self.barrier()

    def shared(self, t=None):
        """A variable of the function, which one thread sets for all."""
        t = t or self.dice.choice([INT, UNSIGNED, Array(INT, 3), self.dice.choice(SCALARS)])
        o = Object(self.new("all"), t, 0, "shared")
        self.top.append(f"{t.declare(o.name)};")
        self.v.scopes[0].objects.append(o)
        return o

    def publish(self, o):
        o.set_all()
        self.v.scopes[0].names[o.name] = o

    def single(self):
        self.before_shared()
        o = self.shared()
        if self.chance(0.3):
            self.pragma("single nowait")
            barrier = True
        else:
            self.pragma("single")
            barrier = False
        self.set_shared(o)
        if barrier:
            self.pragma("barrier")
        self.done_tasks()
        self.publish(o)

    def set_shared(self, o):
        self.put("{")
        for suffix, leaf in o.leaves:
            self.put(f"  {o.name}{suffix} = {leaf.value(self.expression(pure=True))};")
        self.put("}")

    def copyprivate(self):
        choice = [o for o in self.v.visible() if o.kind == "private" and not o.const and not o.busy and not o.has_pointers() and not o.volatile and not o.varies and
                  not any(l.kind == "function" for _, l in o.leaves) and not (isinstance(o.type, Struct) and o.type.union)]
        if not choice:
            return self.barrier()
        some = self.dice.sample(choice, min(len(choice), self.dice.randint(1, 2)))
        self.pragma(f"single copyprivate({', '.join(o.name for o in some)})")
        self.put("{")
        for o in some:
            for suffix, leaf in o.leaves:
                self.put(f"  {o.name}{suffix} = {leaf.value(self.expression(pure=True))};")
        self.put("}")
        for o in some:
            o.set_all()
        self.done_tasks()

    def pointer_of_single(self):
        k, p = self.new("k"), self.new("p")
        self.put(f"{{ int {k}, *{p};")
        self.pragma(f"single copyprivate({p})")
        self.put(f"{{ {k} = (int)({self.expression(pure=True)} & 0xffffu); {p} = &{k}; }}")
        self.put(f"sum = mix(sum, (unsigned)*{p});")
        self.pragma("barrier")
        self.done_tasks()
        self.put("}")

    def master(self):
        self.pragma(self.dice.choice(["master", "masked"]))
        before = self.v.snapshot()
        self.put("{ if (ME == 0)")
        self.without_sync(lambda: self.inner(2))
        self.put("}")
        self.v.join(before)
        if self.chance(0.7):
            self.barrier()

    def critical(self):
        self.pragma(f"critical{self.dice.choice(['', ' (name)'])}")
        self.without_sync(lambda: self.inner(2))

    def without_sync(self, make):
        saved = self.sync_allowed, self.task_allowed
        self.sync_allowed = self.task_allowed = False
        make()
        self.sync_allowed, self.task_allowed = saved

    def own_loop(self):
        """Iteration i is done by thread i % n."""
        self.wait_for_tasks()
        nowait = self.chance(0.2)
        twice = self.chance(0.3)
        clauses = "".join([self.dice.choice([" schedule(static, 1)", " schedule(static,1)"]) if twice else self.dice.choice([" schedule(static)", " schedule(static, 1)", ""]),
                           " nowait" if nowait else ""])
        name = self.name()
        self.v.open()
        o = Object(name, INT, self.v.depth(), const=True)
        o.state = [True]
        outside = self.chance(0.2)
        if outside:
            self.put(f"{{ int {name};")
        self.pragma(f"for{clauses}")
        self.put(f"for ({'' if outside else 'int '}{name} = own_first; {name} < {'2 * n' if twice else 'n'}; {name} += own_step)")
        self.v.add(o)
        self.without_sync(lambda: self.inner(4, loop=True))
        if outside:
            self.put("}")
        self.v.close()
        if not nowait:
            self.done_tasks()

    def pure_loop(self):
        """Any thread does an iteration, whose result is the same by all."""
        self.before_shared()
        n, i = self.dice.randint(2, 6), self.name()
        o = self.shared(Array(self.dice.choice(SCALARS), n))
        clauses, lines, last, added = f" schedule({self.dice.choice(SCHEDULES)})", [], None, None
        self.v.open()
        counter = self.v.add(Object(i, INT, self.v.depth(), "uniform", const=True))
        counter.state = [True]
        t = self.dice.choice(SCALARS)
        local = self.new("w")
        lines.append(f"{t.declare(f'{local}[2]')}; {local}[{i} % 2] = {t.value(self.expression(pure=True))};")
        value = f"{t.read(f'{local}[{i} % 2]')} + (unsigned){i} * {self.dice.randint(2, 9)}u"
        lines.append(f"{o.name}[{i}] = {o.type.of.value(value)};")
        if self.chance(0.3):
            last = self.shared(self.dice.choice(SCALARS))
            clauses += f" lastprivate({last.name})"
            lines.append(f"{last.name} = {last.type.value(self.expression(pure=True))};")
        if self.chance(0.3):
            added = self.shared(UNSIGNED)
            self.top[-1] = f"unsigned {added.name} = {self.dice.randint(0, 9)};"
            clauses += f" reduction({self.dice.choice(['+', '^'])} : {added.name})"
            lines.append(f"{added.name} {'^=' if '^' in clauses else '+='} (unsigned){i} + {self.expression(pure=True)};")
            if self.in_loop():
                clauses, added = clauses[:clauses.index(" reduction")], None
                lines.pop()
        self.v.close()
        self.pragma(f"for{clauses}")
        self.put(f"for (int {i} = 0; {i} < {n}; {i}++) {{")
        for line in lines:
            self.put("  " + line)
        self.put("}")
        for shared in (o, last, added):
            if shared:
                self.publish(shared)
        self.done_tasks()

    def pile_loop(self):
        """A histogram: what a thread has depends on the iterations that it got, the total does not."""
        piles = [o for o in self.v.visible() if o.kind == "pile"]
        if not piles or self.chance(0.4):
            t = Array(self.dice.choice([UNSIGNED, LONG, Scalar("unsigned short", "ushort")]), self.dice.randint(2, 5))
            o = Object(self.name(), t, self.v.depth(), "pile")
            init = self.dice.choice([" = {0}", "", ""])
            self.put(f"{t.declare(o.name)}{init};")
            if not init:
                self.put(self.dice.choice([f"memset({o.name}, 0, sizeof {o.name});", f"memset({o.name}, 0, {t.n} * sizeof *{o.name});",
                                           f"for (int k_ = 0; k_ < {t.n}; k_++) {o.name}[k_] = 0;"]))
            self.v.add(o)
            if self.chance(0.4):
                self.barrier()
        else:
            o = self.dice.choice(piles)
        i, m = self.name(), self.dice.randint(3, 12)
        if i == o.name:
            i = self.new("i")
        self.pragma(f"for schedule({self.dice.choice(SCHEDULES)}){' nowait' if self.chance(0.2) else ''}")
        self.put(f"for (int {i} = 0; {i} < {m} * once; {i}++) {o.name}[{i} * {self.dice.randint(1, 7)} % {o.type.n}] {self.dice.choice(['++', '+= 3'])};")
        if self.chance(0.7) or self.in_loop():
            self.total_of(o)

    def total_of(self, o):
        self.pragma("critical")
        self.put(f"for (int k_ = 0; k_ < {o.type.n}; k_++) *total += (sum_t){o.name}[k_] * (unsigned)(k_ + {self.dice.randint(1, 9)});")

    def sections(self):
        self.before_shared()
        some = [self.shared() for _ in range(self.dice.randint(1, 3))]
        self.pragma("sections")
        self.put("{")
        for o in some:
            self.pragma("section")
            self.set_shared(o)
        self.put("}")
        for o in some:
            self.publish(o)
        self.done_tasks()

    def linear(self):
        name, i = self.new("line"), self.name()
        self.before_shared()
        o = self.shared(Array(UNSIGNED, 4))
        step = self.dice.randint(1, 3)
        self.put(f"{{ int {name} = {self.dice.randint(0, 5)};")
        self.pragma(f"for linear({name}{f' : {step}' if step > 1 else ''})")
        self.put(f"for (int {i} = 0; {i} < 4; {i}++) {{ {o.name}[{i}] = (unsigned){name} * 3u; {name} += {step}; }}")
        self.put("}")
        self.publish(o)
        self.done_tasks()

    # ---- tasks ----

    def task_and_wait(self):
        self.make_task()
        if self.chance(0.3):
            self.make_task()
        if self.chance(0.3):
            self.statement(plain=True)
        if self.chance(0.5):
            self.wait_for_tasks(always=True)
        else:
            self.wait_for_tasks()

    def make_task(self):
        """A task sets parts of a variable, which nobody touches until it has ended."""
        if not self.task_allowed or any(isinstance(s, Fact) and s.target is None for o in self.v.alive() for s in o.state):
            return
        choice = [o for o in self.v.visible() if o.kind == "private" and not o.const and not o.busy and not o.register and not o.volatile and
                  o.name and not o.varies and any(not isinstance(l, Pointer) for _, l in o.leaves)]
        if not choice:
            return
        o = self.dice.choice(choice)
        read = [p for p in self.v.visible() if p is not o and p.kind in ("private", "uniform", "shared") and not p.busy and not p.register and not p.varies and p.is_set()
                and not p.has_pointers() and not (isinstance(p.type, Struct) and p.type.const)]
        numbers = [k for k, (_, l) in enumerate(o.leaves) if not isinstance(l, Pointer)]
        if self.mode == "procedure" and self.chance(0.6) and isinstance(o.type, Scalar) and o.type.kind == "int":
            self.pragma(f"task shared({o.name})")
            self.put(f"{o.name} = ({o.type.c})walk_{self.number}(depth - 1, {self.argument(read)}){' & ' + o.type.mask if o.type.mask else ''};")
            o.state[0] = True
        else:
            first = f" firstprivate({self.dice.choice(read).name})" if read and self.chance(0.3) else ""
            self.pragma(f"task shared({o.name}){first}")
            self.put("{")
            for k in self.dice.sample(numbers, min(len(numbers), self.dice.randint(1, 4))):
                suffix, leaf = o.leaves[k]
                self.put(f"  {o.name}{suffix} = {leaf.value(self.argument(read))};")
                o.state[k] = True
            self.put("}")
        o.busy = True

    def argument(self, read):
        e = f"{self.dice.randint(1, 99)}u"
        for _ in range(self.dice.randint(0, 2)):
            at = self.v.place(only=read, want=lambda at: at.object in read) if read else None
            if at:
                e = f"({e} {self.dice.choice(['+', '^', '*'])} {at.type.read(at.text)})"
        return e if not self.chance(0.4) else f"({e} + (unsigned)id)"

    def done_tasks(self):
        for o in self.v.alive():
            o.busy = False

    def wait_for_tasks(self, always=False):
        if always or any(o.busy for o in self.v.alive()):
            self.pragma("taskwait")
            self.done_tasks()

    # ---- a statement ----

    def statement(self, plain=False):
        if self.budget <= 0:
            return
        self.budget -= 1
        ways = [(self.declare, 5), (self.write, 4), (self.read, 1.5), (self.read_with_loop, 0.8), (self.point, 2), (self.whole, 3), (self.through_pointer, 1),
                (self.step, 0.5), (self.statement_expression, 0.3), (self.accumulate, 1 if self.added else 0)]
        if not plain:
            ways.append((self.nest, 3.5))
        if self.sync_allowed:
            ways.append((self.sync, 4))
        self.dice.choices([w for w, _ in ways], [n for _, n in ways])[0]()

    # ---- whole programs ----

    def given(self):
        """Variables of the function that a region has by clause, or shares: (clauses, what is before, what is behind)."""
        clauses, before, behind = [], [], []
        self.v.open()
        for _ in range(self.dice.choice([0, 0, 1, 2, 3])):
            t = self.type()
            o = Object(self.new("g") if self.chance(0.7) else self.name(), t, 0, "shared")
            if o.has_pointers() or isinstance(t, Struct) and t.union and self.chance(0.5):
                continue
            how = self.dice.choice(["shared", "firstprivate", "firstprivate", "private"])
            if isinstance(t, Struct) and t.const and how == "private":
                how = "firstprivate"
            const = how == "shared" and self.chance(0.3)
            before.append(("const " if const else "") + f"{t.declare(o.name)} = {self.pure_braces(t)};")
            o.const = const
            o.set_all()
            if how != "shared":
                clauses.append(f"{how}({o.name})")
                original = o
                o = Object(o.name, t, 0, "private", const=isinstance(t, Struct) and t.const)
                if how == "firstprivate":
                    o.set_all()
                suffix, leaf = original.leaves[-1]
                kept, value = self.new("kept"), leaf.read(original.name + suffix)
                before.append(f"const unsigned {kept} = {value};")
                behind.append(f"if (once) *total += mix(7, KEPT({kept}, {value}));")
            self.v.add(o)
        if self.chance(0.25):
            t = self.dice.choice([LONG, LONG, Array(LONG, self.dice.randint(2, 4))])  # sums of other widths would wrap at other places
            o = Object(self.new("r"), t, 0, "added")
            o.set_all()
            before.append(f"{t.declare(o.name)} = {'{0}' if isinstance(t, Array) else f'{self.dice.randint(0, 9)} * once'};")
            clauses.append(f"reduction(+ : {o.name}{f'[:{t.n}]' if isinstance(t, Array) and self.chance(0.5) else ''})")
            behind += [f"*total += (sum_t){o.name}{suffix} * {self.dice.randint(1, 9)}u;" for suffix, _ in o.leaves]
            self.v.add(o)
            self.added.append(o)
        return clauses, before, behind

    def pure_braces(self, t):
        if isinstance(t, Scalar):
            return t.value(f"{self.dice.randint(1, 999)}u")
        if isinstance(t, Array):
            return "{" + ", ".join(self.pure_braces(t.of) for _ in range(t.n)) + "}"
        if isinstance(t, Pointer):
            return "0"
        if t.union:
            return f"{{.u = {self.dice.randint(1, 999)}u}}"
        return "{" + ", ".join(f".{n} = {self.pure_braces(f)}" for n, f in t.fields) + "}"

    def region(self):
        name = f"case_{self.number}"
        clauses, before, behind = self.given()
        self.budget = self.dice.choice([6, 10, 14, 20, 30])
        outer_scope = self.v.scopes[0]
        self.v.open()
        self.v.hide("id"), self.v.hide("sum")
        body_at = len(self.lines)
        while self.budget > 0:
            self.statement()
        self.wait_for_tasks()
        self.read(3)
        for o in [o for o in self.v.visible() if o.kind == "pile"]:
            self.total_of(o)
        self.close()
        body, self.lines = self.lines[body_at:], self.lines[:body_at]
        if self.chance(0.2):
            self.dice.shuffle(clauses)
        out = [f"static void {name}(int n, sum_t *out, sum_t *total) {{"]
        out += ["  (void)total;"] + [f"  {line}" for line in before + self.top]
        out.append(f"#pragma omp parallel num_threads(n){''.join(' ' + c for c in clauses)}")
        out += ["  {", f"  {'const int' if self.chance(0.5) else 'int'} id = ME;", f"  sum_t sum = mix({self.number}, (unsigned)id);"]
        out += body + ["  out[id] = sum;", "  }"] + [f"  {line}" for line in behind] + ["}"]
        return self.functions + out

    def procedure(self):
        """A recursion that makes tasks and waits for them."""
        self.mode = "procedure"
        self.budget = self.dice.choice([5, 8, 12, 18])
        self.v.open()
        self.v.hide("id"), self.v.hide("sum"), self.v.hide("depth")
        while self.budget > 0:
            self.statement()
        self.wait_for_tasks()
        self.read(3)
        self.close()
        walk = f"walk_{self.number}"
        by_pointer = self.chance(0.5)
        out = [f"static unsigned {walk}(int depth, unsigned id) {{", "  if (depth <= 0) return id * 3u + 1u;", f"  sum_t sum = mix({self.number}, id);",
               *self.lines, "  return (unsigned)(sum >> 20);", "}"]
        out += [f"static void case_{self.number}(int n, sum_t *out, sum_t *total) {{", "  (void)total; (void)n;",
                "#pragma omp parallel num_threads(n)", "  {" if by_pointer else "", "#pragma omp single", "  {",
                f"    unsigned got = {walk}(two, {self.dice.randint(1, 99)}u);", "    if (once) out[0] = got;" if self.chance(0.5) else "    out[0] = got;", "  }",
                "  }" if by_pointer else "", "}"]
        return self.functions + [line for line in out if line]


def usable_pointer(o):
    return o.kind == "private" and not o.const and not o.busy and bool(o.name)


def program(seed, number, structs):
    """C of a program."""
    made = Program(seed, number, structs)
    return made.procedure() if made.dice.random() < 0.25 else made.region()
