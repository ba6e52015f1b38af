"""Tasks that work with variables of whoever makes them, and calls of procedures."""
import re

from types_of_c import Array, INT, LONG, Pointer, Struct, UNSIGNED, same
from variables import Fact, Object, plain_integer


class Tasking:
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
        invokes = self.walk and self.chance(0.75 if self.mode == "procedure" else 0.4)
        if invokes and not self.walk.void:
            choice = [o for o in choice if plain_integer(o)] or [self.fresh_number()]
        if not choice:
            return
        o = self.dice.choice(choice)
        read = [p for p in self.v.visible() if p is not o and p.kind in ("private", "uniform", "shared") and not p.busy and not p.register and not p.varies and p.is_set()
                and not p.has_pointers() and not (isinstance(p.type, Struct) and p.type.const)]
        numbers = [k for k, (_, l) in enumerate(o.leaves) if not isinstance(l, Pointer)]
        if invokes:
            self.invoked = True
            deep = "depth - 1" if self.mode == "procedure" else self.dice.choice(["one", "two"])
            box = self.box_for_call(o)
            shared = ([o.name] if not self.walk.void else []) + ([box[1].name] if box else [])
            arguments = self.walk_arguments(deep, self.argument([p for p in read if not box or p is not box[1]]), box)
            self.pragma(f"task shared({', '.join(shared)})" if shared else "task")
            self.put(f"{'' if self.walk.void else o.name + ' = '}walk_{self.number}({arguments});")
            if box:
                box[1].busy = True
            if self.walk.void:
                return
            o.state[0] = True
        elif self.walk and self.mode == "region" and not self.walk.void and not self.walk.box and self.chance(0.3):
            inner, keep, q = self.new("inner"), self.new("keep"), self.new("q")
            k = self.dice.choice(numbers)
            self.pragma(f"task shared({o.name})")
            self.put("{")
            self.put(f"  unsigned {inner} = 0, {keep}[2] = {{{self.argument(read)}, {self.argument(read)}}}, *{q} = {keep};")
            self.pragma(f"task shared({inner})")
            self.put(f"  {inner} = walk_{self.number}({self.walk_arguments('one', self.argument(read), None)});")
            self.pragma("taskwait")
            self.put(f"  {o.name}{o.leaves[k][0]} = {o.leaves[k][1].value(f'{inner} + {q}[1] + {keep}[0]')};")
            self.put("}")
            o.state[k] = True
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

    def fresh_number(self):
        o = Object(self.name(), self.dice.choice([UNSIGNED, UNSIGNED, LONG, INT]), self.v.depth())
        self.put(f"{o.type.declare(o.name)};")
        return self.v.add(o)

    def box_for_call(self, not_this=None):
        """(C, variable) of three numbers that the procedure may change; None: it takes none."""
        if not self.walk.box:
            return None
        found = self.v.address(UNSIGNED, False, full=True, least=3) if self.chance(0.5) else None
        if found and found[1].target is not not_this and not found[1].target.varies and found[1].target.name:
            return found[0], found[1].target
        o = Object(self.new("box"), Array(UNSIGNED, self.dice.randint(3, 4)), self.v.depth())
        self.put(f"{o.type.declare(o.name)} = {self.braces(o.type)};")
        o.set_all()
        self.v.add(o)
        return self.dice.choice([o.name, f"{o.name} + {o.type.n - 3}"]), o

    def walk_arguments(self, depth, number, box):
        more = [box[0]] if box else []
        if self.walk.by_value:
            t = self.walk.by_value
            mine = [p for p in self.v.visible() if same(p.type, t) and p.kind == "private" and p.is_set() and not p.busy and not p.volatile]
            more.append(self.dice.choice(mine).name if mine and self.chance(0.6) and not box else f"({t.declare('').strip()}){self.pure_braces(t)}"
                        if isinstance(t, Struct) else t.value(f"{self.dice.randint(1, 99)}u"))
        return ", ".join([depth, number, *more])

    def call(self):
        """The instance itself calls the procedure."""
        if not self.walk or not self.task_allowed or any(o.busy for o in self.v.alive()):
            return
        deep = "depth - 1" if self.mode == "procedure" else self.dice.choice(["one", "two"])
        box = self.box_for_call()
        arguments = self.walk_arguments(deep, self.expression(), box)
        text = f"walk_{self.number}({arguments});"
        pick = self.dice.random()
        if self.walk.void:
            self.put(text)
        elif pick < 0.4:
            o = Object(self.name(), UNSIGNED, self.v.depth())
            if re.search(rf"\b{o.name}\b", text):
                return
            self.put(f"unsigned {o.name} = {text}")
            o.set_all()
            self.v.add(o)
        else:
            at = self.v.place(write=True, want=lambda at: at.object and at.type.kind == "int" and at.type.mask is None)
            if at:
                self.put(f"{at.text} = {text}")
                at.object.state[at.index] = True

    def early_return(self):
        if self.mode == "procedure" and not any(o.busy for o in self.v.alive()):
            self.put(f"if (id % {self.dice.randint(3, 9)} == 2) return{'' if self.walk.void else ' (unsigned)sum'};")

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
