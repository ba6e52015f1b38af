"""What a statement does with variables: sets parts of them or all, reads them by name or through a pointer."""
from types_of_c import Array, Pointer, Scalar, Struct, same
from variables import Fact, usable_pointer


class Setting:
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
