"""Programs that aim at the lifetimes of variables: declared, set in part, pointed to, handed on, and read again behind sync
points, in blocks, loops and switches, under names that hide each other. Each is a function of C; its sums are the same
compiled with -fopenmp and, called once for each id, without (harness.h)."""
import random
import re

from constructs import Constructs
from declaring import Declaring
from nesting import Nesting
from setting import Setting
from syncing import Syncing
from tasking import Tasking
from types_of_c import Array, Bits, INT, LONG, Pointer, SCALARS, Scalar, Struct, UNSIGNED
from variables import Fact, Object, Variables



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


class Program(Declaring, Setting, Nesting, Syncing, Tasking, Constructs):
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
        self.walk = None  # a procedure that may be called
        self.invoked = False  # by a task
        self.orphaned = False  # the sync points are in a function that the region calls

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
            if not plain:
                ways.append((self.hidden, 0.8))
        if self.walk:
            ways.append((self.call, 0.15 if self.mode == "procedure" else 1.5))
            ways.append((self.early_return, 0.3))
        self.dice.choices([w for w, _ in ways], [n for _, n in ways])[0]()

    # ---- whole programs ----

    def given(self):
        """Variables of the function that a region has by clause, or shares: (clauses, what is before, what is behind)."""
        clauses, before, behind = [], [], []
        self.v.open()
        self.parameters = []
        if self.orphaned:
            return clauses, before, behind
        if self.chance(0.3):
            self.take_parameters(clauses, before)
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

    def take_parameters(self, clauses, before):
        """An array that is a pointer, a structure by value, a text; and a pointer that all threads, or each, have."""
        if self.chance(0.7):
            o = Object("given", Array(self.dice.choice([INT, UNSIGNED, LONG]), 4), 0, "shared")
            o.set_all()
            o.parameter = True
            self.parameters.append((f"{o.type.of.c} given[4]", f"({o.type.of.c}[4]){self.pure_braces(o.type)}"))
            self.v.add(o)
            if self.chance(0.5):
                p = Object(self.new("g"), Pointer(o.type.of, True), 0, self.dice.choice(["shared", "private"]))
                k = self.dice.randint(0, 2)
                p.state = [Fact(o, k, 4 - k, False, 0)]
                before.append(f"const {o.type.of.c} *{p.name} = given + {k};")
                if p.kind == "private":
                    clauses.append(f"firstprivate({p.name})")
                self.v.add(p)
        if self.chance(0.5):
            t = self.dice.choice([t for t in self.structs if not any(isinstance(l, Pointer) for _, l in t.leaves())] + SCALARS[:3])
            o = Object("value", t, 0, self.dice.choice(["shared", "private"]), const=isinstance(t, Struct) and t.const)
            o.set_all()
            self.parameters.append((t.declare("value"), f"({t.declare('').strip()}){self.pure_braces(t)}" if isinstance(t, Struct) else "77"))
            if o.kind == "private":
                clauses.append("firstprivate(value)")
            self.v.add(o)
        if self.chance(0.3):
            hidden = Object("", Array(Scalar("char", "char", mask="127u"), 7), 0, "shared", const=True)
            hidden.set_all()
            o = Object("text", Pointer(Scalar("char", "char", mask="127u"), True), 0, "shared")
            o.state = [Fact(hidden, 0, 7, False, 0)]
            self.parameters.append(("const char *text", '"einkorn"'))
            self.v.add(o)

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
        self.orphaned = self.chance(0.12)
        clauses, before, behind = self.given()
        threads, asked = self.threads()
        self.budget = self.dice.choice([6, 10, 14, 20, 30])
        outer_scope = self.v.scopes[0]
        self.v.open()
        self.v.hide("id"), self.v.hide("sum")
        body_at = len(self.lines)
        while self.budget > 0:
            self.statement()
        if not self.syncs:
            self.sync()
        self.wait_for_tasks()
        self.read(3)
        for o in [o for o in self.v.visible() if o.kind == "pile"]:
            self.total_of(o)
        self.close()
        body, self.lines = self.lines[body_at:], self.lines[:body_at]
        if self.chance(0.2):
            self.dice.shuffle(clauses)
        if self.orphaned:
            return self.orphan(body, threads, asked)
        types = "".join(f", {declared}" for declared, _ in self.parameters)
        out = [f"static void {'part_' + str(self.number) if types else name}(int n, sum_t *out, sum_t *total{types}) {{"]
        out += ["  (void)total;"] + [f"  {line}" for line in before + self.top + threads]
        if asked and self.chance(0.5):
            clauses.insert(self.dice.randint(0, len(clauses)), asked[1:])
        else:
            clauses.insert(0, asked[1:])
        out.append(f"#pragma omp parallel {' '.join(c for c in clauses if c)}")
        out += ["  {", f"  {'const int' if self.chance(0.5) else 'int'} id = ME;", f"  sum_t sum = mix({self.number}, (unsigned)id);"]
        out += body + ["  out[id] = sum;", "  }"] + [f"  {line}" for line in behind] + ["}"]
        if types:
            out += [f"static void {name}(int n, sum_t *out, sum_t *total) {{",
                    f"  part_{self.number}(n, out, total{''.join(f', {value}' for _, value in self.parameters)});", "}"]
        return self.functions + out

    def orphan(self, body, threads, asked):
        """The sync points are in a function, which each thread calls once or twice."""
        out = [f"static {line}" for line in self.top]
        out += [f"static sum_t orphan_{self.number}(int n, int id, sum_t *total) {{", "  (void)total;", f"  sum_t sum = mix({self.number}, (unsigned)id);", *body, "  return sum;", "}"]
        out += [f"static void case_{self.number}(int n, sum_t *out, sum_t *total) {{", *(f"  {line}" for line in threads), f"#pragma omp parallel{asked}", "  {",
                "  int id = ME;", f"  sum_t sum = orphan_{self.number}(n, id, total);"]
        if self.chance(0.3):
            out += ["#pragma omp barrier", f"  sum = mix(sum, orphan_{self.number}(n, id, total));"]
        return self.functions + out + ["  out[id] = sum;", "  }", "}"]

    def make_procedure(self):
        """A recursion that makes tasks and waits for them: its lines."""
        self.mode, self.walk = "procedure", self
        self.box, self.by_value, self.void = self.chance(0.4), None, False
        self.void = self.box and self.chance(0.4)
        if self.chance(0.3):
            self.by_value = self.dice.choice([t for t in self.structs if not any(isinstance(l, Pointer) for _, l in t.leaves())] + [SCALARS[8], SCALARS[13]])
        self.budget = self.dice.choice([5, 8, 12, 18])
        self.v.open()
        for name in ("id", "sum", "depth"):
            self.v.hide(name)
        parameters = ["int depth", "unsigned id"]
        if self.box:
            hidden = Object("", Array(UNSIGNED, 3), 0)
            hidden.set_all()
            o = Object("box", Pointer(UNSIGNED), 0)
            o.state = [Fact(hidden, 0, 3, True, 0)]
            self.v.add(o)
            self.v.scopes[0].objects.append(hidden)
            parameters.append(self.dice.choice(["unsigned *box", "unsigned box[3]"]))
        if self.by_value:
            o = Object("value", self.by_value, 0, const=isinstance(self.by_value, Struct) and self.by_value.const)
            o.set_all()
            self.v.add(o)
            parameters.append(self.by_value.declare("value"))
        if self.chance(0.8):
            self.v.open()
        while self.budget > 0:
            self.statement()
        for _ in range(5):
            if not self.invoked:
                self.make_task()
        self.wait_for_tasks()
        self.read(3)
        at = self.v.place(write=True, only=[o for o in self.v.visible() if o.name == "box" and isinstance(o.type, Pointer) and not o.busy])
        if at and at.state() is not None and at.type.c == "unsigned":
            self.put(f"{at.text} += (unsigned)(sum >> 9);")
        while self.v.scopes:
            self.close()
        first = "box[0] += id;" if self.box else ""
        leaf = f"{{ {first} return{'' if self.void else ' id * 3u + 1u'}; }}" if first or self.void else "return id * 3u + 1u;"
        return [f"static {'void' if self.void else 'unsigned'} walk_{self.number}({', '.join(parameters)}) {{", f"  if (depth <= 0) {leaf}",
                f"  sum_t sum = mix({self.number}, id);", *self.lines, *([] if self.void else ["  return (unsigned)(sum >> 20);"]), "}"]

    def procedure(self):
        out = self.make_procedure()
        by_pointer = self.chance(0.5)
        more = (", box" if self.box else "") + (", " + (f"({self.by_value.declare('').strip()}){self.pure_braces(self.by_value)}"
                                                        if isinstance(self.by_value, Struct) else "5") if self.by_value else "")
        call = f"walk_{self.number}(two, {self.dice.randint(1, 99)}u{more})"
        threads, asked = self.threads()
        out += [f"static void case_{self.number}(int n, sum_t *out, sum_t *total) {{", "  (void)total; (void)n;", *threads, f"#pragma omp parallel{asked}", "  {" if by_pointer else "", "#pragma omp single", "  {",
                "    unsigned box[3] = {1, 2, 3};" if self.box else "", f"    {call};" if self.void else f"    unsigned got = {call};",
                "    out[0] = " + " + ".join((["box[0]", "box[1] * 3"] if self.box else []) + ([] if self.void else ["got"])) + ";", "  }",
                "  }" if by_pointer else "", "}"]
        return [line for line in out if line]


def program(seed, number, structs):
    """C of a program."""
    made = Program(seed, number, structs)
    if made.dice.random() < 0.25:
        return made.procedure()
    if made.dice.random() < 0.2:  # with a procedure that it calls
        made.walk = Program(f"{seed} walk", number, structs)
        made.functions = made.walk.make_procedure()
    return made.region()
