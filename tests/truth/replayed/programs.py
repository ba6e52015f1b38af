"""A program for each construct of OpenMP that a recording tells of, in which nothing but the construct takes time. `kinds`: records that it has to leave, by their
names in src/record/format.h; a kind that none of them leaves, and that ELSEWHERE does not explain, fails the test."""

HEAD = """#include <omp.h>
#include <stdatomic.h>
#include <time.h>
static double cpu_us(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1e6 + t.tv_nsec * 1e-3; }
static __attribute__((noinline)) void busy(double us) { double e = cpu_us() + us; while (cpu_us() < e) {} }
"""
SINGLE = "#pragma omp parallel\n#pragma omp single\n"
EVERYWHERE = ["cpu_time", "region_begin", "region_end", "implicit_begin", "implicit_end", "wait_begin", "wait_end"]


class Program:
    def __init__(self, body, *kinds, before="", options=(), inexact="", compilers=("gcc", "clang"), team=1):
        """`before`: ahead of main(). `options`: of `einkorn record`. `inexact`: why a prediction with as many threads may be wider off; empty: it may not.
        `team`: that the program names."""
        self.text = f"{HEAD}{before}\nint main(void) {{\n{body}\n}}\n"
        self.kinds, self.options, self.inexact, self.compilers, self.team = [*EVERYWHERE, *kinds], options, inexact, compilers, team


def tree(options=()):
    return Program(SINGLE + "tree(7);", "task_create", *(("aggregate", "subtree") if options else ()), options=options, before="""
static void tree(int d) {
  if (!d) { busy(100); return; }
#pragma omp task
  tree(d - 1);
#pragma omp task
  tree(d - 1);
#pragma omp taskwait
}""")


PROGRAMS = {
    "static": Program("#pragma omp parallel for schedule(static)\nfor (int i = 0; i < 40; i++) busy(300);"),
    "static_cyclic": Program("#pragma omp parallel for schedule(static, 1)\nfor (int i = 0; i < 40; i++) busy(100 + 10 * i);"),
    "dynamic": Program("#pragma omp parallel for schedule(dynamic, 1)\nfor (int i = 0; i < 60; i++) busy(100 + 10 * (i % 7));",
                       "loop_begin", "chunk_begin", "chunk_end", "loop_end", "idle_begin", "idle_end"),
    "guided": Program("#pragma omp parallel for schedule(guided)\nfor (int i = 0; i < 100; i++) busy(150);", "chunk_begin_long"),
    "ordered": Program("#pragma omp parallel for ordered schedule(dynamic, 1)\nfor (int i = 0; i < 30; i++) { busy(200);\n#pragma omp ordered\nbusy(200); }",
                       "mutex_wait", "mutex_acquired", "mutex_released"),
    "doacross": Program("""#pragma omp parallel for ordered(1) schedule(static, 1)
for (int i = 0; i < 30; i++) { busy(200);
#pragma omp ordered depend(sink: i - 1)
busy(300);
#pragma omp ordered depend(source)
}""", "iteration"),
    "doacross_wavefront": Program("""#pragma omp parallel for ordered(2) schedule(static, 1)
for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) {
#pragma omp ordered depend(sink: i - 1, j) depend(sink: i, j - 1)
busy(200);
#pragma omp ordered depend(source)
}""", "iteration"),
    "sections": Program("#pragma omp parallel sections\n{\n#pragma omp section\nbusy(4000);\n#pragma omp section\nbusy(5000);\n#pragma omp section\nbusy(3000);\n}"),
    "single": Program("for (int i = 0; i < 10; i++) {\n#pragma omp parallel\n{\n#pragma omp single\nbusy(600);\nbusy(400); } }"),
    "masked": Program("for (int i = 0; i < 10; i++) {\n#pragma omp parallel\n{\n#pragma omp master\nbusy(600);\n#pragma omp barrier\nbusy(400); } }"),
    "critical": Program("#pragma omp parallel for schedule(dynamic, 1)\nfor (int i = 0; i < 20; i++) { busy(200);\n#pragma omp critical\nbusy(500); }"),
    "lock_over_barrier": Program("""omp_lock_t l; omp_init_lock(&l); int held = 0;
#pragma omp parallel
{ for (int k = 0; k < 6; k++) {
#pragma omp single
{ omp_set_lock(&l); held = omp_get_thread_num(); busy(200); }
busy(500);
#pragma omp barrier
if (held == omp_get_thread_num()) { busy(600); omp_unset_lock(&l); }
else { omp_set_lock(&l); busy(200); omp_unset_lock(&l); }
#pragma omp barrier
} }"""),
    "barriers": Program("#pragma omp parallel\nfor (int k = 0; k < 20; k++) { busy(200 + 200 * ((k + omp_get_thread_num()) % 2));\n#pragma omp barrier\n}"),
    "reduction": Program("double s = 0;\n#pragma omp parallel for reduction(+: s)\nfor (int i = 0; i < 40; i++) { busy(250); s += i; }"),
    "tasks": Program(SINGLE + "for (int i = 0; i < 40; i++) {\n#pragma omp task\nbusy(300); }", "task_create", "task_start", "task_end"),
    "brief_tasks": Program(SINGLE + "for (int i = 0; i < 20000; i++) {\n#pragma omp task\n__asm__ volatile(\"\" ::: \"memory\"); }", "task_create_brief",
                           inexact="tasks of some 100 ns: the recorder's time and theirs cannot be told apart"),
    "taskwait": tree(),
    "taskgroup": Program(SINGLE + "for (int k = 0; k < 8; k++) {\n#pragma omp taskgroup\nfor (int i = 0; i < 4; i++) {\n#pragma omp task\nbusy(300); }\nbusy(200); }", "taskgroup_begin"),
    "taskyield": Program(SINGLE + "for (int i = 0; i < 20; i++) {\n#pragma omp task untied\n{ busy(300);\n#pragma omp taskyield\nbusy(300); } }", "yield", "yield_end"),
    "taskloop": Program(SINGLE + "#pragma omp taskloop grainsize(2)\nfor (int i = 0; i < 60; i++) busy(200);", "taskloop_begin", "task_range", "taskloop_end"),
    "undeferred": Program(SINGLE + "for (int i = 0; i < 20; i++) {\n#pragma omp task if(0)\nbusy(300);\n#pragma omp task\nbusy(300); }"),
    "depend": Program(SINGLE + "{ int a[4];\nfor (int k = 0; k < 10; k++) for (int i = 0; i < 4; i++) {\n#pragma omp task depend(inout: a[i])\nbusy(250); } }", "depend"),
    "pipeline": Program(SINGLE + """{ int s0, s1, s2, b[8], c[8];
for (int i = 0; i < 24; i++) {
#pragma omp task depend(inout: s0) depend(out: b[i % 8])
busy(200);
#pragma omp task depend(inout: s1) depend(in: b[i % 8]) depend(out: c[i % 8])
busy(400);
#pragma omp task depend(inout: s2) depend(in: c[i % 8])
busy(300);
} }"""),
    "inoutset": Program(SINGLE + "{ int a;\nfor (int k = 0; k < 8; k++) { for (int i = 0; i < 4; i++) {\n#pragma omp task depend(inoutset: a)\nbusy(250); }\n#pragma omp task depend(in: a)\nbusy(300); } }", compilers=("clang",)),  # gcc from 13 on
    "mutexinoutset": Program(SINGLE + "{ int a;\nfor (int i = 0; i < 30; i++) {\n#pragma omp task depend(mutexinoutset: a)\nbusy(400); } }"),
    "mutexinoutset_two": Program(SINGLE + "{ int a[3];\nfor (int i = 0; i < 24; i++) {\n#pragma omp task depend(mutexinoutset: a[i % 3], a[(i + 1) % 3])\nbusy(300);\n#pragma omp task\nbusy(200); } }"),
    "taskwait_depend": Program(SINGLE + "{ int a, b;\nfor (int k = 0; k < 8; k++) {\n#pragma omp task depend(out: a)\nbusy(400);\n#pragma omp task depend(out: b)\nbusy(800);\n#pragma omp taskwait depend(in: a)\nbusy(200); } }"),
    "detach": Program(SINGLE + """{ int x; (void)x;
for (int i = 0; i < 8; i++) { omp_event_handle_t e;
#pragma omp task detach(e) depend(inout: x)
{ busy(100); omp_event_handle_t f = e;
#pragma omp task firstprivate(f)
{ busy(800); omp_fulfill_event(f); } } } }""", "fulfill"),
    "named_team": Program("for (int k = 0; k < 8; k++) {\n#pragma omp parallel for num_threads(2) schedule(dynamic, 1)\nfor (int i = 0; i < 8; i++) busy(300); }", team=2),
    "if_false": Program("for (int k = 0; k < 8; k++) {\n#pragma omp parallel for if(k % 2) schedule(dynamic, 1)\nfor (int i = 0; i < 8; i++) busy(300); }"),
    "repeated": Program("for (int k = 0; k < 40; k++) {\n#pragma omp parallel\nbusy(200); }"),
    "inactive": Program("for (int k = 0; k < 4; k++) {\n#pragma omp parallel for schedule(dynamic, 1)\nfor (int j = 0; j < 8; j++) {\n#pragma omp parallel for schedule(dynamic, 1)\nfor (int i = 0; i < 3; i++) busy(150); } }"),
    "inside_of_one": Program("omp_set_max_active_levels(2);\nfor (int k = 0; k < 6; k++) {\n#pragma omp parallel num_threads(1)\n{\n#pragma omp parallel for schedule(dynamic, 1)\nfor (int i = 0; i < 12; i++) busy(200); } }"),
    "nested": Program("omp_set_max_active_levels(2);\n#pragma omp parallel for num_threads(2) schedule(static, 1)\nfor (int j = 0; j < 2; j++) {\n#pragma omp parallel for num_threads(2) schedule(dynamic, 1)\nfor (int i = 0; i < 12; i++) busy(200); }"),
    "cancel": Program("for (int k = 0; k < 8; k++) {\n#pragma omp parallel\n{\n#pragma omp for schedule(dynamic, 1)\nfor (int i = 0; i < 20; i++) { busy(150); if (i == 10) {\n#pragma omp cancel for\n}\n#pragma omp cancellation point for\n} } }"),
    "teams": Program("#pragma omp teams num_teams(1)\n#pragma omp parallel for schedule(dynamic, 1)\nfor (int i = 0; i < 40; i++) busy(250);"),
    "depth": tree(("--depth", "3")),
    "filter": Program(SINGLE + "for (int i = 0; i < 20; i++) {\n#pragma omp task\nbusy(300);\n#pragma omp task\nbusy(300); }", "aggregate", options=("--filter", "p.c:9")),
}

# Records of which no construct of OpenMP by itself makes one, and the test in which they are met.
ELSEWHERE = {
    "pad": "no event", "thread_end": "the end of every stream", "time": "no event", "cpu": "no event", "recorder": "no event", "control": "reserved",
    "loss": "tests/unit/record_loss_test.cpp", "counters": "tests/unit/record_counters_test.cpp",
    "task_suspend": "procedures: tests/truth/programs/procedures.c", "stretch": "procedures: tests/truth/programs/procedures.c",
    "edge": "procedures, codelets by hand: tests/truth/programs/by_hand.c",
    "graph_run": "codelets: tests/truth/programs/codelets.c", "codelet_begin": "codelets: tests/truth/programs/codelets.c",
    "codelet_end": "codelets: tests/truth/programs/codelets.c",
    "place": "machines of several nodes: tests/numa", "footprint": "machines of several nodes: tests/numa",
    "footprint_node": "machines of several nodes: tests/numa", "affinity": "machines of several nodes: tests/numa",
    "task_create_long": "creations of more than 65,535 ticks: tests/unit/record_roundtrip_test.cpp",
    "task_next": "brief tasks that their creator runs: tests/truth/programs/fine.c", "wait_done": "tests/truth/programs/fine.c",
    "task_run": "brief tasks, one in 65 of which is timed: tests/truth/programs/fine.c",
    "chunk_next": "brief chunks: tests/truth/programs/fine.c",
    "task_start_other": "which thread takes a task is chance: tests/truth/programs/constructs.c",
}
