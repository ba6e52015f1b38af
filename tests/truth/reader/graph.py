"""The grain graph of a recording, and its longest paths. A node weighs its execution; burdened, also the cost of creating or getting it."""
import replay
from grain_file import HAS_DEPEND, INCLUDED, INLINED, NOWAIT, OF_CLANG, UNDEFERRED

OUT = 3  # and inout; in 1, mutexinoutset 4, inoutset 8
ALL_MEMORY = 128


class Node:
    __slots__ = ("weight", "burden", "grain", "before", "length", "own", "below")

    def __init__(self, weight, burden, grain):
        self.weight, self.burden, self.grain, self.before = weight, burden, grain, []


def waited_for(task):
    """By who created it, in every run."""
    return task.site.flags & (UNDEFERRED | INCLUDED) and not task.site.flags & INLINED


class Dependences:
    """Who follows whom among the tasks of one parent."""

    def __init__(self):
        self.at, self.all_memory = {}, None  # address: [last, their mode, before]
        self.exclusive, self.set_at = [], {}  # mutexinoutset: sets of tasks; by address the latest one

    def follows(self, items, task, mode_of=lambda m: m):
        """The tasks that a task with these items follows; it enters the sets, unless it is a wait (None)."""
        before = set()
        for address, mode in items:
            mode = mode_of(mode if mode in (1, 3, 4, 8, ALL_MEMORY) else OUT)
            if task and mode == 4:
                if address not in self.set_at or self.at.get(address, (None, OUT))[1] != 4:
                    self.set_at[address] = set()
                    self.exclusive.append(self.set_at[address])
                if not waited_for(task):
                    self.set_at[address].add(task)
            if mode == ALL_MEMORY:
                before |= {t for last, _, _ in self.at.values() for t in last}
                before |= {self.all_memory} if self.all_memory else set()
                if task:
                    self.at, self.all_memory = {}, task
                continue
            fresh = ({self.all_memory} if self.all_memory else set(), OUT, set())
            last, last_mode, earlier = self.at.get(address, fresh)
            if mode != OUT and mode == last_mode:
                before |= earlier
                if task:
                    self.at[address] = (last | {task}, mode, earlier)
            else:
                before |= last
                if task:
                    self.at[address] = ({task}, mode, set() if mode == OUT else last)
        return before - {task}


class Graph:
    def __init__(self, run):
        self.run, self.nodes = run, []
        for task in run.tasks:
            task.first, task.last = self.node(), self.node()
        for region in run.regions.values():
            region.fork, region.join = self.node(burden=region.members[0].begin - region.begin), self.node()
            region.barriers, region.done, region.ends = {}, {}, {}
        self.behind = []  # node, region, number of the step, members
        self.iterations, self.behind_iterations = {}, []  # doacross: loop and position: node; node, loop, position
        self.tables = []  # of dependences
        self.signals = {}  # codelet by hand: (time, signals that it still waits for, node) of each signal but the last
        for loop in run.loops.values():
            for chunk in loop.chunks:
                chunk.first_node, chunk.last_node, chunk.turn = self.node(burden=chunk.creation), self.node(), None
                chunk.of = loop
        self.chain(run.initial, run.initial.steps, self.node())
        for region in run.regions.values():
            for member in region.members.values():
                start = self.node(before=[region.fork])
                end = region.ends[member.number] = self.chain(member, member.steps, start)
                region.join.before.append(end)
                region.join.before += [t.last for t in self.below(member.phase)]
        for task in run.tasks:
            at = task.first
            steps = [s for _, part in sorted(task.parts, key=lambda p: p[0]) for s in part.steps]
            task.last.before.append(self.chain(task, steps, at))
        for loop in run.loops.values():
            self.turns(loop)
        for node, loop, position in self.behind_iterations:
            node.before += [self.iterations[loop, position]] if (loop, position) in self.iterations else []
        self.exclusive = [tasks for table in self.tables for tasks in table.exclusive if len(tasks) > 1]
        for node, region, number, members in self.behind:
            node.before += [region.done.get((m, number), region.ends[m]) for m in members]
        since = {}
        for codelet, now, task in sorted(run.fired):
            told = {left: node for then, left, node in sorted(self.signals.get(codelet, []), key=lambda s: s[:2])
                    if since.get(codelet, -1) < then <= now}
            run.task(task).first.before += told.values()
            since[codelet] = now

    def node(self, weight=0, burden=0, grain=None, before=()):
        node = Node(weight, burden or 0, grain)
        node.before += before
        self.nodes.append(node)
        return node

    def below(self, tasks):
        """These tasks and all that they created, recursively."""
        todo, found = list(tasks), []
        while todo:
            task = todo.pop()
            found.append(task)
            todo += [c for c in task.children if c.kind == "task"]
        return found

    def chain(self, maker, steps, at):
        """The nodes of one context from `at` on; the last one. `maker` is the parent of what is created."""
        if not hasattr(maker, "made"):
            maker.barriers_joined = 0
            maker.made, maker.phase, maker.groups, maker.waited_for = [], [], [], []
            maker.dependences_of_children = Dependences()
            self.tables.append(maker.dependences_of_children)
        for step in steps:
            at = getattr(self, "step_" + step[0])(maker, at, *step[1:])
        return at

    def step_run(self, maker, at, grain, ticks):
        return self.node(ticks, grain=grain, before=[at])

    def step_create(self, maker, at, task):
        fork = self.node(burden=task.creation, before=[at])
        task.first.before.append(fork)
        maker.made.append(task)
        maker.phase.append(task)
        for group in maker.groups:
            group.append(task)
        if task.site.flags & UNDEFERRED and not task.dependences:
            task.dependences, task.said_before = maker.waited_for, True
        maker.waited_for = []
        before = maker.dependences_of_children.follows(task.dependences, task)
        task.first.before += [t.last for t in before]
        if task.site.flags & UNDEFERRED and not task.site.flags & INLINED:
            return self.node(before=[fork, task.last])
        return fork

    def step_fire(self, maker, at, graph_run):
        """The codelets of a graph. Those that were not recorded take no time, and paths lead through them."""
        first, last = {}, {}
        for node in range(graph_run.graph.nodes):
            task = graph_run.codelets.get(node)
            first[node], last[node] = (task.first, task.last) if task else [self.node()] * 2
            if task:
                first[node].before.append(at)
                maker.made.append(task)
                maker.phase.append(task)
                for group in maker.groups:
                    group.append(task)
        for node, follow in enumerate(graph_run.graph.follow):
            for after in follow:
                first[after].before.append(last[node])
        return at

    def step_post(self, maker, at, number, _):
        """A step that others wait for is done."""
        maker.region.done[maker.number, number] = at
        return at

    def step_fulfill(self, maker, at, task):
        """A detached task is over when its code has ended, and this."""
        self.run.task(task).last.before.append(at)
        return at

    def step_signal(self, maker, at, codelet, now, left):
        self.signals.setdefault(codelet, []).append((now, left, at))
        return at

    def step_behind(self, maker, at, number, members):
        """It goes on behind others' steps."""
        maker.region.done.setdefault((maker.number, number), at)
        node = self.node(before=[at])
        self.behind.append((node, maker.region, number, members))
        return node

    def step_group(self, maker, at):
        maker.groups.append([])
        return at

    def step_wait(self, maker, at, wait, of_member):
        construct, flags = wait.construct, wait.site.flags
        if construct in ("taskwait", "task") and flags & HAS_DEPEND:
            assert not flags & NOWAIT, "a task without a body"
            if construct == "task" or flags & OF_CLANG:
                maker.waited_for = wait.dependences
            before = maker.dependences_of_children.follows(wait.dependences, None, lambda m: OUT if m == 4 else m)
            return self.node(before=[at, *(t.last for t in before)])
        if construct == "taskwait" or construct == "stretch" and not flags & NOWAIT:
            join = self.node(before=[at, *(t.last for t in maker.made)])
            maker.made, maker.dependences_of_children.set_at = [], {}  # behind it sets begin anew
            return join
        if construct in ("taskgroup", "codelet_graph"):
            return self.node(before=[at, *(t.last for t in self.below(maker.groups.pop()))])
        if construct in replay.BARRIERS and of_member:
            region = maker.region
            number, maker.barriers_joined = maker.barriers_joined, maker.barriers_joined + 1
            if number not in region.barriers:
                region.barriers[number] = self.node()
            join = region.barriers[number]
            join.before += [at, *(t.last for t in self.below(maker.phase))]
            maker.phase, maker.made, maker.dependences_of_children.set_at = [], [], {}
            return join
        return at

    def step_region(self, maker, at, region):
        region.fork.before.append(at)
        return region.join

    def step_loop(self, maker, at, chunks, keeping):
        join = self.node(burden=keeping, before=[at])
        for chunk in chunks:
            chunk.first_node.before.append(at)
            chunk.last_node.before.append(self.chunk_chain(maker, chunk))
        join.before += [c.last_node for c in chunks]
        return join

    def chunk_chain(self, maker, chunk):
        at = chunk.first_node
        for step in chunk.steps:
            if step[0] == "turn":
                at = chunk.turn = self.node(before=[at])
            elif step[0] == "iteration" and step[1]:
                at = self.node(before=[at])
                self.behind_iterations.append((at, chunk.of, step[2]))
            elif step[0] == "iteration":
                self.iterations.setdefault((chunk.of, step[2]), at)
            else:
                at = getattr(self, "step_" + step[0])(maker, at, *step[1:])
        return at

    def turns(self, loop):
        """For an ordered loop: each chunk has its turn after the end of the previous one."""
        if not any(c.turn for c in loop.chunks):
            return
        ordered = sorted(loop.chunks, key=lambda c: c.first)
        for before, chunk in zip(ordered, ordered[1:]):
            (chunk.turn or chunk.last_node).before.append(before.last_node)

    def longest(self, burdened):
        """Length of the longest path, and the nodes through which a path of that length leads: of several any is right."""
        order, state = [], {}
        for root in self.nodes:
            stack = [(root, iter(root.before))]
            if root in state:
                continue
            state[root] = 1
            while stack:
                node, rest = stack[-1]
                child = next(rest, None)
                if child is None:
                    stack.pop()
                    order.append(node)
                    state[node] = 2
                elif child not in state:
                    state[child] = 1
                    stack.append((child, iter(child.before)))
                else:
                    assert state[child] == 2, "a cycle"
        for node in order:
            node.own = node.weight + (node.burden if burdened else 0)
            node.length = node.own + max((n.length for n in node.before), default=0)
            node.below = 0
        longest = max(n.length for n in order)
        for node in reversed(order):
            for before in node.before:
                before.below = max(before.below, node.own + node.below)
        return longest, [n for n in order if n.length + n.below == longest]
