"""Explicit tasks, and how one waits for them."""
from blocks import MOST, added, asked, block, construct, expression, leaf
from model import MASK, Node, mix, sequence


def clauses_of(place, known_final=True):
    """(clauses of a task, is it final?)"""
    out, final = [], False
    if place.chance(0.2):
        out.append("untied")
    if place.chance(0.2):
        out.append(place.pick("if(zero)", "if(task: zero)", "if(one)", "if(0)"))
    if place.chance(0.25):
        final = place.chance(0.5)
        out.append("final(one)" if final else "final(zero)")
    if place.chance(0.12):
        out.append("mergeable")
    if place.chance(0.15):
        out.append(f"priority({place.rng.randint(0, 12)})")
    place.rng.shuffle(out)
    return out, final


def fit(place, clauses, lines):
    """clang 19 loses the variables of an untied task's own body, so for clang UNTIED is empty."""
    simple = all(isinstance(line, str) and line.startswith(("add", "ask", "x", "p", "omp_fulfill", "#pragma omp taskw",
                                                             "#pragma omp tasky", "#pragma omp atomic")) for line in lines)
    if "untied" in clauses and any(c.startswith("if(") for c in clauses):
        place.program.uses.add("untied undeferred")
    return [c if simple or c != "untied" else "UNTIED" for c in clauses]


def body_of(known, final):
    """What a task knows: copies, since its own variables must not be its creator's."""
    return {**known, "#final": 1 if final else known["#final"]}


def copies(place):
    """firstprivate for some variables that would be so anyway."""
    names = [name for name in place.names if place.chance(0.3)]
    return [f"firstprivate({', '.join(names)})"] if names else []


@construct("team once serial", 16)
def task(place):
    """One task, or those of a loop, waited for at once or at the end of the region."""
    if not place.tasks:
        return None
    program, rng = place.program, place.rng
    trips = place.trips(8) if place.chance(0.5) else 1
    name = program.name("k")
    names = (*place.names, name) if trips > 1 else place.names
    clauses, final = clauses_of(place)
    clauses += copies(place)
    reduction = place.reduced if place.reduced and place.chance(0.8) else None
    inner = place.task(passes=place.passes * trips, names=names, reduced=reduction, included=place.included or final)
    body = block(inner, 2)
    if place.chance(0.3):
        body = sequence([asked(inner, "kFinal"), body])
    joined = leaf_of_reduction(inner, reduction) if reduction else None
    if reduction:
        clauses.append(f"in_reduction(+: {reduction})")
    lines = [*body.lines, *(joined.lines if joined else [])]
    make = [f"#pragma omp task {' '.join(fit(place, clauses, lines))}", "{", lines, "}"]
    if trips > 1:
        make = [f"for (int {name} = 0; {name} < {trips}; ++{name}) {{", make, "}"]
    wait = place.chance(0.35)
    if wait:
        make.append("#pragma omp taskwait")
    elif place.chance(0.1):
        make.append("#pragma omp taskyield")
    # In the serial part nothing else waits for a task's descendants.
    if place.where == "serial":
        make = ["#pragma omp taskgroup", "{", make, "}"]

    def run(state, known):
        here = body_of(known, final)
        for here[name] in range(trips):
            state.tasks += 1
            body.run(state, here)
            if joined:
                joined.run(state, here)
    return Node(make, run)


def leaf_of_reduction(place, variable):
    """variable += something; the model keeps its sum under its name, for all copies together."""
    site = place.program.site()
    c, python = expression(place)

    def run(state, known):
        total = known["$reductions"]
        total[variable] = (total[variable] + mix(site, python(known) & MASK)) & MASK
    return Node([f"{variable} += mix({site}u, (u64)({c}));"], run)


@construct("team once serial", 7)
def group(place):
    """taskgroup, with task_reduction or without."""
    if not place.tasks:
        return None
    reduction = place.program.name("g") if place.chance(0.5) else None
    inner = place.inside(where="once", reduced=reduction or place.reduced) if place.where == "once" else \
        place.inside(where="once", own=(), reduced=reduction or place.reduced, slots=None)
    parts = [task(inner) for _ in range(place.rng.randint(1, 2))]
    parts.insert(place.rng.randint(0, len(parts)), block(inner, 1))
    body = sequence([p for p in parts if p])
    if reduction and place.outside:
        place.program.uses.add("reduction outside")
    if not reduction:
        return Node(["#pragma omp taskgroup", "{", body.lines, "}"], body.run)
    add_c, add_model = added(place, reduction)

    def run(state, known):
        here = {**known, "$reductions": {**known.get("$reductions", {}), reduction: 1}}
        body.run(state, here)
        add_model(state, here["$reductions"][reduction])
        outer = known.get("$reductions")
        if outer:
            outer.update((k, here["$reductions"][k]) for k in outer)
    return Node(["{", [f"u64 {reduction} = 1;", f"#pragma omp taskgroup task_reduction(+: {reduction})", "{", body.lines, "}",
                       add_c], "}"], run)


@construct("team once serial", 7)
def family(place):
    """Tasks that write to variables of the task that waits for them."""
    if not place.tasks:
        return None
    program = place.program
    count, names = place.trips(5), program.name("x")
    site = program.site()
    inner = place.inside(where="once", own=(), slots=None)
    lines, parts = [f"u64 {names}[{count}];"], []
    for k in range(count):
        clauses, final = clauses_of(place)
        c, python = expression(place)
        parts.append(python)
        lines += [f"#pragma omp task shared({names}) {' '.join(fit(place, clauses, []))}", f"{names}[{k}] = mix({site}u, (u64)({c}) + {k});"]
    body = block(inner, 1) if place.chance(0.4) else None
    if body and place.where != "serial":
        lines += body.lines
    else:
        body = None
    lines.append(place.pick("#pragma omp taskwait", "#pragma omp taskwait"))
    sites = [program.site() for _ in range(count)]
    lines += [f"add({s}u, {names}[{k}]);" for k, s in enumerate(sites)]

    def run(state, known):
        for k, python in enumerate(parts):
            state.tasks += 1
            state.add(sites[k], mix(site, python(known) + k & MASK))
        if body:
            body.run(state, known)
    return Node(["{", lines, "}"], run)


@construct("team once serial", 4)
def taskyield(place):
    return Node(["#pragma omp taskyield"], lambda state, known: None)


@construct("team once serial", 4)
def taskwait(place):
    return Node(["#pragma omp taskwait"], lambda state, known: None)


@construct("team once serial", 9)
def taskloop(place):
    if not place.tasks:
        return None
    from sharing import each, loop_lines, nest
    program, rng = place.program, place.rng
    collapse, heads, variables, ranges, total = nest(place, place.passes, 2)
    if total == 0:  # see peers.py: clang counts 2^32 iterations
        heads = [head.replace("for (unsigned i", "for (u64 i") for head in heads]
    clauses, final = clauses_of(place)
    inner = place.task(passes=place.passes * max(1, total), names=(*place.names, *variables), included=place.included or final)
    body = block(inner, 2)
    clauses = [c.replace("task:", "taskloop:") for c in clauses]
    pieces = None
    if place.chance(0.35):
        clauses.append(f"grainsize({rng.randint(1, 5)})")
    elif place.chance(0.5):
        pieces = rng.randint(1, 9)
        clauses.append(f"num_tasks({pieces})")
    lines, before, after = [*body.lines], [], []
    shape = place.pick("plain", "plain", "reduction", "in_reduction", "nogroup", "lastprivate")
    if shape == "in_reduction" and not place.reduced or shape == "lastprivate" and total == 0:
        shape = "plain"
    site = program.site()
    c, python = expression(inner, variables[-1:])
    term = f"mix({site}u, (u64)({c}))"
    name = program.name("l")
    add_c, add_model = added(place, name)
    if shape == "reduction":
        clauses.append(f"reduction(+: {name})")
        if place.outside:
            program.uses.add("reduction outside")
        before, after = [f"u64 {name} = 5;"], [add_c]
        lines.append(f"{name} += {term};")
    elif shape == "lastprivate":
        clauses.append(f"lastprivate({name})")
        before, after = [f"u64 {name} = 5;"], [add_c]
        lines.append(f"{name} = {term};")
    elif shape == "in_reduction":
        clauses.append(f"in_reduction(+: {place.reduced})")
        lines.append(f"{place.reduced} += {term};")
    elif shape == "nogroup":
        clauses.append("nogroup")
    rng.shuffle(clauses)
    clauses = fit(place, clauses, lines)
    make = [f"#pragma omp taskloop {' '.join(clauses)}{collapse}", *loop_lines(heads, lines)]
    if shape == "nogroup" and place.where == "serial":
        make = ["#pragma omp taskgroup", "{", make, "}"]
    if pieces is None:
        program.tasks_known = False  # the runtime's choice

    def run(state, known):
        here, values = body_of(known, final), []
        state.tasks += min(pieces or 0, total)
        for _ in each(variables, ranges, here):
            body.run(state, here)
            values.append(mix(site, python(here) & MASK))
        if shape == "reduction":
            add_model(state, (sum(values) + 5) & MASK)
        elif shape == "lastprivate":
            add_model(state, values[-1])
        elif shape == "in_reduction":
            sums = known["$reductions"]
            sums[place.reduced] = (sums[place.reduced] + sum(values)) & MASK
    return Node(["{", [*before, *make, *after], "}"], run)


@construct("team once serial", 6)
def recursion(place):
    """A function that calls itself in tasks, and waits for them or not."""
    if not place.tasks:
        return None
    program, rng = place.program, place.rng
    branches, deep = rng.randint(1, 3), rng.randint(1, 5)
    while sum(branches ** k for k in range(deep + 1)) * place.passes > MOST * 2:
        deep -= 1
        if deep == 0:
            return None
    function, site = f"p{program.number}_{program.name('f')}", program.site()
    waits = place.chance(0.6)
    group_around = place.chance(0.15)
    lines, total_site = [], program.site()
    if waits:
        parts = []
        for k in range(branches):
            clauses, _ = clauses_of(place)
            if place.chance(0.2):
                clauses.append(f"final(n < {rng.randint(1, 3)})") if not any("final" in c for c in clauses) else None
            parts += [f"#pragma omp task shared(x) {' '.join(fit(place, clauses, []))}", f"x[{k}] = {function}(n - 1, at * {branches} + {k});"]
        parts.append("#pragma omp taskwait")
        if group_around:
            parts = ["#pragma omp taskgroup", "{", parts[:-1], "}"]
        total = " + ".join(f"x[{k}] * {2 * k + 1}" for k in range(branches))
        lines = [f"static u64 {function}(int n, u64 at) {{",
                 [f"if (n == 0) return mix({site}u, at);", f"u64 x[{branches}];", *parts, f"return mix({site}u, {total});"], "}"]
        call = f"add({total_site}u, {function}({deep}, 1));"
    else:
        clauses, _ = clauses_of(place)
        lines = [f"static void {function}(int n, u64 at) {{",
                 [f"add({site}u, at);", "if (n == 0) return;", f"for (int k = 0; k < {branches}; ++k) {{",
                  [f"#pragma omp task {' '.join(fit(place, clauses, []))}", f"{function}(n - 1, at * {branches} + (u64)k);"], "}"], "}"]
        call = f"{function}({deep}, 1);"
    program.functions.append(lines)

    def value(state, n, at):
        if n == 0:
            return mix(site, at)
        state.tasks += branches
        return mix(site, sum(value(state, n - 1, at * branches + k) * (2 * k + 1) for k in range(branches)) & MASK)

    def visit(state, n, at):
        state.add(site, at)
        if n:
            for k in range(branches):
                state.tasks += 1
                visit(state, n - 1, at * branches + k)

    def run(state, known):
        if waits:
            state.add(total_site, value(state, deep, 1))
        else:
            visit(state, deep, 1)
    make = [call]
    if not waits and place.where == "serial":
        make = ["#pragma omp taskgroup", call]
    return Node(make, run)


@construct("team once serial", 4)
def detached(place):
    """Tasks that end when their event is fulfilled: by themselves, by another task, by a thread that is not OpenMP's."""
    if not place.tasks or place.included:  # a final task creates none
        return None
    program = place.program
    event = program.name("e")
    body = block(place.task(), 1)
    how = place.pick("itself", "itself", "task", "task", "creator", "foreign")
    if place.depth > 3 and how == "foreign":
        how = "task"
    if how == "foreign" and (place.passes > 4 or place.where != "serial" and place.passes > 1):
        how = "creator"
    if how != "itself":
        program.uses.add("detach by another")
    program.uses.add("detach")
    extra = leaf(place)
    untied = place.pick("", "", " UNTIED")
    tail = [f"omp_fulfill_event({event});"] if how == "itself" else []
    lines = [f"omp_event_handle_t {event};", f"#pragma omp task detach({event}){untied}", "{", [*body.lines, *tail], "}"]
    tasks = 1
    if how == "task":
        tasks = 2
        clauses = place.pick("", " untied", " priority(3)", " if(zero)")
        lines += [f"#pragma omp task firstprivate({event}){clauses}", "{", [*extra.lines, f"omp_fulfill_event({event});"], "}"]
    elif how == "creator":
        lines += [*extra.lines, f"omp_fulfill_event({event});"]
    elif how == "foreign":
        lines.append(f"fulfil_elsewhere({event});")
    if place.where == "serial":
        lines = [lines[0], "#pragma omp taskgroup", "{", lines[1:], "}"]
    elif place.chance(0.5):
        lines.append("#pragma omp taskwait")

    def run(state, known):
        state.tasks += tasks
        body.run(state, dict(known))
        if how in ("task", "creator"):
            extra.run(state, known)
    return Node(["{", lines, "}"], run)
