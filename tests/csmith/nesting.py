"""Blocks: in loops, branches, switches, and between a goto and its label."""
from types_of_c import INT, Scalar
from variables import Object


class Nesting:
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
