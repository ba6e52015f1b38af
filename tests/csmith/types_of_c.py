"""The types of the variables that lifetimes.py makes, and where a pointer may point inside a variable."""


class Scalar:
    def __init__(self, c, short, kind="int", mask=None):
        self.c, self.short, self.kind, self.mask = c, short, kind, mask

    def declare(self, name):
        return f"{self.c} {name}"

    def leaves(self):
        return [("", self)]

    def value(self, e):
        """The expression of an unsigned number, as a value of this type that is the same by all compilers."""
        if self.kind == "bool":
            return f"({e}) & 1"
        if self.kind == "complex":
            part = "float" if "float" in self.c else "double"
            return f"__builtin_complex(({part})(({e}) & 255), ({part})(({e}) >> 8 & 255))"
        if self.mask is not None:
            return f"({self.c})(({e}) & {self.mask})"
        return f"({self.c})({e})"

    def read(self, path):
        """What is in the variable, as an unsigned number."""
        if self.kind == "float":
            return f"(unsigned)(int){path}"
        if self.kind == "complex":
            return f"((unsigned)(int)__real__ {path} + (unsigned)(int)__imag__ {path})"
        return f"(unsigned){path}"


class Bits(Scalar):
    """A bit-field."""

    def __init__(self, width):
        super().__init__("unsigned", None, "bits", (1 << width) - 1)
        self.width = width


class Function(Scalar):
    """A pointer to a function of int."""

    def __init__(self):
        super().__init__("function", None, "function")

    def value(self, e):
        return f"functions({e})"

    def read(self, path):
        return f"(unsigned){path}(5)"


INT = Scalar("int", "int", mask="0x7fffffffu")
UNSIGNED = Scalar("unsigned", "unsigned")
LONG = Scalar("unsigned long", "ulong")
SCALARS = [INT, INT, UNSIGNED, Scalar("char", "char", mask="127u"), Scalar("signed char", "schar", mask="127u"),
           Scalar("unsigned char", "uchar", mask="255u"), Scalar("short", "short", mask="32767u"),
           Scalar("unsigned short", "ushort", mask="65535u"), Scalar("long", "long"), Scalar("unsigned long", "ulong"),
           Scalar("long long", "llong"), Scalar("_Bool", "bool", "bool"), Scalar("float", "float", "float", "1023u"),
           Scalar("double", "double", "float", "1023u"), Scalar("double", "double", "float", "1023u"),
           Scalar("long double", "ldouble", "float", "1023u"), Scalar("enum color", "color", mask="3u"), Scalar("word", "unsigned")]
RARE = [Scalar("double _Complex", None, "complex"), Scalar("float _Complex", None, "complex"), Function(), Function()]


class Pointer:
    kind = "pointer"

    def __init__(self, to, const=False):
        self.to, self.const = to, const

    def declare(self, name):
        if isinstance(self.to, Array):
            return self.to.declare(f"(*{name})")
        return ("const " if self.const else "") + self.to.declare(f"*{name}")

    def leaves(self):
        return [("", self)]


class Array:
    def __init__(self, of, n):
        self.of, self.n = of, n

    def declare(self, name):
        return self.of.declare(f"{name}[{self.n}]")

    def leaves(self):
        return [(f"[{k}]{suffix}", leaf) for k in range(self.n) for suffix, leaf in self.of.leaves()]


class Struct:
    """A structure, or (with union) a union all members of which are the same four bytes."""

    def __init__(self, tag, fields, union=False, const=False):
        self.tag, self.fields, self.union, self.const = tag, fields, union, const

    def declare(self, name):
        return f"{'union' if self.union else 'struct'} {self.tag} {name}"

    def define(self, name=""):
        kind = "union" if self.union else "struct"
        inner = " ".join((f"unsigned {n} : {t.width};" if isinstance(t, Bits) else f"{t.declare(n)};") for n, t in self.fields)
        return f"{kind} {self.tag} {{ {inner} }}{' ' + name if name else ''}"

    def leaves(self):
        if self.union:
            return [(f".{self.fields[0][0]}", self.fields[0][1])]
        return [(f".{name}{suffix}", leaf) for name, t in self.fields for suffix, leaf in t.leaves()]


def same(a, b):
    if type(a) is not type(b) and not (isinstance(a, Scalar) and isinstance(b, Scalar)):
        return False
    if isinstance(a, Scalar):
        return a.c == b.c and a.kind == b.kind and a.kind != "bits"
    if isinstance(a, Array):
        return a.n == b.n and same(a.of, b.of)
    if isinstance(a, Pointer):
        return a.const == b.const and same(a.to, b.to)
    return a is b


def spots(t, path, first=0, left=1):
    """Where a pointer may point: (type, first leaf, how many elements from there, the address as C)."""
    if isinstance(t, Bits):
        return
    yield t, first, left, f"&{path}"
    if isinstance(t, Array):
        size = len(t.of.leaves())
        for k in range(t.n):
            for n, (kind, at, count, text) in enumerate(spots(t.of, f"{path}[{k}]", first + k * size, t.n - k)):
                yield (kind, at, count, path if n == 0 and k == 0 else f"{path} + {k}" if n == 0 and k % 2 else text)
    elif isinstance(t, Struct):
        at = first
        for name, field in t.fields[:1] if t.union else t.fields:
            if not isinstance(field, Bits):
                yield from spots(field, f"{path}.{name}", at)
            at += len(field.leaves())
