"""Programs whose C csmith makes: its functions work on globals that each thread has of its own, and between their statements,
at any depth, there are sync points. Where the blocks allow it, inner variables get the names of outer ones."""
import functools
import random
import re
import subprocess
import tempfile

INTEGER = r"(?:u?int(?:8|16|32|64)_t)"
QUALIFIED = r"(?:(?:const|volatile)\s+)*"


class Unmade(Exception):
    pass


def made_by_csmith(dice):
    options = ["--seed", str(dice.randrange(1, 1 << 31)), "--nomain", "--no-checksum", "--no-packed-struct", "--no-argc",
               "--max-funcs", dice.choice("11222334"), "--max-block-size", dice.choice("2334"), "--max-block-depth", dice.choice("1223"),
               "--max-array-dim", dice.choice("112"), "--max-array-len-per-dim", dice.choice("345"), "--max-struct-fields", dice.choice("235"),
               "--max-union-fields", "3", "--max-expr-complexity", dice.choice("1234"), "--max-pointer-depth", dice.choice("122")]
    if dice.random() < 0.7:
        options += ["--no-volatiles", "--no-volatile-pointers"]
    for option, chance in ("--no-consts", 0.3), ("--no-unions", 0.3), ("--no-bitfields", 0.3), ("--no-jumps", 0.3), ("--no-structs", 0.2):
        if dice.random() < chance:
            options.append(option)
    try:
        with tempfile.TemporaryDirectory(prefix="einkorn-csmith-") as folder:  # it writes a file there
            done = subprocess.run(["csmith", *options], cwd=folder, capture_output=True, text=True, timeout=20)
    except FileNotFoundError:
        raise SystemExit("csmith is not installed (./dev test installs what the tests need)") from None
    except subprocess.TimeoutExpired:
        raise Unmade("csmith does not end") from None
    if done.returncode != 0:
        raise Unmade(f"csmith: status {done.returncode}")
    return re.sub(r"/\*.*?\*/", lambda m: m[0] if re.match(r"/\* --- [A-Z]", m[0]) else "", done.stdout, flags=re.S)


def between(text, begin, end):
    at = text.index(begin) + len(begin)
    to = text.find(end, at) if end else -1
    return text[at:to if to >= 0 else len(text)]


class Body:
    """One function: its head, and the lines between its braces."""

    def __init__(self, head, lines):
        self.head, self.lines = head, lines


def functions_of(text):
    out, lines, k = [], [line.rstrip() for line in text.splitlines() if line.strip()], 0
    while k < len(lines):
        if lines[k].startswith("static") and re.search(r"\bfunc\d*_", lines[k]):
            head, body = lines[k], []
            k += 2  # its brace
            while lines[k] != "}":
                body.append(lines[k])
                k += 1
            out.append(Body(head, body))
        k += 1
    return out


DECLARATION = re.compile(rf"^\s*{QUALIFIED}(?:{INTEGER}|float|struct \w+|union \w+|int)\s[^=(;]*(?:=.*)?;$")
LOCAL = re.compile(r"\bl_\d+\b")


def blocks_of(lines):
    """(first, last) of each block between braces, inner ones first."""
    open_, out = [], []
    for k, line in enumerate(lines):
        word = line.strip()
        if word == "{":
            open_.append(k)
        elif word == "}":
            out.append((open_.pop(), k))
    return out


def shadowed(body, dice):
    """Inner variables get names of outer ones that the inner block does not use."""
    for first, last in blocks_of(body.lines):
        inner = [(k, m[0]) for k in range(first + 1, last) if DECLARATION.match(body.lines[k]) for m in [LOCAL.search(body.lines[k].split("=")[0])] if m]
        text = "\n".join(body.lines[first:last])
        outer = sorted({m[0] for k in range(first) if DECLARATION.match(body.lines[k]) for m in [LOCAL.search(body.lines[k].split("=")[0])] if m and around(body.lines, k, first)})
        outer += re.findall(r"\bp_\d+\b", body.head)
        outer = [name for name in outer if not re.search(rf"\b{name}\b", text)]
        for _, name in inner:
            if outer and dice.random() < 0.6 and len(re.findall(rf"\b{name}\b", "\n".join(body.lines))) == len(re.findall(rf"\b{name}\b", text)):
                new = outer.pop(dice.randrange(len(outer)))
                for k in range(first, last):
                    body.lines[k] = re.sub(rf"\b{name}\b", new, body.lines[k])
                text = "\n".join(body.lines[first:last])


def around(lines, k, at):
    """Does the block in which line k stands go on at line `at`?"""
    depth = 0
    for line in lines[k:at]:
        depth += (line.strip() == "{") - (line.strip() == "}")
        if depth < 0:
            return False
    return True


def points(lines):
    """Before which lines a statement may be put."""
    out, before = [], "{"
    for k, line in enumerate(lines):
        word = line.strip()
        if before.endswith((";", "}", "{")) and not word.startswith(("else", "{", "}", "lbl_")) and not DECLARATION.match(line):
            out.append(k)
        before = word
    return out


def scalars_at(lines, at):
    """Locals of integer type that have a value there."""
    found = []
    for k in range(at):
        m = re.match(rf"^\s*(?!.*volatile){QUALIFIED}{INTEGER} (l_\d+) = ", lines[k])
        if m and around(lines, k, at):
            found = [f for f in found if f != m[1]] + [m[1]]
        elif DECLARATION.match(lines[k]) and around(lines, k, at):
            hidden = LOCAL.search(lines[k].split("=")[0])
            if hidden:
                found = [f for f in found if f != hidden[0]]
    return found


class Program:
    def __init__(self, seed, number):
        self.dice = random.Random(f"csmith {seed} {number}")
        self.number = number
        self.text = made_by_csmith(self.dice)
        self.count = 0

    def renamed(self, text):
        text = re.sub(r"\b(struct S|union U)(\d+)\b", rf"\g<1>{self.number}_\2", text)
        return re.sub(r"\bfunc_(\d+)\(", rf"func{self.number}_\1(", text)

    def read(self):
        text = self.renamed(self.text)
        self.types = between(text, "/* --- Struct/Union Declarations --- */", "/* --- GLOBAL").replace("#pragma pack(push)", "").strip()
        self.globals = []
        for line in between(text, "/* --- GLOBAL VARIABLES --- */", "/* --- FORWARD").splitlines():
            line = line.strip()
            if not line:
                continue
            m = re.match(r"^static (.*?\bg_\d+(?:\[\d+\])*)(?: = (.*))?;$", line)
            if not m:
                raise Unmade(f"a global: {line}")
            self.globals.append((m[1], re.search(r"\bg_\d+\b", m[1])[0], m[2]))
        self.functions = functions_of(between(text, "/* --- FUNCTIONS --- */", None))
        if not self.functions:
            raise Unmade("no function")

    def with_globals(self, line, how):
        line = re.sub(r"\bg_(\d+)\b", rf"{how}g_\1", line)
        line = re.sub(rf"\b(func{self.number}_\d+\()(\))?", lambda m: m[1] + ("G)" if m[2] else "G, "), line)
        return line

    def head(self, body):
        m = re.match(rf"^(static .*?)(func{self.number}_\d+)\((.*)\)$", body.head)
        if not m:
            raise Unmade(f"a head: {body.head}")
        parameters = "" if m[3] == "void" else f", {m[3]}"
        return f"{m[1]}{m[2]}(struct globals_{self.number} *G{parameters})"

    def initial(self):
        parts = [f".{name} = " + re.sub(r"&(g_\d+)", r"&g.\1", init) for _, name, init in self.globals if init is not None]
        return f"struct globals_{self.number} g = {{{', '.join(parts)}}};"

    def checked(self):
        """Sums of the globals."""
        out = []
        for declared, name, _ in self.globals:
            m = re.match(rf"^{QUALIFIED}({INTEGER}) g_\d+((?:\[\d+\])*)$", declared)
            if m and "volatile" not in declared:
                out.append(f"sum = mix_bytes(sum, &g.{name}, sizeof g.{name});")
            elif m and not m[2]:
                out.append(f"sum = mix(sum, (uint64_t)g.{name});")
            s = re.match(rf"^{QUALIFIED}struct (S{self.number}_\d+) g_\d+$", declared)
            if s:
                fields = between(self.types, f"struct {s[1]} {{", "};")
                for field in re.findall(rf"^\s*{QUALIFIED}(?:{INTEGER}|signed|unsigned)\s+(f\d+)(?: : \d+)?;$", fields, re.M):
                    out.append(f"sum = mix(sum, (uint64_t)g.{name}.{field});")
        return out

    # ---- sync points ----

    def team_sync(self, lines, at):
        """Statements that all threads of a team meet."""
        self.count += 1
        pick = self.dice.random()
        if pick < 0.55:
            out = ["#pragma omp barrier"]
        elif pick < 0.7:
            out = ["#pragma omp single", f"G->shared[{self.count % 8}] = {self.count};"]
        elif pick < 0.85:
            out = [f"#pragma omp for schedule(static{', 1' if self.dice.random() < 0.5 else ''})",
                   f"for (int q{self.count} = own_first; q{self.count} < G->n; q{self.count} += own_step) G->sum = mix(G->sum, (unsigned)q{self.count});"]
        elif pick < 0.93:
            out = ["#pragma omp sections", "{", "#pragma omp section", f"G->shared[{self.count % 8}] = {self.count};", "#pragma omp section",
                   f"G->shared[{(self.count + 1) % 8}] = {self.count};", "}"]
        else:
            out = ["#pragma omp critical", "G->sum = mix(G->sum, 5);", "#pragma omp barrier"]
        return out + self.look(lines, at)

    def task_sync(self, lines, at):
        self.count += 1
        slot = f"task{self.count}"
        out = [f"unsigned {slot} = 0;", f"#pragma omp task shared({slot})", f"{slot} = tree({self.dice.randint(1, 2)}, {self.dice.randint(1, 99)}u);"]
        seen = scalars_at(lines, at)
        if seen and self.dice.random() < 0.5:
            out[-1] = f"{slot} = tree({self.dice.randint(1, 2)}, (unsigned){self.dice.choice(seen)});"
        out += ["#pragma omp taskwait", f"G->sum = mix(G->sum, {slot});"] + self.look(lines, at)
        return ["{", *out, "}"] if self.dice.random() < 0.6 else out

    def look(self, lines, at):
        seen = scalars_at(lines, at)
        return [f"G->sum = mix(G->sum, (uint64_t){self.dice.choice(seen)});"] if seen and self.dice.random() < 0.6 else []

    def insert(self, body, how, most, top_only=False):
        """Lines with sync points between statements."""
        lines = list(body.lines)
        where = [k for k in points(lines) if not top_only or not any(first < k < last for first, last in blocks_of(lines))]
        for k in sorted(self.dice.sample(where, min(len(where), self.dice.randint(1, most))), reverse=True):
            new = how(lines, k)
            pad = lines[k][:len(lines[k]) - len(lines[k].lstrip())]
            lines[k:k] = [line if line.startswith("#") else pad + line for line in new]
        return lines

    # ---- whole programs ----

    def lines(self):
        self.read()
        for body in self.functions:
            if self.dice.random() < 0.7:
                shadowed(body, self.dice)
        mode = self.dice.choices(["region", "orphan", "procedure"], [5, 1.5, 2])[0]
        out = [line for line in self.types.splitlines() if line.strip()]
        fields = "; ".join(declared for declared, _, _ in self.globals)
        out += [f"struct globals_{self.number} {{ {fields + ';' if fields else ''} sum_t sum; int n; int *shared; }};"]
        main = self.functions[0]
        heads = {body: self.head(body) for body in self.functions}
        out += [f"{head};" for head in heads.values()]
        how = self.task_sync if mode == "procedure" else self.team_sync
        for body in self.functions[1:] if mode == "region" else self.functions:
            lines = self.insert(body, how, 4) if mode != "region" else body.lines
            out += [heads[body], "{", *(self.with_globals(line, "G->") for line in lines), "}"]
        kind = re.match(rf"^static (?:inline )?(.*?)\s*func{self.number}_1\(", main.head)[1]
        returned = bool(re.match(rf"^{QUALIFIED}{INTEGER}$", kind))
        asked = self.dice.choice([" num_threads(n + 0)", " num_threads(n)", " num_threads(asked(n))", ""])
        out += [f"static void case_{self.number}(int n, sum_t *out, sum_t *total) {{", "  (void)total;", "  int shared[8] = {0};",
                *([] if asked else ["  ASK_FOR(n);"]), f"#pragma omp parallel{asked}"]
        if mode == "procedure":
            out.append("#pragma omp single")
        out += ["  {", f"  int id = {'0' if mode == 'procedure' else 'ME'};", f"  sum_t sum = {self.number};", f"  {self.initial()}",
                f"  struct globals_{self.number} *G = &g;", "  g.n = n, g.shared = shared;"]
        if mode == "region":
            out += self.region(main, kind, returned)
        else:
            call = f"func{self.number}_1(G)"
            out.append(f"  {kind.replace('const ', '')} got = {call};" if returned else f"  {call};")
            if returned:
                out.append("  sum = mix(sum, (uint64_t)got);")
        out += [f"  {line}" for line in self.checked()] + ["  sum = mix(sum, g.sum);", "  out[id] = sum;", "  }", "}"]
        return out

    def region(self, main, kind, returned):
        jumps = any(re.search(r"\b(return|goto)\b", line) and line.startswith("     ") or "goto" in line for line in main.lines)
        by_id = not jumps and self.dice.random() < 0.7
        out = []
        if by_id:
            for declared, name, _ in self.globals:
                if re.match(rf"^{INTEGER} g_\d+$", declared) and self.dice.random() < 0.7:
                    out.append(f"  g.{name} += id;")
        lines = self.insert(main, self.team_sync, 8, top_only=by_id)
        done, name = f"done_{self.number}", f"got_{self.number}"
        if returned:
            out.append(f"  {kind.replace('const ', '')} {name} = 0;")
        left = False
        for line in lines:
            m = re.match(r"^(\s*)return (.*);$", line)
            if m:
                left = True
                line = f"{m[1]}{{ {name + ' = ' if returned else '(void)'}({m[2]}); goto {done}; }}"
            out.append("  " + self.with_globals(line, "G->") if not line.startswith("#") else self.with_globals(line, "G->"))
        if left and re.search(r"goto done_\d+; }$", out[-1]) and sum(f"goto {done}" in line for line in out) == 1:
            out[-1] = out[-1].replace(f" goto {done};", "")
        elif left:
            out.append(f"  {done}:;")
        if returned:
            out.append(f"  sum = mix(sum, (uint64_t){name});")
        return out


@functools.lru_cache(200)  # of a file that is made again without what does not end
def program(seed, number):
    """C of a program. Where csmith or what is made of it is not as expected, the next throw of the dice."""
    for again in range(20):
        try:
            return Program(f"{seed}.{again}" if again else seed, number).lines()
        except Unmade:
            continue
    raise SystemExit(f"csmith mode: no program {number} of seed {seed}")
