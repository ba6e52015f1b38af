"""What loops hand on that is not their last iteration's: scans, and the value of the last iteration that assigns one."""
from blocks import MOST, added, block, construct, expression, leaf
from model import MASK, Node, mix
from regions import OPERATORS, combine, reduced
from sharing import each, fork_one, header, loop_lines, nest, schedule


class Outside:
    """Variables of the serial part around a region, or of the team's: declared ahead, and looked at behind it."""

    def __init__(self, place, combined):
        self.place, self.combined, self.before, self.after = place, combined, [], []

    def add(self, name, declaration, first, look):
        """look: (lines of C, what they do in Python to a state and the value)"""
        lines, effect = look
        if self.combined:
            self.before.append(declaration)
            self.after.append((name, lines, effect))
        else:
            self.place.slots.add(name, declaration, first, (lines, lambda state, shared, known: effect(state, shared[name])))

    def put(self, state, everybody, values):
        if self.combined:
            for name, _, effect in self.after:
                effect(state, values[name])
        else:
            everybody[0]["$"].update(values)

    def around(self, lines):
        return ["{", [*self.before, *lines, *(line for _, after, _ in self.after for line in after)], "}"]


def may_be(place, combined):
    """Handed on is what all threads know of: by a loop of a team that it goes through once, or by one with a region of its own."""
    if combined:
        return place.regions and place.threads == 1 and place.passes * 2 <= MOST
    return not place.repeated and place.passes <= MOST // 3


def threads_of(place, combined):
    return f" num_threads({place.rng.randint(1, 6)})" if combined and place.chance(0.4) else ""


@construct("serial team", 6)
def scan(place):
    """Each iteration sees what those before it have made. The variables begin with what changes nothing: clang 19 forgets what
    they were before. No schedule and no nowait, which OpenMP does not have here."""
    combined = place.where == "serial"
    if not may_be(place, combined):
        return None
    program, trips = place.program, place.trips(40, 2)
    head, name, numbers = header(place, trips)
    inner = place.shared(passes=place.passes * trips, names=(name,), slots=None, tasks=False, regions=False, asks=False, outside=False,
                         threads=place.threads * (7 if combined else 1), active=place.active and not combined)
    outside, vector = Outside(place, combined), place.chance(0.25)
    items = [reduced(inner, (name,)) for _ in range(place.pick(1, 1, 2))]
    for operator, q, *_ in items:
        add_c, add_model = added(place, q)
        outside.add(q, f"u64 {q} = {OPERATORS[operator][0]}ull;", OPERATORS[operator][0], ([add_c], add_model))
    seen, k, site = program.name("s"), program.name("k"), program.site()

    def look(state, values):
        for value in values:
            state.add(site, value)
    outside.add(seen, f"u64 {seen}[{trips}];", None,
                ([f"for (int {k} = 0; {k} < {trips}; ++{k}) add({site}u, {seen}[{k}]);"], look))
    terms = [combine(operator, q, term) for operator, q, term, *_ in items]
    read = [f"{seen}[((long){name} - {numbers[0]}) / {numbers.step}] = {' + '.join(q for _, q, *_ in items)};"]
    last = program.name("l") if place.chance(0.25) else None
    if last or not combined:
        program.uses.add("scan in a kept region" if place.kept else "scan")
    if last:
        add_c, add_model = added(place, last)
        outside.add(last, f"u64 {last} = 1;", 1, ([add_c], add_model))
        place.pick(terms, read).append(f"{last} = (u64){name};")
    exclusive, list_of = place.chance(0.5), ", ".join(q for _, q, *_ in items)
    # What a vector does calls nothing of OpenMP's.
    leaves = [leaf(inner, (name,)) if not vector and place.chance(0.5) else None for _ in range(2)]
    halves = [["{", [*lines, *(one.lines if one else [])], "}"] for lines, one in zip([read, terms] if exclusive else [terms, read], leaves)]
    body = [*halves[0], f"#pragma omp scan {'exclusive' if exclusive else 'inclusive'}({list_of})", *halves[1]]
    clauses = [f"reduction(inscan, {operator}: {q})" for operator, q, *_ in items] + ([f"lastprivate({last})"] if last else [])
    place.rng.shuffle(clauses)
    pragma = f"#pragma omp {'parallel ' if combined else ''}for{' simd' if vector else ''} {' '.join(clauses)}{threads_of(place, combined)}"

    def team(state, everybody):
        known = fork_one(everybody[0]) if combined else everybody[0]
        totals, all_seen = [OPERATORS[operator][0] for operator, *_ in items], []
        for known[name] in numbers:
            before = sum(totals) & MASK
            totals = [join(total, value(known)) for total, (_, _, _, value, join) in zip(totals, items)]
            all_seen.append(before if exclusive else sum(totals) & MASK)
            for one in leaves:
                if one:
                    one.run(state, known)
        values = {q: total for total, (_, q, *_) in zip(totals, items)}
        outside.put(state, everybody, {**values, seen: all_seen, **({last: numbers[-1] & MASK} if last else {})})
    return Node(outside.around([pragma, f"{head} {{", body, "}"]), None, team)


def assignment(place, variables, name):
    """Assigns now and then: (C, Python: the value or None, sure). gcc 12 loses a value that is assigned straight from a call."""
    asks, site, some = place.program.site(), place.program.site(), place.rng.randint(2, 5)
    if_c, if_python = expression(place, variables)
    c, python = expression(place, variables)
    temporary = place.program.name("x")
    sets = ["{", [f"u64 {temporary} = mix({site}u, (u64)({c}));", f"{name} = {temporary};"], "}"]
    condition = f"mix({asks}u, (u64)({if_c})) % {some} == 0"

    def value(known, sure=False):
        return mix(site, python(known) & MASK) if sure or mix(asks, if_python(known) & MASK) % some == 0 else None
    return condition, sets, value


@construct("serial team", 6)
def conditional(place):
    """The value of the last iteration that assigns: one does, or there would be none. The loops go up: gcc 12 takes the largest
    counter for the latest. clang 19 now and then hands on the value of an earlier one (peers.py)."""
    combined = place.where == "serial"
    if not may_be(place, combined):
        return None
    place.program.uses.add("conditional in a kept region" if place.kept else "conditional")
    outside, name = Outside(place, combined), place.program.name("l")
    add_c, add_model = added(place, name)
    outside.add(name, f"u64 {name} = 1;", 1, ([add_c], add_model))
    if place.chance(0.25):
        return of_sections(place, combined, outside, name)
    collapse, heads, variables, ranges, total = nest(place, place.passes, up=True)
    if total == 0:
        heads, variables, ranges = map(list, zip(header(place, 3, up=True)))
        collapse, total = "", 3
    inner = place.shared(passes=place.passes * total, names=tuple(variables), slots=None, asks=place.asks and not combined, outside=False,
                         threads=place.threads * (7 if combined else 1), active=place.active and not combined)
    body = block(inner, 1) if place.chance(0.7) else None
    condition, sets, value = assignment(inner, variables, name)
    first = f"(long){variables[0]} == {ranges[0][0]}"
    lines = [*(body.lines if body else []), f"if ({first} || {condition}) {{", sets, "}"]
    pragma = f"#pragma omp {'parallel ' if combined else ''}for{schedule(place)}{collapse} lastprivate(conditional: {name})"

    def team(state, everybody):
        known, latest = fork_one(everybody[0]) if combined else everybody[0], None
        for values in each(variables, ranges, known):
            if body:
                body.run(state, known)
            assigned = value(known, values[0] == ranges[0][0])
            latest = latest if assigned is None else assigned
        outside.put(state, everybody, {name: latest})
    return Node(outside.around([pragma + threads_of(place, combined), *loop_lines(heads, lines)]), None, team)


def of_sections(place, combined, outside, name):
    inner = place.shared(slots=None, outside=False, asks=place.asks and not combined, threads=7 if combined else place.threads,
                         active=place.active and not combined)
    parts = [assignment(inner, (), name) for _ in range(place.rng.randint(2, 5))]
    lines = []
    for number, (condition, sets, _) in enumerate(parts):
        lines += ["#pragma omp section", f"if ({condition}) {{" if number else "{", sets, "}"]
    pragma = f"#pragma omp {'parallel ' if combined else ''}sections lastprivate(conditional: {name}){threads_of(place, combined)}"

    def team(state, everybody):
        known, latest = everybody[0], None
        for number, (_, _, value) in enumerate(parts):
            assigned = value(known, number == 0)
            latest = latest if assigned is None else assigned
        outside.put(state, everybody, {name: latest})
    return Node(outside.around([pragma, "{", lines, "}"]), None, team)
