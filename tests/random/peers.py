"""What the peers get wrong, and is therefore left out of their runs; ours runs all of it.

A program's `uses` names these. Constructs that compilers get wrong are never generated, for no library can help:
  gcc 12    decreasing loops of unsigned and unsigned short that the runtime hands out run no iteration (sharing.py)
  gcc 12    omp_init_lock_with_hint() is declared and not defined; depend(inoutset) is not known (harness)
  clang 19  variables of an untied task's own body are lost when it waits or creates tasks (tasking.py: UNTIED)
  clang 19  a taskloop over unsigned without any iteration is handed out as one of 2^32 (tasking.py)
"""
FAULTS = {
    "reduction outside": ("libgomp", "a task reduction outside of all parallel regions: free() of what was not allocated"),
    "detach by another": ("libgomp", "a task that it runs at once, as in a team of one or behind 64 others, waits there for its event"),
    "untied undeferred": ("libomp", "an untied task with an if clause that makes tasks: an assertion of its own fails"),
    "sink beyond": ("libomp", "clang passes the number of iterations as the last one; a sink behind it is waited for"),
    "league limit": ("libomp", "the thread_limit of a league on the host stays in force behind it"),
    "detach": ("libomp", "a detached task outside of parallel regions, or in a team of one: a later barrier's assertion fails"),
    "tasks of a cancelled region": ("libomp", "where a region with tasks is cancelled, one of the next hangs now and then"),
    "lastprivate dynamic": ("libomp", "a thread other than that of the last iteration may say what the value is (one run in twenty)"),
}


def left_out(library, uses):
    """Does such a program use something that the library gets wrong?"""
    return any(FAULTS[name][0] == library for name in uses)
