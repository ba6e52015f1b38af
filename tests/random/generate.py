"""Programs by their numbers: the same seed and number give the same program everywhere."""
import functools

import model
from blocks import Place, Program, Slots, any_construct
import cancelling, depending, handing, regions, sharing, tasking  # noqa: E401,F401  each notes its constructs

HEAD = """/* Programs {first} to {last} of seed {seed}, made by tests/random/generate.py. */
#include "harness.h"
"""


class Made:
    """A program: its C, its results for each number of threads, and how many tasks it creates (None: the runtime's choice)."""

    def __init__(self, seed, number):
        program = Program(seed, number)
        place, nodes = Place(program, "serial", slots=Slots()), []
        while program.left > 0:
            nodes.append(any_construct(place))
        self.number, self.uses, self.body, self.tasks_known = number, program.uses, model.sequence(nodes), program.tasks_known
        functions = [line for function in program.functions for line in model.text(function, 0)]
        self.c = "\n".join([*functions, f"static void p{number}(void) {{", *model.text(self.body.lines), "}"])

    @functools.cached_property
    def states(self):
        """The results of the sequential model, for each number of threads."""
        out = []
        for threads in model.THREADS:
            state = model.State(threads)
            self.body.team(state, [{"$": {}, "#threads": 1, "#level": 0, "#active": 0, "#final": 0}])
            out.append(state)
        return out

    @property
    def expected(self):
        return [state.total() for state in self.states]

    @property
    def tasks(self):
        return [state.tasks for state in self.states] if self.tasks_known else None

    def entry(self):
        return f"  {{{self.number}, p{self.number}, {{{', '.join(f'{e:#x}ull' for e in self.expected)}}}}},"


def unit(seed, numbers):
    """One file of C: (text, programs)."""
    made = [Made(seed, number) for number in numbers]
    text = [HEAD.format(first=numbers[0], last=numbers[-1], seed=seed), *[m.c + "\n" for m in made],
            "const struct program programs[] = {", *[m.entry() for m in made], "};",
            f"const int number_of_programs = {len(made)};", f"const int last_words = {numbers[0] // max(1, len(made)) % 6};"]
    return "\n".join(text) + "\n", made


if __name__ == "__main__":
    import sys
    print(unit(int(sys.argv[1]), range(int(sys.argv[2]), int(sys.argv[3])))[0], end="")
