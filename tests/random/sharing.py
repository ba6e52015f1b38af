"""Work-sharing among the threads of a team: loops, sections."""
import itertools

from blocks import MOST, added, block, construct, expression
from model import MASK, Node, mix
from regions import OPERATORS, combine, reduced

TYPES = ["int", "int", "long", "unsigned", "u64", "short", "signed char", "long long", "unsigned short"]


def header(place, trips, names=(), up=False):
    """A loop of so many iterations: (C, variable, Python's range). up: its variable grows."""
    name, kind = place.program.name("i"), place.rng.choice(TYPES)
    unsigned = kind.startswith("u")
    step = place.rng.randint(1, 3)
    low = place.rng.randint(0 if unsigned else -20, 20)
    # Downwards; gcc 12 hands out no iteration at all if the type is unsigned and narrower than long.
    if place.chance(0.3) and kind not in ("unsigned", "unsigned short") and not up:
        first = low + trips * step + (step if unsigned else 0)
        last = first - (trips - 1) * step
        end, sign, test = last - place.rng.randint(0, step - 1), "-", ">="
        if place.chance(0.5):
            end, test = end - 1, ">"
        step = -step
        by = f"{name} -= {-step}" if step != -1 or place.chance(0.5) else f"--{name}"
    else:
        first = low
        last = first + (trips - 1) * step
        end, test = last + place.rng.randint(0, step - 1), "<="
        if place.chance(0.7):
            end, test = end + 1, "<"
        by = f"{name} += {step}" if step != 1 or place.chance(0.3) else f"++{name}"
    if unsigned and end < (1 if test in (">=", "<") else 0):  # nothing unsigned is less than 0, and gcc refuses to ask
        return header(place, trips, names, up)
    if kind == "signed char" and max(first, last + step, end) > 127:  # all that the variable becomes has to be one
        return header(place, trips, names, up)
    return f"for ({kind} {name} = {first}; {name} {test} {end}; {by})", name, range(first, first + trips * step, step)


def schedule(place, ordered=False):
    """A schedule clause, or none."""
    rng = place.rng
    kind = rng.choice(["", "static", "static", "dynamic", "dynamic", "guided", "auto", "runtime"])
    if not kind:
        return ""
    chunk = f", {rng.randint(1, 7)}" if kind not in ("auto", "runtime") and place.chance(0.6) else ""
    modifier = ""
    if place.chance(0.3):
        fit = ["monotonic:"] if ordered or kind in ("static", "auto") else ["monotonic:", "nonmonotonic:"]
        modifier = rng.choice(fit) if kind not in ("auto", "runtime") or not ordered else ""
        if kind in ("auto", "runtime"):
            modifier = ""
    return f" schedule({modifier}{kind}{chunk})"


def nest(place, passes, deepest=3, up=False):
    """Collapsed nested loops: (clause, lines of their heads, variables, ranges)."""
    deep = place.rng.choice([1, 1, 1, 2, deepest])
    budget = max(1, MOST * 2 // passes)
    trips = [place.rng.randint(1, max(1, min(14 if deep == 1 else 5, int(budget ** (1 / deep))))) for _ in range(deep)]
    if deep == 1 and place.chance(0.04):
        trips = [0]
    heads = [header(place, n, up=up) for n in trips]
    clause = f" collapse({deep})" if deep > 1 or place.chance(0.05) else ""
    total = 1
    for n in trips:
        total *= n
    return clause, [h[0] for h in heads], [h[1] for h in heads], [h[2] for h in heads], total


def each(variables, ranges, known):
    for values in itertools.product(*ranges):
        known.update(zip(variables, values))
        yield values


def loop_lines(heads, body):
    """Collapsed loops have nothing between them."""
    lines = [f"{heads[-1]} {{", body, "}"]
    for head in reversed(heads[:-1]):
        lines = [f"{head}", lines]
    return lines


def variable(name, first, alone):
    """Outside all regions a variable that a loop writes must be shared, which an automatic variable is not."""
    return [f"static u64 {name};", f"{name} = {first}ull;"] if alone else [f"u64 {name} = {first}ull;"]


@construct("serial team", 26)
def loop(place):
    """A loop with all clauses that it may have; in the serial part as a combined construct."""
    if place.where == "serial" and not place.regions:
        return None
    program, rng = place.program, place.rng
    alone = place.where == "serial" and place.chance(0.2)  # a team of one
    combined = place.where == "serial" and not alone
    threads = 7 if combined else 1
    if combined and (place.passes * 2 > MOST or place.threads > 1):
        return None
    collapse, heads, variables, ranges, total = nest(place, place.passes)
    inner = place.shared(passes=place.passes * max(1, total), names=tuple(variables), threads=place.threads * threads,
                         asks=place.asks and not combined, slots=None,
                         outside=place.outside and not combined, active=place.active and not combined)
    body = block(inner, 2)
    clauses, lines, after, effects = [], [*body.lines], [], []
    waits = combined
    shape = place.pick("plain", "plain", "reduction", "lastprivate", "linear", "slot reduction")
    declared = []
    before = []
    slots = place.slots
    if shape == "slot reduction" and (combined or place.where == "serial"):
        shape = "reduction"
    if shape == "reduction" and (combined or alone):
        operator, name, term, value, join = reduced(inner, variables)
        before = variable(name, OPERATORS[operator][0], alone)
        clauses.append(f"reduction({operator}: {name})")
        lines.append(combine(operator, name, term))
        add_c, add_model = added(place, name)
        after = [add_c]
        effects = [(operator, value, join, add_model)]
    elif shape in ("reduction", "slot reduction"):
        operator, name, term, value, join = reduced(inner, variables)
        first = OPERATORS[operator][0] if operator != "*" else 1
        add_c, add_model = added(place, name)
        slots.add(name, f"u64 {name} = {first}ull;", first, ([add_c], lambda state, shared, known: add_model(state, shared[name])))
        clauses.append(f"reduction({operator}: {name})")
        lines.append(combine(operator, name, term))
        waits = True
    elif shape == "lastprivate" and total > 0:
        name, site = program.name("l"), program.site()
        c, python = expression(inner, variables[-1:])
        lines.append(f"{name} = mix({site}u, (u64)({c}));")
        clauses.append(f"lastprivate({name})")
        waits = True
        add_c, add_model = added(place, name)
        if combined or alone:
            before, after = variable(name, 1, alone), [add_c]
        else:
            slots.add(name, f"u64 {name} = 1;", 1, ([add_c], lambda state, shared, known: add_model(state, shared[name])))
    elif shape == "linear" and len(variables) == 1 and combined:
        name, site, step = program.name("l"), program.site(), rng.randint(1, 5)
        lines += [f"add({site}u, (u64){name});", f"{name} += {step};"]
        before = [f"int {name} = {step * 2};"]
        clauses.append(f"linear({name}: {step})")
    else:
        shape = "plain"
    nowait = not waits and place.where == "team" and place.chance(0.4)
    if nowait:
        clauses.append("nowait")
    if combined:
        if place.chance(0.4):
            clauses.append(f"num_threads({rng.randint(1, 6)})")
    rng.shuffle(clauses)
    word = "parallel for" if combined else "for"
    how = schedule(place)
    if shape == "lastprivate" and ("runtime" in how or "dynamic" in how and " monotonic" not in how.replace("(", " ")):
        program.uses.add("lastprivate dynamic")
    pragma = f"#pragma omp {word}{how}{collapse} {' '.join(clauses)}"

    def team(state, everybody):
        known = fork_one(everybody[0]) if combined else everybody[0]
        count = 0
        values = []
        for _ in each(variables, ranges, known):
            body.run(state, known)
            if shape in ("reduction", "slot reduction"):
                values.append(value(known))
            elif shape == "lastprivate":
                values.append(mix(site, python(known) & MASK))
            elif shape == "linear":
                state.add(site, step * 2 + step * count)
            count += 1
        if shape in ("reduction", "slot reduction"):
            if combined or alone:
                result = OPERATORS[operator][0]
            else:
                result = everybody[0]["$"][name]
            for one in values:
                result = join(result, one)
            if combined or alone:
                add_model(state, result)
            else:
                everybody[0]["$"][name] = result
        elif shape == "lastprivate":
            if combined or alone:
                add_model(state, values[-1])
            else:
                everybody[0]["$"][name] = values[-1]
    return Node(["{", [*before, pragma, *loop_lines(heads, lines), *after], "}"], None, team)


def fork_one(known):
    return {**known, "$": {}, "#level": known["#level"] + 1, "#final": 0}


@construct("serial team", 7)
def ordered(place):
    """Iterations in any order, with a part in the order of the loop."""
    combined = place.where == "serial"
    if combined and (not place.regions or place.threads > 1 or place.passes * 2 > MOST):
        return None
    collapse, heads, variables, ranges, total = nest(place, place.passes, 2)
    inner = place.shared(passes=place.passes * max(1, total), names=tuple(variables), asks=False, regions=False, slots=None,
                         outside=False, active=place.active and not combined)
    name, site = place.program.name("o"), place.program.site()
    c, python = expression(inner, variables)
    body, tail = block(inner, 1), block(inner, 1) if place.chance(0.3) else None
    step = f"{name} = {name} * 31 + mix({site}u, (u64)({c}));"
    some = place.rng.randint(2, 4) if place.chance(0.2) else 0
    turn = ["#pragma omp ordered", step]
    if some:  # not each iteration needs its turn
        turn = [f"if ((long){variables[-1]} % {some} != 0) {{", turn, "}"]
    lines = [*body.lines, *turn, *(tail.lines if tail else [])]
    add_c, add_model = added(place, name)
    clauses = ""
    if combined:
        before, after = [f"u64 {name} = 7;"], [add_c]
        clauses = f" num_threads({place.rng.randint(1, 6)})" if place.chance(0.4) else ""
    else:
        before = after = []
        place.slots.add(name, f"u64 {name} = 7;", 7, ([add_c], lambda state, shared, known: add_model(state, shared[name])))
        clauses = " nowait" if not place.repeated and place.chance(0.3) else ""
    pragma = f"#pragma omp {'parallel ' if combined else ''}for ordered{schedule(place, True)}{collapse}{clauses}"

    def team(state, everybody):
        known = fork_one(everybody[0]) if combined else everybody[0]
        result = 7 if combined else known["$"][name]
        for values in each(variables, ranges, known):
            body.run(state, known)
            if not some or values[-1] % some:
                result = (result * 31 + mix(site, python(known) & MASK)) & MASK
            if tail:
                tail.run(state, known)
        if combined:
            add_model(state, result)
        else:
            known["$"][name] = result
    return Node(["{", [*before, pragma, *loop_lines(heads, lines), *after], "}"], None, team)


@construct("serial team", 5)
def doacross(place):
    """ordered(n) with depend(sink) and depend(source): each element is computed from those before it."""
    combined, rng = place.where == "serial", place.rng
    if combined and (not place.regions or place.threads > 1) or place.passes > MOST // 3:
        return None
    if not combined and place.repeated:
        return None
    deep = rng.randint(1, 2)
    sizes = [rng.randint(2, 24)] if deep == 1 else [rng.randint(2, 7), rng.randint(2, 7)]
    names = [place.program.name("i") for _ in sizes]
    array, site = place.program.name("d"), place.program.site()
    if deep == 1:
        sinks = [(-k,) for k in sorted(rng.sample(range(1, 5), rng.randint(1, 2)))]
    else:
        sinks = rng.sample([(-1, 0), (0, -1), (-1, -1), (-1, 1), (-2, 0)], rng.randint(1, 3))
    if any(by > 0 for sink in sinks for by in sink):
        place.program.uses.add("sink beyond")
    index = "][".join(f"{name} + 4" for name in names)
    extent = "][".join(str(size + 6) for size in sizes)

    def at(sink):
        return "[" + "][".join(f"{name} + {4 + by}" for name, by in zip(names, sink)) + "]"
    vectors = ["(" + ", ".join(name if by == 0 else f"{name} {'+' if by > 0 else '-'} {abs(by)}"
                               for name, by in zip(names, sink)) + ")" for sink in sinks]
    depends = [" ".join(f"depend(sink: {v[1:-1]})" for v in vectors)] if place.chance(0.6) else \
        [f"depend(sink: {v[1:-1]})" for v in vectors]
    term = " + ".join(f"{array}{at(sink)} * {2 * k + 3}" for k, sink in enumerate(sinks))
    inner = place.shared(passes=place.passes * sizes[0] * (sizes[1] if deep > 1 else 1), names=tuple(names), asks=False,
                         regions=False, tasks=False, slots=None, outside=False)
    before, behind = block(inner, 1) if place.chance(0.3) else None, block(inner, 1) if place.chance(0.3) else None
    lines = [*(before.lines if before else []), *[f"#pragma omp ordered {d}" for d in depends],
             f"{array}[{index}] = mix({site}u, {term});", "#pragma omp ordered depend(source)",
             *(behind.lines if behind else [])]
    heads = [f"for (int {name} = {0}; {name} < {size}; ++{name})" for name, size in zip(names, sizes)]
    total_site = place.program.site()
    last = "[" + "][".join(str(size + 3) for size in sizes) + "]"
    add_c = f"add({total_site}u, {array}{last});"
    clauses = ""
    declaration = f"u64 {array}[{extent}];"
    clear = f"__builtin_memset({array}, 0, sizeof {array});"
    if combined:
        clauses = f" num_threads({rng.randint(1, 6)})" if place.chance(0.4) else ""
    else:
        place.slots.add(array, f"{declaration} {clear}", None,
                        ([add_c], lambda state, shared, known: state.add(total_site, shared[array])))
        clauses = " nowait" if place.chance(0.3) else ""
    pragma = f"#pragma omp {'parallel ' if combined else ''}for ordered({deep}){schedule(place, True)}{clauses}"

    def team(state, everybody):
        known = fork_one(everybody[0]) if combined else everybody[0]
        made = {}
        for values in each(names, [range(size) for size in sizes], known):
            if before:
                before.run(state, known)
            e = 0
            for k, sink in enumerate(sinks):
                e += made.get(tuple(a + b for a, b in zip(values, sink)), 0) * (2 * k + 3)
            made[values] = mix(site, e & MASK)
            if behind:
                behind.run(state, known)
        result = made[tuple(size - 1 for size in sizes)]
        if combined:
            state.add(total_site, result)
        else:
            known["$"][array] = result
    return Node(["{", [*([f"{declaration} {clear}"] if combined else []), pragma, *loop_lines(heads, lines),
                       *([add_c] if combined else [])], "}"], None, team)


@construct("team", 7)
@construct("serial", 3)
def sections(place):
    combined = place.where == "serial"
    if combined and (not place.regions or place.threads > 1 or place.passes * 2 > MOST):
        return None
    inner = place.shared(slots=None, asks=place.asks and not combined, threads=7 if combined else place.threads,
                         outside=False, active=place.active and not combined)
    bodies = [block(inner, 2) for _ in range(place.rng.randint(1, 6))]
    nowait = not combined and place.chance(0.4)
    clauses = " nowait" if nowait else f" num_threads({place.rng.randint(1, 6)})" if combined and place.chance(0.4) else ""
    lines = []
    for k, body in enumerate(bodies):
        if k or place.chance(0.7):
            lines.append("#pragma omp section")
        lines += ["{", body.lines, "}"]

    def team(state, everybody):
        known = fork_one(everybody[0]) if combined else everybody[0]
        for body in bodies:
            body.run(state, known)
    return Node([f"#pragma omp {'parallel ' if combined else ''}sections{clauses}", "{", lines, "}"], None, team)
