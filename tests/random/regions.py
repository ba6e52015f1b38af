"""Teams: parallel regions, and leagues of them on the host."""
import dataclasses

from blocks import MOST, Slots, added, block, construct, expression
from model import MASK, Node, mix

MOST_THREADS = 14  # of nested regions together, where the outermost has 7


def fork(known, threads):
    """What each thread of a new team knows."""
    active = known["#active"] + (threads > 1)
    return [{**known, "$": {}, "#threads": threads, "#level": known["#level"] + 1, "#active": active, "#final": 0,
             "#number": number} for number in range(threads)]


def team_size(place):
    """(clauses, function from State to the number of threads, its maximum)."""
    rng = place.rng
    if place.threads == 1 and place.chance(0.6):
        clauses, size, most = [], (lambda state: state.threads), 7
    else:
        asked = rng.randint(1, max(1, min(5 if place.threads == 1 else 3, MOST_THREADS // place.threads,
                                          MOST // place.passes)))
        clauses, size, most = [f"num_threads({asked})"], (lambda state: asked), asked
    if place.chance(0.08):
        if place.chance(0.5):
            clauses.append(place.pick("if(zero)", "if(parallel: zero)"))
            size, most = (lambda state: 1), 1
        else:
            clauses.append(place.pick("if(one)", "if(parallel: one)"))
    if place.chance(0.12):
        clauses.append(f"proc_bind({place.pick('close', 'spread', 'master')})")
    return clauses, size, most


OPERATORS = {
    "+": (0, lambda a, b: (a + b) & MASK), "^": (0, lambda a, b: a ^ b), "|": (0, lambda a, b: a | b),
    "&": (MASK, lambda a, b: a & b), "*": (1, lambda a, b: a * b & MASK), "max": (0, max), "min": (MASK, min),
}


def combine(operator, name, value):
    if operator in ("max", "min"):
        return f"if ({value} {'>' if operator == 'max' else '<'} {name}) {name} = {value};"
    return f"{name} {operator}= {value};"


def reduced(place, also=(), name=None):
    """What is combined into a reduction variable, given or new: (operator, name, C, Python, how two are combined)."""
    operator = "+" if name else place.rng.choice(list(OPERATORS))
    name = name or place.program.name("q")
    site = place.program.site()
    c, python = expression(place, also)
    join = OPERATORS[operator][1]
    extra = " | 1" if operator == "*" else ""

    def value(known):
        return mix(site, python(known) & MASK) | (operator == "*")
    term = f"(mix({site}u, (u64)({c})){extra})"
    return operator, name, term, value, join


@construct("serial", 30)
@construct("team once", 5)
def parallel(place):
    if not place.regions or place.passes > MOST // 2:
        return None
    program = place.program
    clauses, size, most = team_size(place)
    if place.passes * most > MOST * 2:
        return None
    slots, number = Slots(), program.name("t")
    names = place.names
    inner = place.inside(where="team", passes=place.passes * most, threads=place.threads * most, names=(*names, number),
                         own=(number,), slots=slots, repeated=False, reduced=None, asks=True, included=False,
                         outside=False, kept=place.where != "serial" or any("proc_bind" in clause for clause in clauses))
    kept = [name for name in names if place.chance(0.2)]
    if kept:
        clauses.append(f"firstprivate({', '.join(kept)})")
    by_tasks = program.name("q") if place.chance(0.12) else None
    inner = dataclasses.replace(inner, reduced=by_tasks)
    body = block(inner, 4)
    reduction = None
    if by_tasks or place.chance(0.25):
        operator, variable, term, value, join = reduced(inner, name=by_tasks)
        reduction = (operator, variable, value, join)
        clauses.append(f"reduction({'task, ' if by_tasks else ''}{operator}: {variable})")
        c_add, model_add = added(place, variable)
        place.rng.shuffle(clauses)
    first = mix(program.number & MASK, 5) if reduction and reduction[0] != "*" else 3
    lines = [*[declaration for _, declaration, _, _ in slots.items]]
    if reduction:
        lines.append(f"u64 {reduction[1]} = {first}ull;")
    lines += [f"#pragma omp parallel {' '.join(clauses)}", "{",
              [f"int {number} = omp_get_thread_num();", *body.lines,
               *([combine(reduction[0], reduction[1], term)] if reduction else [])], "}"]
    if reduction:
        lines.append(c_add)
    for _, _, _, last in slots.items:
        lines += last[0]

    def run(state, known):
        everybody = fork(known, size(state))
        tasks = {by_tasks: 0}
        shared = {name: (first() if callable(first) else first) for name, _, first, _ in slots.items}
        for n, one in enumerate(everybody):
            one[number], one["$"], one["$reductions"] = n, shared, tasks
        body.team(state, everybody)
        if reduction:
            total = first
            for one in everybody:
                total = reduction[3](total, reduction[2](one))
            total = total + tasks[by_tasks] & MASK
            model_add(state, total)
        for _, _, _, last in slots.items:
            last[1](state, shared, known)
    return Node(["{", lines, "}"], run)


@construct("serial", 2)
def set_threads(place):
    """Regions after omp_set_num_threads(), and one that may have fewer threads, whose work does not depend on it."""
    if place.threads != 1 or place.repeated:
        return None
    program, trips, name, before = place.program, place.trips(40, 3), place.program.name("i"), place.program.name("w")
    dynamic = place.chance(0.5)
    body = block(place.shared(passes=place.passes * trips, names=(name,), threads=7, regions=False, asks=not dynamic,
                              outside=False, active=not dynamic), 2)
    threads, site = place.rng.randint(1, 5), program.site()
    loop = [f"#pragma omp for schedule({place.pick('static', 'dynamic', 'guided', 'runtime')})",
            f"for (int {name} = 0; {name} < {trips}; ++{name}) {{", body.lines, "}"]
    if not dynamic:
        loop.insert(0, f"add({site}u, (u64)omp_get_thread_num());")
    lines = [f"int {before} = omp_get_max_threads();", f"omp_set_num_threads({threads});",
             *(["omp_set_dynamic(1);"] if dynamic else []), "#pragma omp parallel", "{", loop, "}",
             *(["omp_set_dynamic(0);"] if dynamic else []), f"omp_set_num_threads({before});"]

    def run(state, known):
        everybody = fork(known, threads)
        for n in range(0 if dynamic else threads):
            state.add(site, n)
        for everybody[0][name] in range(trips):
            body.run(state, everybody[0])
    return Node(["{", lines, "}"], run)


@construct("serial", 4)
def threadprivate(place):
    """What a thread keeps from one region to the next of the same size."""
    if place.threads != 1:
        return None
    site, clauses, size, c = place.program.site(), "", None, expression(place)
    asked = place.rng.randint(1, 6)
    if place.chance(0.5):
        clauses, size = f" num_threads({asked})", lambda state: asked
    else:
        size = lambda state: state.threads
    one, two = place.program.site(), place.program.site()
    lines = [f"kept = mix({site}u, (u64)({c[0]}));", f"#pragma omp parallel copyin(kept){clauses}",
             f"kept += (u64)omp_get_thread_num(), add({one}u, kept);", f"#pragma omp parallel{clauses}",
             f"add({two}u, kept + 1);"]

    def run(state, known):
        kept = mix(site, c[1](known) & MASK)
        for n in range(size(state)):
            state.add(one, kept + n)
            state.add(two, kept + n + 1)
    return Node(lines, run)


@construct("serial", 3)
def league(place):
    """teams on the host: the number of teams may be less than was asked for, so the sums do not depend on it."""
    if place.threads != 1 or place.depth > 1 or place.repeated:
        return None
    program, trips, name = place.program, place.trips(30, 2), place.program.name("i")
    site, c = program.site(), expression(place, also=(name,))
    q = program.name("q")
    schedule = place.pick("", " dist_schedule(static)", f" dist_schedule(static, {place.rng.randint(1, 5)})")
    limit = f" thread_limit({place.rng.randint(1, 4)})" if place.chance(0.5) else ""
    if limit:
        program.uses.add("league limit")
    teams = f"num_teams({place.rng.randint(1, 4)}){limit}"
    loop = f"for (int {name} = 0; {name} < {trips}; ++{name})"
    term = f"mix({site}u, (u64)({c[0]}))"
    shape = place.rng.randint(0, 3)
    if shape == 0:
        lines = [f"#pragma omp teams distribute parallel for {teams}{schedule} reduction(+: {q})", f"{loop} {q} += {term};"]
    elif shape == 1:
        lines = [f"#pragma omp teams {teams} reduction(+: {q})", "{", [f"#pragma omp distribute{schedule}", f"{loop} {q} += {term};"],
                 "}"]
    elif shape == 2:
        lines = [f"#pragma omp teams {teams}", f"#pragma omp distribute{schedule}", f"{loop} {{",
                 ["#pragma omp parallel num_threads(2)", "#pragma omp single", "#pragma omp task", "#pragma omp atomic",
                  f"{q} += {term};"], "}"]
    else:
        lines = [f"#pragma omp teams {teams}", "{", [
            f"#pragma omp distribute parallel for{schedule} num_threads(3) schedule({place.pick('static', 'dynamic', 'guided')})",
            f"{loop} {{", ["#pragma omp atomic", f"{q} += {term};"], "}"], "}"]
    add_c, add_model = added(place, q)

    def run(state, known):
        total, here = 0, dict(known)
        for here[name] in range(trips):
            total = (total + mix(site, c[1](here) & MASK)) & MASK
        if shape == 2:
            state.tasks += trips
        add_model(state, total)
    return Node(["{", [f"u64 {q} = 0;", *lines, add_c], "}"], run)


@construct("team", 4)
def barrier(place):
    return Node(["#pragma omp barrier"], lambda state, known: None)


@construct("team", 8)
def one_thread(place):
    """single, master, masked: which thread it is, is known only for the latter two."""
    kind = place.pick("single", "single", "single nowait", "master", "masked", "masked filter")
    program, who = place.program, 0
    if kind.startswith("single"):
        body = block(place.shared())
    else:
        body = block(place.inside(where="once", own=()))
    if kind == "masked filter":
        who = place.rng.randint(0, 3)
        kind = f"masked filter({who})"

    def team(state, everybody):
        if who < len(everybody):
            body.run(state, everybody[who])
    return Node([f"#pragma omp {kind}", "{", body.lines, "}"], None, team)


@construct("team", 3)
def copyprivate(place):
    """copyprivate: all threads get what one has computed."""
    name, site = place.program.name("c"), place.program.site()
    c, python = expression(place.shared())
    add_c, add_model = added(place, name)

    def team(state, everybody):
        value = mix(site, python(everybody[0]) & MASK)
        for _ in everybody:
            add_model(state, value)
    return Node(["{", [f"u64 {name};", f"#pragma omp single copyprivate({name})", f"{name} = mix({site}u, (u64)({c}));",
                       add_c], "}"], None, team)
