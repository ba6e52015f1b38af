"""Sync points by other constructs: groups and loops of tasks, inner regions, ordered, atomic, and sync points that are the only statement
of an if, a loop or a switch. And where else a variable may be: static, threadprivate, or hidden while the region gives way."""
from types_of_c import Array, Pointer, SCALARS, Struct, UNSIGNED
from variables import Object


class Constructs:
    def threads(self):
        """(what comes before a region, its clauses): it has n threads."""
        pick = self.dice.random()
        if pick < 0.15:
            return ["ASK_FOR(n);"], ""
        return [], self.dice.choice([" num_threads(n + 0)"] * 4 + [" num_threads(n)"] * 3 + [" num_threads(asked(n))"] * 2 +
                                    [" num_threads(n) if(n > 0)", " if(parallel : one) num_threads(one ? n : 2)", " num_threads(n * one)", " default(shared) num_threads(n)"])

    def alone(self, loops=True):
        """What the next construct is the only statement of; sometimes nothing."""
        if self.chance(0.2):
            k = self.new("k")
            often = [f"for (int {k} = 0; {k} < two; {k}++)", f"for (int {k} = 0, *p_{k} = &{k}; *p_{k} < 2; ++*p_{k})"] if loops else []
            self.put(self.dice.choice(["if (one)", "if (!two) ; else", "switch (two) case 2:", "switch (one) default:", "for (int once_ = 0; once_ < one; once_++)", *often]))

    # ---- tasks ----

    def of_tasks(self):
        """Variables parts of which a task may set."""
        return [o for o in self.v.visible() if o.kind == "private" and not o.const and not o.busy and not o.register and not o.volatile and o.name and
                not o.varies and any(not isinstance(leaf, Pointer) for _, leaf in o.leaves)]

    def to_tasks(self, *but):
        """Variables that a task may read."""
        return [p for p in self.v.visible() if p not in but and p.kind in ("private", "uniform", "shared") and not p.busy and not p.register and not p.varies and
                p.is_set() and not p.has_pointers() and not (isinstance(p.type, Struct) and p.type.const)]

    def task_group(self):
        if not self.task_allowed:
            return
        self.wait_for_tasks()
        number = self.fresh_number() if self.walk and not self.walk.void and not self.walk.box else None
        choice = [o for o in self.of_tasks() if o is not number]
        some = self.dice.sample(choice, min(len(choice), self.dice.randint(1, 2))) or ([] if number else [self.fresh_number()])
        self.pragma("taskgroup")
        self.put("{")
        if number:
            self.pragma(f"task shared({number.name})")
            deep = "depth - 1" if self.mode == "procedure" else "one"
            self.put(f"  {number.name} = walk_{self.number}({self.walk_arguments(deep, self.argument(self.to_tasks(number, *some)), None)});")
        for o in some:
            self.task_that_sets(o, some + [number])
        self.put("}")
        if number:
            self.invoked = True
            number.set_all()

    def task_that_sets(self, o, but):
        self.pragma(f"task shared({o.name})")
        self.put("{")
        read, numbers = self.to_tasks(*but), [k for k, (_, leaf) in enumerate(o.leaves) if not isinstance(leaf, Pointer)]
        for k in self.dice.sample(numbers, min(len(numbers), self.dice.randint(1, 3))):
            suffix, leaf = o.leaves[k]
            self.put(f"  {o.name}{suffix} = {leaf.value(self.argument(read))};")
            o.state[k] = True
        self.put("}")

    def task_loop(self):
        if not self.task_allowed:
            return
        self.wait_for_tasks()
        n, i, read = self.dice.randint(2, 6), self.new("i"), self.to_tasks()
        more = self.dice.choice(["", "", " grainsize(2)", " num_tasks(2)", " untied"])
        if self.mode == "region" and self.chance(0.4):
            self.before_shared()
            o = self.shared(Array(self.dice.choice(SCALARS), n))
            self.alone()
            self.pragma("single")
            if self.chance(0.5):
                self.put("{")
                self.loop_of_tasks(o, f"{more}", n, i, [])
                self.put("}")
            else:
                self.loop_of_tasks(o, more, n, i, [])
            self.done_tasks()
            return self.publish(o)
        o = Object(self.name(), Array(self.dice.choice(SCALARS), n), self.v.depth())
        read = [p for p in read if p.name != o.name]
        self.put(f"{o.type.declare(o.name)};")
        self.v.add(o)
        added = self.new("r") if self.chance(0.3) else None
        if added:
            self.put(f"unsigned long {added} = {self.dice.randint(0, 9)};")
            more += f" reduction(+ : {added})"
        self.loop_of_tasks(o, f" shared({o.name}){more}", n, i, read, added)
        o.set_all()
        if added:
            self.put(f"sum = mix(sum, {added});")

    def loop_of_tasks(self, o, clauses, n, i, read, added=None):
        self.pragma(f"taskloop{clauses}")
        value = o.type.of.value(f"{self.argument(read) if read else self.expression(pure=True)} + (unsigned){i} * {self.dice.randint(2, 9)}u")
        self.put(f"for (int {i} = 0; {i} < {n}; {i}++) {{ {o.name}[{i}] = {value};{f' {added} += (unsigned){i} * 3u;' if added else ''} }}")

    # ---- a team ----

    def inner_region(self):
        """A thread makes a team of its own."""
        self.wait_for_tasks()
        o = self.dice.choice(self.of_tasks() or [self.fresh_number()])
        read, mine = self.to_tasks(o), self.new("mine")
        numbers = [k for k, (_, leaf) in enumerate(o.leaves) if not isinstance(leaf, Pointer)]
        k = self.dice.choice(numbers)
        suffix, leaf = o.leaves[k]
        self.pragma(f"parallel num_threads({self.dice.choice(['two', '2', 'one + one'])})")
        self.put("{")
        self.put(f"  unsigned {mine}[2] = {{{self.argument(read)}, {self.argument(read)}}};")
        if self.chance(0.6):
            self.pragma("barrier")
        self.pragma("single")
        self.put(f"  {o.name}{suffix} = {leaf.value(f'{mine}[1] + {mine}[0] * 3u')};")
        self.put("}")
        o.state[k] = True

    def ordered(self):
        self.before_shared()
        n, i = self.dice.randint(2, 5), self.new("i")
        o = self.shared(Array(self.dice.choice(SCALARS), n))
        value = o.type.of.value(f"{self.expression(pure=True)} + (unsigned){i} * {self.dice.randint(2, 9)}u")
        self.alone()
        self.pragma(f"for ordered schedule({self.dice.choice(['static', 'static, 1', 'dynamic'])})")
        self.put(f"for (int {i} = 0; {i} < {n}; {i}++)")
        self.pragma("ordered")
        self.put(f"{o.name}[{i}] = {value};")
        self.publish(o)
        self.done_tasks()

    def atomic(self):
        self.pragma(self.dice.choice(["atomic", "atomic update"]))
        self.put(f"*total += (sum_t)({self.expression()});")
        if self.chance(0.5):
            self.barrier()

    def static_local(self):
        self.before_shared()
        o = Object(self.new("fixed"), self.dice.choice([UNSIGNED, Array(UNSIGNED, 3), self.dice.choice(SCALARS)]), self.v.depth(), "shared")
        self.put(f"static {o.type.declare(o.name)};")
        self.alone()
        self.pragma("single")
        self.set_shared(o)
        self.done_tasks()
        o.set_all()
        self.v.add(o)

    def thread_private(self):
        """Each thread's own, of file scope: it has no address here, and no task has it."""
        o = Object(self.new("own"), self.dice.choice([UNSIGNED, Array(UNSIGNED, 2), self.dice.choice(SCALARS)]), self.v.depth())
        self.functions += [f"static {o.type.declare(o.name)};", f"#pragma omp threadprivate({o.name})"]
        o.register = True
        for suffix, leaf in o.leaves:
            self.put(f"{o.name}{suffix} = {leaf.value(self.expression())};")
        o.set_all()
        self.v.add(o)
        self.barrier()

    # ---- names ----

    def hidden(self):
        """A number of which no address is known, and at a sync point its name means something else."""
        if self.depth > 3:
            return
        self.wait_for_tasks()
        o = Object(self.name(), self.dice.choice(SCALARS), self.v.depth())
        self.v.hide(o.name)
        o.register = True  # nobody may take its address
        value = o.type.value(self.expression())
        self.put(f"{o.type.declare(o.name)} = {value};" if self.chance(0.7) else f"{o.type.declare(o.name)}; {o.name} = {value};")
        o.set_all()
        self.v.add(o)
        pick = self.dice.random()
        if pick < 0.15:
            self.put(f"for (int {o.name} = 0; {o.name} < {self.dice.choice(['two', '1', '3'])}; {o.name}++)")
        self.put("{")
        self.depth += 1
        self.v.open(loop=pick < 0.15)
        inner = Object(o.name, self.dice.choice(SCALARS), self.v.depth())
        if pick < 0.15:
            self.v.hide(o.name)
        elif pick < 0.25:
            self.put(f"enum {{ {o.name} = {self.dice.randint(0, 9)} }};")
            self.v.hide(o.name)
        elif pick < 0.35:
            self.put(f"typedef {o.type.c} {o.name}; {o.name} {o.name}_of = {o.type.value('3u')};")
            self.put(f"sum = mix(sum, {o.type.read(o.name + '_of')});")
            self.v.hide(o.name)
        else:
            if pick < 0.5:
                inner = Object(o.name, self.type(), self.v.depth())
                inner.type, inner.leaves = (Array(UNSIGNED, 2), Array(UNSIGNED, 2).leaves()) if inner.has_pointers() or isinstance(inner.type, Struct) else (inner.type, inner.leaves)
                inner.state = [None] * len(inner.leaves)
            self.v.hide(o.name)
            text = self.braces(inner.type)
            self.put(f"{inner.type.declare(inner.name)} = {text};")
            inner.set_all()
            inner.register = self.chance(0.5) or not isinstance(inner.type, Array)
            self.v.add(inner)
        self.sync()
        for _ in range(self.dice.randint(0, 2)):
            self.statement()
        self.close()
        self.depth -= 1
        self.put("}")
        self.put(f"sum = mix(sum, {o.type.read(o.name)});")
