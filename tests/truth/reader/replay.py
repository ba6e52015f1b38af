"""What the threads of a recording did: their time by state, grains with their pieces of execution, and the steps of each
context, from which the grain graph follows. All times are whole ns since the recording began."""
import grain_file as g
from actions import ACTIONS, OF_THE_RECORD_BEFORE
from contents import Context, Grain, Mean, Wait
from locks import Locks

STATES = "work overhead idle blocked serial offcpu recorder unattributed".split()
BARRIERS = {"barrier", "barrier_workshare", "loop", "sections", "single", "scope", "reduction"}

BEGINS_OF_SHARES = (6, 7, 15, 45)  # region_end, implicit_begin, wait_end, wait_done; a loop_end, too, with rules of its own
ENDS_OF_SHARES = (5, 8, 14, 18)  # region_begin, implicit_end, wait_begin, loop_begin


class Thread(Locks):
    def __init__(self, run, stream):
        self.run, self.file, self.stream = run, run.file, stream
        self.time = dict.fromkeys(STATES, 0)
        self.outside = 0
        self.cpu = self.node = None
        self.serials = 0
        self.overhead_until = 0  # a creation, or waking others; or what is assumed to be overhead
        self.guessed = False     # after a shared stamp, which the next stamp cuts short
        self.creating = None     # the task of that creation
        self.overhead_wait = None  # the wait that it is in
        self.after = None        # the kind of the record before
        self.idle_pieces = []
        self.over = False
        self.share_from = None  # where a share or fragment begins that has only the recorder's own work so far
        self.reading = None      # a cpu_time that the next record has to come to
        self.last_cpu = None     # the last cpu_time, with time by state then
        self.offcpu, self.missed = 0, 0  # without a CPU: of work; in whatever state of a team
        self.cpu_ns = self.switches = 0
        self.holding = {}
        self.lock_wait = None
        self.last_task = self.depends_on = None
        self.means = {name: Mean() for name in ("create", "first", "next", "done", "chunk")}
        grain = run.initial if stream.is_initial else None
        self.stack = [Context("base", grain, grain, grain)]
        self.now = run.file.ns(stream.begin) if stream.is_initial else None
        if stream.is_initial:
            run.initial.thread = stream.index
            run.initial.begin = self.now

    # Time

    def state(self):
        top = self.stack[-1]
        if top.kind == "base":
            return "serial" if self.stream.is_initial else "outside"
        if top.blocked:
            return "blocked"
        if top.idle:
            return "idle"
        return "work" if top.kind in ("implicit", "task", "chunk") and not top.over else "overhead"

    def spend(self, state, begin, end, wait=None):
        if end <= begin:
            return
        if state == "outside":
            self.outside += end - begin
            return
        self.time[state] += end - begin
        top = self.stack[-1]
        if state in ("work", "serial"):
            grain = self.share() if top.kind == "implicit" else top.grain
            grain.ran(begin, end)
            steps = top.chain.steps
            last = next((i for i in reversed(range(len(steps))) if steps[i][0] != "group"), None)  # which ends no fragment
            if last is not None and steps[last][0] == "run" and steps[last][1] is grain:
                steps[last] = ("run", grain, steps[last][2] + end - begin)
                grain.fragments[-1] = (grain.fragments[-1][0], steps[last][2])
            else:
                steps.append(("run", grain, end - begin))
                grain.fragments.append((self.begun(begin), end - begin))
        elif top.kind == "loop" and state == "overhead":
            top.keeping += end - begin
        elif state == "idle":
            self.idle_pieces.append((begin, end))
        if wait and state in ("overhead", "idle", "blocked"):
            setattr(wait, state, getattr(wait, state) + end - begin)

    def advance(self, now):
        """Up to a time: overhead that is owed first, then the state."""
        if self.now is None:
            self.now = now
        if now <= self.now:
            return
        until = min(now, self.overhead_until)
        if until > self.now:
            if self.creating:
                self.creating.creation = until - self.creating.create_begin
            self.spend("overhead", self.now, until, self.overhead_wait)
            self.now = until
        self.creating = self.overhead_wait = None
        if self.guessed:
            self.overhead_until, self.guessed = self.now, False
        top = self.stack[-1]
        self.spend(self.state(), self.now, now, top.grain if top.kind == "wait" else None)
        self.now = now

    def guess(self, mean):
        """A record without a stamp of its own: some overhead follows it."""
        top = self.stack[-1]
        self.overhead_until, self.guessed, self.creating = self.now + mean.value, True, None
        self.overhead_wait = top.grain if top.kind == "wait" else None

    def spend_until(self, now, state):
        self.spend(state, self.now, now)
        self.now = max(self.now, now)

    # Contexts

    def innermost(self, *kinds):
        return next(c for c in reversed(self.stack) if c.kind in kinds)

    def begun(self, now):
        """When what begins to execute now began: before the recorder's own work, if that came first."""
        return now if self.share_from is None else self.share_from

    def share(self):
        """The open share of the innermost implicit task; begins one if there is none."""
        context = self.stack[-1]
        if context.grain is None:
            share = context.grain = Grain("share", context.maker, context.maker.site)
            share.phase = context.maker.barriers
            share.thread, share.cpu, share.begin = self.stream.index, self.cpu, self.begun(self.now)
            self.run.shares.append(share)
        return context.grain

    def end_share(self):
        top = self.stack[-1]
        if top.kind == "implicit" and top.grain:
            top.grain.end = self.now
            top.grain = None

    def push(self, context, ends_share=True):
        if ends_share:
            self.end_share()
        self.stack.append(context)

    def play(self):
        for ticks, kind, payload, words in self.stream.records:
            now, self.ticks = self.file.ns(ticks), ticks
            if kind == 53:
                continue  # counters take no time
            action = getattr(self, ACTIONS[kind])  # none of a loss, of what was aggregated: neither is known here
            if kind in OF_THE_RECORD_BEFORE:
                action(payload, words)
            elif kind == 29:
                self.take_reading(False)
                self.advance(self.file.ns(ticks - payload))
                self.share_from = self.begun(self.now)
                self.spend_until(now, "recorder" if self.state() != "outside" else "outside")
            else:
                self.record(now, kind, action, payload, words)
                self.share_from = None
        self.take_reading(False)
        if not self.over:
            self.advance(self.file.finish)
        self.end_share()

    def record(self, now, kind, action, payload, words):
        within = kind in (14, 37) and self.in_one_call(kind, self.file.sites[payload])
        self.take_reading(within)
        if kind == 3:
            self.reading = (now, payload, words)
            if self.after not in (22, 26, 38):
                self.take_reading(False)
            return
        if kind == 46:
            return self.on_aggregate(payload, words)
        if within:
            self.spend_until(now, "overhead")
        if kind == 42 and not self.file.sites[payload].flags & g.UNDEFERRED:
            self.advance(max(self.now, now - self.means["create"].value))
        elif kind == 44:
            self.advance(min(now, max(self.now, self.overhead_until) + self.fetching().value))
        else:
            before = self.now
            self.advance(now)
            self.stamped = before is not None and self.now > before and self.now - before
        if kind in ENDS_OF_SHARES and self.after in BEGINS_OF_SHARES and self.stack[-1].kind == "implicit" and not self.stack[-1].over:
            self.share()  # also one in which no time passed, by a clock that moves in steps
        action(payload, words)
        if kind == 42:
            self.overhead_until = max(self.now, now)
        elif kind == 44:
            self.advance(now)
            self.on_task_end(0, [])
        self.after = kind

    def fetching(self):
        return self.means["next" if self.after in (13, 44) else "first"]

    def in_one_call(self, kind, site):
        """gcc's programs pass from a loop's end to its barrier without returning, and from a taskloop to its group."""
        if kind == 14 and self.after == 22:
            return site.construct == "barrier_workshare" and not site.flags & g.OF_CLANG
        return self.after in (26, 38) and self.call == site.return_address != 0

    def after_ticks(self, duration):
        return self.file.ns(self.ticks + duration)

    def on_nothing(self, payload, words):
        """A record that is not needed here."""

    def on_thread_end(self, payload, words):
        self.over = True

    def on_task_next(self, payload, words):
        self.timed_or_guessed(self.fetching())
        self.on_task_start(payload, words)

    def on_wait_done(self, payload, words):
        self.timed_or_guessed(self.means["done"])
        self.on_wait_end(payload, words)

    def timed_or_guessed(self, mean):
        if self.stamped:
            mean.add(self.stamped)
        else:
            self.guess(mean)

    def on_chunk_next(self, payload, words):
        self.on_chunk_end(payload, words)
        self.advance(self.now + self.means["chunk"].value)
        self.begin_chunk_at(payload)

    def on_cpu(self, payload, words):
        self.cpu, self.node = payload & 0xfffff, payload >> 20

    def take_reading(self, within):
        """A record of CPU time: it has the stamp of the record after it, which tells to whom the time before both belongs."""
        if self.reading:
            now, payload, words = self.reading
            if within:
                self.spend_until(now, "overhead")
            self.advance(now)
            self.reading = None
            self.on_cpu_time(payload, words)

    def on_cpu_time(self, payload, words):
        here = (self.now, words[0], words[1], dict(self.time), self.outside)
        if self.last_cpu:
            then = self.last_cpu
            wall, cpu, slept, outside = here[0] - then[0], here[1] - then[1], here[2] - then[2], here[4] - then[4]
            missed = max(0, wall - outside - cpu - slept)
            if missed < 20000 and missed < wall / 100:
                missed = 0
            work, serial = (here[3][s] - then[3][s] for s in ("work", "serial"))
            rest = max(0, wall - work - serial - outside - slept)
            bearing = work + serial + rest
            if missed and bearing:
                self.offcpu += min(work, int(missed * work / bearing))
                self.missed += int(missed * (work + rest) / bearing)
        self.last_cpu = here
        self.cpu_ns, self.switches = words[0], payload

    def on_aggregate(self, payload, words):
        """How the time up to here divides: what is not work, overhead, idle or blocked was spent in the state before."""
        took, *parts = words
        end = self.file.ns(self.ticks)
        self.advance(self.file.ns(self.ticks - took))
        whole = rest = max(0, end - self.now)
        lengths = []
        for part in parts:
            lengths.append(min(rest, int(min(1, part / took) * whole) if took else 0))
            rest -= lengths[-1]
        self.advance(self.now + rest)
        self.time["work"] += lengths[0]  # of no grain that is described
        self.now += lengths[0]
        for state, length in zip(("overhead", "idle", "blocked"), lengths[1:]):
            self.spend(state, self.now, self.now + length, self.stack[-1].grain if self.stack[-1].kind == "wait" else None)
            self.now += length

    def on_subtree(self, payload, words):
        self.run.aggregated += words[1]
        self.run.aggregated_work += self.file.ns(self.file.begin + words[3])

    def on_region_begin(self, payload, words):
        region = self.run.region(words[0])
        region.size, region.level, region.site = words[1] & 0xffffffff, words[1] >> 32, self.file.sites[payload]
        region.begin, top = self.now, self.stack[-1]
        region.within = top.grain if top.kind in ("task", "chunk") else None
        self.end_share()
        self.stack[-1].chain.steps.append(("region", region))
        self.push(Context("region", None, None, None))
        self.stack[-1].region = region

    def on_region_end(self, payload, words):
        self.stack.pop().region.end = self.now

    def on_implicit_begin(self, payload, words):
        region = self.run.region(words[0])
        implicit = Grain("implicit", None, g.NO_SITE)
        implicit.region, implicit.number, implicit.loops, implicit.barriers = region, payload, 0, 0
        implicit.thread, implicit.cpu, implicit.begin = self.stream.index, self.cpu, self.now
        region.members[payload] = implicit
        self.run.implicits.append(implicit)
        self.push(Context("implicit", None, implicit, implicit))

    def on_implicit_end(self, payload, words):
        self.end_share()
        self.stack.pop().maker.end = self.now

    # Tasks

    def on_create(self, site, cost):
        top = self.stack[-1]
        context = self.innermost("task", "implicit", "base", "chunk")
        self.serials += 1
        task = self.run.task(self.stream.index << 48 | self.serials)
        task.site, task.parent, task.create_begin = self.file.sites[site], context.maker, self.now
        task.creator = self.stream.index
        task.creator_node = self.node
        task.inside = context.grain if context.kind == "chunk" else None
        context.maker.children.append(task)
        at_once = task.site.flags & g.UNDEFERRED
        task.creation = None if at_once or cost is None else 0
        if context.kind == "implicit" and context is top:
            self.share()
        context.chain.steps.append(("create", task))
        self.overhead_until, self.guessed = self.after_ticks(cost or 0), False
        self.creating = None if at_once else task
        self.last_task = task
        self.run.tasks.append(task)

    def on_task_create(self, payload, words):
        if not self.file.sites[payload & 0xffff].flags & g.UNDEFERRED:
            self.means["create"].add(self.after_ticks(payload >> 16) - self.now)
        self.on_create(payload & 0xffff, payload >> 16)

    def on_task_create_long(self, payload, words):
        self.on_create(payload, words[0])

    def on_task_create_brief(self, payload, words):
        mean = self.means["create"]
        self.on_create(payload, 0 if mean.known else None)
        if not mean.known:
            self.creating = None

    def on_task_start(self, payload, words):
        serial = (self.serials & ~0xffffffff) | payload
        if serial > self.serials:
            serial -= 1 << 32
        self.start(self.run.task(self.stream.index << 48 | serial))

    def on_task_start_other(self, payload, words):
        self.start(self.run.task(words[0]))

    def start(self, task):
        self.stack[-1].idle = False
        top = self.stack[-1]
        if top.kind == "wait":
            top.grain.started += 1
        task.stays.append((max(self.now, self.overhead_until), self.stream.index, self.cpu, self.node))
        part = Grain("part", None)
        task.parts.append((self.now, part))
        self.stack.append(Context("task", task, part, task))

    def on_task_end(self, payload, words):
        self.ended = self.stack.pop().grain
        self.ended.end = self.now

    def on_task_suspend(self, payload, words):
        if payload:  # a procedure's instance: what follows comes after its children
            self.cut(payload)
        self.stack.pop()

    def on_stretch(self, payload, words):
        """In a region's instance it mostly follows a wait, or its begin: then it only names what comes."""
        if self.stack[-1].kind == "task" or self.stack[-1].grain:
            self.cut(payload)

    def on_edge(self, payload, words):
        if payload in (4, 5):  # of the task that it names; of the one created just before
            self.run.fired.append((words[0], self.file.ns(self.ticks), words[1] if payload == 4 else self.stream.index << 48 | self.serials))
            return
        if payload >= 6:  # a name
            return
        if payload == 3:
            self.stack[-1].chain.steps.append(("signal", words[0], self.file.ns(self.ticks), words[1]))
            return
        members = [words[1] & 0xffffffff, words[1] >> 32][:payload]
        self.stack[-1].chain.steps.append(("behind" if members else "post", words[0], members))

    def cut(self, payload):
        self.stack[-1].chain.steps.append(("wait", Wait(self.file.sites[payload], self.now, self.stack[-1].maker), False))

    # Waits, loops

    def on_wait_begin(self, payload, words):
        site = self.file.sites[payload]
        chain, maker = self.stack[-1].chain, self.stack[-1].maker
        wait = Wait(site, self.now, maker)
        self.run.waits.append(wait)
        self.push(Context("wait", wait, chain, maker, site))
        self.stack[-1].blocked = site.construct == "ordered"

    def on_graph_run(self, payload, words):
        """What else happens in it, a region that is begun for the run, comes after its join."""
        top, context = self.stack[-1], self.innermost("task", "implicit", "base", "chunk")
        graph_run = self.run.run_of(words[0])
        graph_run.graph, graph_run.begin = self.file.graphs.get(words[1], g.NO_GRAPH), self.now
        graph_run.maker, graph_run.inside = context.maker, context.grain if context.kind == "chunk" else None
        graph_run.creator, graph_run.node = self.stream.index, self.node
        top.chain.steps += [("group",), ("fire", graph_run)]
        self.on_wait_begin(payload, words)
        top.chain.steps.append(("wait", self.stack[-1].grain, False))

    def on_codelet_begin(self, payload, words):
        self.start(self.run.run_of(words[0]).codelets.setdefault(payload, Grain("task", None)))

    def on_wait_end(self, payload, words):
        wait = self.stack.pop().grain
        wait.end = self.now
        top = self.stack[-1]
        if top.chain is not None and wait.construct != "codelet_graph":
            top.chain.steps.append(("wait", wait, top.kind == "implicit"))
        if wait.construct in BARRIERS and top.kind == "implicit":
            top.maker.barriers += 1
        if wait.construct == "barrier_parallel" and top.kind == "implicit":
            top.over = True

    def on_idle_begin(self, payload, words):
        self.stack[-1].idle = True

    def on_idle_end(self, payload, words):
        self.stack[-1].idle = False

    def on_loop_begin(self, payload, words):
        implicit = self.stack[-1].maker
        loop = self.run.loop(implicit.region, implicit.loops)
        implicit.loops += 1
        loop.site, loop.iterations, loop.chunk = self.file.sites[payload], words[1], words[3] & 0xffffffff
        loop.schedule, loop.flags = words[3] >> 32 & 255, words[3] >> 40 & 255
        self.push(Context("loop", None, self.stack[-1].chain, implicit, loop.site))
        self.stack[-1].loop, self.stack[-1].chunks, self.stack[-1].since, self.stack[-1].keeping = loop, [], self.now, 0

    def on_loop_end(self, payload, words):
        context = self.stack.pop()
        self.stack[-1].chain.steps.append(("loop", context.chunks, context.keeping))

    def begin_chunk(self, first, count):
        context = self.stack[-1]
        chunk = Grain("chunk", context.maker, context.site)
        chunk.loop, chunk.first, chunk.count = context.loop, first, count
        chunk.thread, chunk.cpu, chunk.begin = self.stream.index, self.cpu, self.now
        chunk.creation, chunk.create_begin = context.keeping, context.since
        context.chunks.append(chunk)
        context.loop.chunks.append(chunk)
        self.run.chunks.append(chunk)
        self.stack.append(Context("chunk", chunk, chunk, context.maker))

    def on_chunk_begin(self, payload, words):
        if self.after == 21 and self.stamped:
            self.means["chunk"].add(self.stamped)
        self.begin_chunk_at(payload)

    def begin_chunk_at(self, payload):
        loop = self.stack[-1].loop
        self.begin_chunk(payload, min(loop.chunk, loop.iterations - payload))

    def on_chunk_begin_long(self, payload, words):
        self.begin_chunk(*words)

    def on_chunk_end(self, payload, words):
        self.stack.pop().grain.end = self.now
        self.stack[-1].since, self.stack[-1].keeping = self.now, 0

    def on_yield(self, payload, words):
        self.push(Context("yield", None, self.stack[-1].chain, self.stack[-1].maker), ends_share=False)

    def on_yield_end(self, payload, words):
        self.stack.pop()

    def on_taskloop_begin(self, payload, words):
        self.push(Context("taskloop", None, self.stack[-1].chain, self.stack[-1].maker, self.file.sites[payload]),
                  ends_share=False)

    def on_taskloop_end(self, payload, words):
        self.call = self.stack.pop().site.return_address

    def on_taskgroup_begin(self, payload, words):
        self.stack[-1].chain.steps.append(("group",))
        self.call = self.file.sites[payload].return_address

    def on_depend(self, payload, words):
        """Dependences of the previous record: a creation, the wait of a task that is about to be created, or a taskwait."""
        items = [(words[i], words[i + 2]) for i in range(0, 3 * payload, 3)]
        if self.after in (14,):
            self.stack[-1].grain.dependences += items
        elif self.after in (9, 10, 42):
            self.last_task.dependences += items
        elif self.after in (13, 44) and self.ended:
            self.ended.dependences += items
