"""The sync points of a region, and what is shared around them."""
from types_of_c import Array, INT, LONG, SCALARS, Scalar, Struct, UNSIGNED, same
from variables import Object

SCHEDULES = ["static", "static, 1", "static, 3", "dynamic", "dynamic, 2", "guided", "runtime", "auto"]


class Syncing:
    def sync(self):
        self.syncs += 1
        if self.mode == "procedure":
            pick = self.dice.random()
            if pick < 0.12:
                self.task_group()
            elif pick < 0.22:
                self.task_loop()
            else:
                self.make_task()
                if self.chance(0.7):
                    self.wait_for_tasks(always=True)
        else:
            ways = [(self.barrier, 5), (self.single, 2), (self.copyprivate, 1.5), (self.own_loop, 2.5), (self.pure_loop, 1.5), (self.pile_loop, 1.2),
                    (self.sections, 0.7), (self.master, 0.8), (self.critical, 0.7), (self.task_and_wait, 1.0), (self.linear, 0.2), (self.pointer_of_single, 0.3),
                    (self.task_group, 0.5), (self.task_loop, 0.6), (self.inner_region, 0.4), (self.ordered, 0.4), (self.atomic, 0.6),
                    (self.static_local, 0.4), (self.thread_private, 0.2)]
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
        self.alone()
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
        if not outside and self.chance(0.15):
            only = self.new("i")
            self.put(self.dice.choice([f"for (int {only} = 0; {only} < two; {only}++)", "if (one)", "if (two) ; else"]) if not nowait else "if (one)")
            if self.lines[-1].endswith("else"):
                self.lines[-1] = self.lines[-1].replace("two", "!two")
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
            if self.in_loop() or self.orphaned:
                clauses, added = clauses[:clauses.index(" reduction")], None
                lines.pop()
        self.v.close()
        self.alone(loops=False)
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
        self.alone()
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
        if self.orphaned:  # gcc 12 fails within itself
            return self.barrier()
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
