"""The declarations of a program: of every type, with and without a value, under names that hide others."""
from types_of_c import Array, INT, Pointer, RARE, SCALARS, Scalar, Struct
from variables import Fact, Object

NAMES = list("abcdtxikpqmrw") * 3 + ["me", "F", "I", "at", "own", "from", "to", "count", "frame", "result", "c1", "place", "end", "index"]


class Declaring:
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
        if pick < 0.27 and not any(s.loop or not s.braces for s in self.v.scopes):
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
