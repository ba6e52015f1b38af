"""Tasks that are ordered by depend: each kind of dependence, depend objects, iterators, waits for some of them."""
from blocks import added, construct, expression
from model import MASK, Node, mix
from tasking import clauses_of, fit

KINDS = ["in", "in", "out", "inout", "inout", "mutexinoutset", "inoutset"]


class Graph:
    """Tasks on the elements of an array; what each does is right in any order that the dependences allow, and in no other."""

    def __init__(self, place, elements):
        self.place, self.program = place, place.program
        self.array, self.elements = self.program.name("x"), elements
        self.steps, self.objects = [], {}

    def items(self):
        chosen = self.place.rng.sample(range(self.elements), self.place.rng.randint(1, min(3, self.elements)))
        return [(self.place.rng.choice(KINDS), e) for e in chosen]

    def depends(self, items):
        """The clauses of a list of dependences, now and then by an object or an iterator."""
        clauses, before, after = [], [], []
        for kind, e in items:
            word = "INOUTSET" if kind == "inoutset" else kind
            element = f"{self.array}[{e}]"
            if kind != "inoutset" and self.place.chance(0.1):
                name = self.program.name("o")
                first = self.place.pick(kind, "in", "inout")
                before += ["omp_depend_t " + name + ";", f"#pragma omp depobj({name}) depend({first}: {element})"]
                if first != kind:
                    before.append(f"#pragma omp depobj({name}) update({kind})")
                after.append(f"#pragma omp depobj({name}) destroy")
                clauses.append(f"depend(depobj: {name})")
            elif self.place.chance(0.1):
                clauses.append(f"depend(iterator(it = {e}:{e + 1}), {word}: {self.array}[it])")
            elif self.place.chance(0.1):
                clauses.append(f"depend({word}: {self.array}[{e}:1])")
            else:
                clauses.append(f"depend({word}: {element})")
        ins = sorted(e for kind, e in items if kind == "in")
        if len(ins) > 1 and ins[-1] - ins[0] == len(ins) - 1 and self.place.chance(0.5):
            clauses = [c for c, (kind, _) in zip(clauses, items) if kind != "in"]
            before, after = [l for l in before if not used_by_none(l, clauses)], [l for l in after if not used_by_none(l, clauses)]
            clauses.append(f"depend(iterator(int it = {ins[0]}:{ins[-1] + 1}), in: {self.array}[it])")
        return clauses, before, after

    def action(self, items):
        """The body of a task with these dependences: (lines, Python on the array)."""
        reads = [e for kind, e in items if kind == "in"]
        lines, acts = [], []
        for e in reads:
            site = self.program.site()
            lines.append(f"add({site}u, {self.array}[{e}]);")
            acts.append(lambda state, x, e=e, site=site: state.add(site, x[e]))
        known = "".join(f" + {self.array}[{e}]" for e in reads)
        for kind, e in items:
            if kind == "in":
                continue
            site, element = self.program.site(), f"{self.array}[{e}]"
            if kind in ("out", "inout"):
                lines.append(f"{element} = mix({site}u, {element} * 5{known});")

                def act(state, x, e=e, site=site):
                    x[e] = mix(site, x[e] * 5 + sum(x[r] for r in reads) & MASK)
            else:
                if kind == "inoutset":
                    lines.append("#pragma omp atomic")
                lines.append(f"{element} += mix({site}u, 0{known});")

                def act(state, x, e=e, site=site):
                    x[e] = x[e] + mix(site, sum(x[r] for r in reads) & MASK) & MASK
            acts.append(act)
        return lines, acts

    def task(self):
        items = self.items()
        depends, before, after = self.depends(items)
        lines, acts = self.action(items)
        clauses, _ = clauses_of(self.place)
        if self.place.chance(0.15):
            clauses.append(f"affinity({self.array}[0])")
        extra, tasks = [], 1
        if not self.place.included and self.place.chance(0.12) and not any(c.startswith(("merge", "if", "final")) for c in clauses):
            self.program.uses.add("detach")
            event = self.program.name("e")
            before.append(f"omp_event_handle_t {event};")
            clauses.append(f"detach({event})")
            if self.place.chance(0.5):
                lines = [*lines, f"omp_fulfill_event({event});"]
            else:
                tasks = 2
                self.program.uses.add("detach by another")
                extra = [f"#pragma omp task firstprivate({event})", f"omp_fulfill_event({event});"]
        self.place.rng.shuffle(clauses)
        clauses = fit(self.place, clauses, lines)

        def run(state, x):
            state.tasks += tasks
            for act in acts:
                act(state, x)
        self.steps.append(run)
        return [*before, f"#pragma omp task shared({self.array}) {' '.join([*depends, *clauses])}", "{", lines, "}", *extra, *after]

    def sweep(self):
        """A loop of tasks: each element is computed from itself and its neighbour."""
        trips, i, site = self.place.trips(10, 2), self.program.name("i"), self.program.site()
        n, a = self.elements, self.array
        clauses = fit(self.place, clauses_of(self.place)[0], [])
        first, second = f"{a}[{i} % {n}]", f"{a}[({i} + 1) % {n}]"

        def run(state, x):
            for k in range(trips):
                state.tasks += 1
                x[k % n] = mix(site, x[k % n] + x[(k + 1) % n] * 3 & MASK)
        self.steps.append(run)
        return [f"for (int {i} = 0; {i} < {trips}; ++{i}) {{",
                [f"#pragma omp task shared({a}) firstprivate({i}) depend(inout: {first}) depend(in: {second}) {' '.join(clauses)}",
                 f"{first} = mix({site}u, {first} + {second} * 3);"], "}"]

    def wait(self):
        """Waits for some of them, and checks what they have computed."""
        e, site = self.place.rng.randrange(self.elements), self.program.site()
        kind = self.place.pick("in", "inout", "out")
        self.steps.append(lambda state, x: state.add(site, x[e]))
        if self.place.chance(0.5):
            return [f"#pragma omp taskwait depend({kind}: {self.array}[{e}])", f"add({site}u, {self.array}[{e}]);"]

        def one_more(state, x):
            state.tasks += 1
        self.steps.append(one_more)
        return [f"#pragma omp task if(0) shared({self.array}) depend({kind}: {self.array}[{e}])", f"add({site}u, {self.array}[{e}]);"]


def used_by_none(line, clauses):
    """A depend object that no clause uses any more is not generated either."""
    for word in line.replace("(", " ").replace(")", " ").replace(";", " ").split():
        if word[0] == "o" and word[1:].isdigit():
            return not any(f"depobj: {word})" in clause for clause in clauses)
    return False


@construct("team once serial", 12)
def depend(place):
    if not place.tasks:
        return None
    graph = Graph(place, place.rng.randint(2, 6))
    lines = []
    for _ in range(place.trips(14, 2)):
        kind = place.rng.random()
        lines += graph.sweep() if kind < 0.1 else graph.wait() if kind < 0.2 else graph.task()
    first = graph.program.name("k")
    c, python = expression(place)
    site = place.program.site()
    sums = [added(place, f"{graph.array}[{e}]") for e in range(graph.elements)]
    around = place.chance(0.4)
    lines = ["#pragma omp taskgroup", "{", lines, "}"] if around else [*lines, "#pragma omp taskwait"]

    def run(state, known):
        x = [mix(site, python(known) + e & MASK) for e in range(graph.elements)]
        for step in graph.steps:
            step(state, x)
        for e, (_, model_add) in enumerate(sums):
            model_add(state, x[e])
    return Node(["{", [f"u64 {graph.array}[{graph.elements}];",
                       f"for (int {first} = 0; {first} < {graph.elements}; ++{first}) "
                       f"{graph.array}[{first}] = mix({site}u, (u64)({c} + {first}));", *lines, *[s[0] for s in sums]], "}"], run)
