"""Cancellation, such that the result depends neither on how far any thread got, nor on OMP_CANCELLATION."""
from blocks import MOST, construct
from model import Node


def bounded(place, counter, low, high):
    """Checks that the work done is between two bounds, in a sum of its own."""
    site = place.program.site()
    return f"add({site}u, {counter} >= {low} && {counter} <= {high});", lambda state: state.add(site, 1)


def count(counter):
    return ["#pragma omp atomic", f"++{counter};"]


@construct("serial", 5)
def cancelled_region(place):
    """cancel parallel: all threads execute what precedes the first point at which they can be cancelled."""
    if place.passes * 2 > MOST or not place.regions:
        return None
    rng, n = place.rng, place.program.name("n")
    threads = rng.randint(1, 5)
    late = place.program.name("n")
    add_c, add_model = bounded(place, n, threads, threads)
    late_c, late_model = bounded(place, late, 0, threads * 2)
    who = rng.randrange(threads)
    more = place.pick([], ["#pragma omp barrier"], ["#pragma omp single nowait", "{ }"],
                      ["#pragma omp barrier", "#pragma omp cancellation point parallel"])
    tasks = []
    if place.chance(0.5):
        place.program.uses.add("tasks of a cancelled region")
        tasks = [f"#pragma omp task shared({late}) if({'one' if place.chance(0.8) else 'zero'})", "{", count(late), "}"]
    lines = [f"int {n} = 0, {late} = 0;", f"#pragma omp parallel num_threads({threads})", "{", [
        *count(n), *tasks, f"if (omp_get_thread_num() == {who}) {{", ["#pragma omp cancel parallel"], "}",
        "#pragma omp cancellation point parallel", *more, *count(late)], "}", add_c, late_c]

    def run(state, known):
        add_model(state)
        late_model(state)
    place.program.tasks_known = place.program.tasks_known and not tasks
    return Node(["{", lines, "}"], run)


@construct("serial", 5)
def cancelled_loop(place):
    if place.passes * 2 > MOST or not place.regions:
        return None
    rng, n, i = place.rng, place.program.name("n"), place.program.name("i")
    trips, threads = rng.randint(2, 40), rng.randint(1, 6)
    at = rng.randrange(trips)
    schedule = place.pick("static", "static, 2", "dynamic", "dynamic, 3", "guided", "auto", "runtime")
    add_c, add_model = bounded(place, n, 0, trips)
    again_c, again_model = bounded(place, f"{n}b", trips, trips)
    loop = f"for (int {i} = 0; {i} < {trips}; ++{i}) {{"
    point = ["#pragma omp cancellation point for"] if place.chance(0.6) else []
    lines = [f"int {n} = 0, {n}b = 0;", f"#pragma omp parallel num_threads({threads})", "{", [
        f"#pragma omp for schedule({schedule})", loop,
        [*point, f"if ({i} == {at}) {{", ["#pragma omp cancel for"], "}", *count(n)], "}",
        f"#pragma omp for schedule({schedule})", loop, count(f"{n}b"), "}"], "}", add_c, again_c]

    def run(state, known):
        add_model(state)
        again_model(state)
    return Node(["{", lines, "}"], run)


@construct("serial", 3)
def cancelled_sections(place):
    if place.passes * 2 > MOST or not place.regions:
        return None
    rng, n = place.rng, place.program.name("n")
    parts = rng.randint(2, 5)
    at = rng.randrange(parts)
    add_c, add_model = bounded(place, n, 0, parts)
    lines = []
    for k in range(parts):
        cancel = ["#pragma omp cancellation point sections"]
        if k == at:
            cancel = ["if (one) {", ["#pragma omp cancel sections"], "}"]
        lines += ["#pragma omp section", "{", [*cancel, *count(n)], "}"]
    lines = [f"int {n} = 0;", f"#pragma omp parallel num_threads({rng.randint(1, 5)})", "{",
             ["#pragma omp sections", "{", lines, "}"], "}", add_c]
    return Node(["{", lines, "}"], lambda state, known: add_model(state))


@construct("serial team once", 5)
def cancelled_group(place):
    """cancel taskgroup: tasks of the group that have not begun may be left out, but none outside it."""
    if not place.tasks:
        return None
    rng, n, k = place.rng, place.program.name("n"), place.program.name("k")
    trips = place.trips(12, 1)
    at = rng.randrange(trips)
    add_c, add_model = bounded(place, n, 0, 2 * trips)
    out_c, out_model = bounded(place, f"{n}b", 1, 1)
    inner = []
    if place.chance(0.4):
        wait = ["#pragma omp taskwait"] if place.chance(0.5) else []
        inner = [f"#pragma omp task shared({n})", "{", count(n), "}", *wait]
    depends = place.pick("", f" depend(inout: {n})", f" depend(in: {n})")
    untied = place.pick("", "", " UNTIED")
    body = [*inner, f"if ({k} == {at}) {{", ["#pragma omp cancel taskgroup"], "}",
            "#pragma omp cancellation point taskgroup", *count(n)]
    loop = [f"for (int {k} = 0; {k} < {trips}; ++{k}) {{",
            [f"#pragma omp task shared({n}) firstprivate({k}){depends}{untied}", "{", body, "}"], "}"]
    lines = [f"int {n} = 0, {n}b = 0;", f"#pragma omp task shared({n}b)", "{", count(f"{n}b"), "}",
             "#pragma omp taskgroup", "{", loop, "}", "#pragma omp taskwait", add_c, out_c]

    def run(state, known):
        add_model(state)
        out_model(state)
    place.program.tasks_known = False
    return Node(["{", lines, "}"], run)
