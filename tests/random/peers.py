"""What the peers get wrong, and is therefore left out of their runs; ours runs all of it.

A program's `uses` names these, of a library or of a compiler: what clang makes of its own form is wrong under ours, too, and runs
there as codelets only. Constructs that compilers get wrong are never generated, for no library can help:
  gcc 12    decreasing loops of unsigned and unsigned short that the runtime hands out run no iteration (sharing.py)
  gcc 12    omp_init_lock_with_hint() is declared and not defined; depend(inoutset) is not known (harness)
  clang 19  variables of an untied task's own body are lost when it waits or creates tasks (tasking.py: UNTIED)
  gcc 12    lastprivate(conditional) in loops that go down: the largest counter is taken for the latest; a value that is assigned
            straight from a call is lost (handing.py)
  clang 19  a scan forgets what its variable was before the loop (handing.py)
  clang 19  a taskloop over unsigned without any iteration is handed out as one of 2^32 (tasking.py)
"""
SCAN = "a scan in a loop of a region around it, or with lastprivate, gives other values, with one thread, too"
CONDITIONAL = "lastprivate(conditional) hands on the value of an earlier iteration now and then"
FAULTS = {
    "scan": ("clang", SCAN),
    "scan in a kept region": ("clang's kept regions", SCAN),
    "conditional": ("clang", CONDITIONAL),
    "conditional in a kept region": ("clang's kept regions", CONDITIONAL),
    "reduction outside": ("libgomp", "a task reduction outside of all parallel regions: free() of what was not allocated"),
    "detach by another": ("libgomp", "a task that it runs at once, as in a team of one or behind 64 others, waits there for its event"),
    "untied undeferred": ("libomp", "an untied task with an if clause that makes tasks: an assertion of its own fails"),
    "sink beyond": ("libomp", "clang passes the number of iterations as the last one; a sink behind it is waited for"),
    "league limit": ("libomp", "the thread_limit of a league on the host stays in force behind it"),
    "detach": ("libomp", "a detached task outside of parallel regions, or in a team of one: a later barrier's assertion fails"),
    "tasks of a cancelled region": ("libomp", "where a region with tasks is cancelled, one of the next hangs now and then"),
    "lastprivate dynamic": ("libomp", "a thread other than that of the last iteration may say what the value is (one run in twenty)"),
}


def makers(compiler, library, environment, regions_left):
    """Whose work a program runs: a library, and of the compiler its forms of all regions, or, where einkorn cc has left none to
    OpenMP, of those that stay in it."""
    by = compiler.split("-")[0]
    codelets = by != compiler and library == "ours" and dict(environment).get("EINKORN_CODELETS") != "off" and not regions_left
    return {library, f"{by}'s kept regions", *([] if codelets else [by])}


def left_out(makers, uses):
    """Does such a program use something that one of them gets wrong?"""
    return any(FAULTS[name][0] in makers for name in uses)
