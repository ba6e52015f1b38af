"""The metrics of docs/metrics.md, of a replayed recording and its graph: seconds of the program, ns of grains."""
import bisect
import statistics

from grain_file import HAS_DEPEND, INLINED, UNDEFERRED

MOST_INTERVALS_OF_A_GRAIN = 16
MOST_INTERVALS_OF_IDLE_TIME = 1 << 14


def at_once(task):
    return bool(task.site.flags & UNDEFERRED)


def waited_for(task):
    return at_once(task) and not task.site.flags & INLINED


class Metrics:
    """`fetching`: ns of the runtime's work in waits, at those lines where tasks ran in some wait."""

    def __init__(self, run, graph, fetching):
        self.run, self.graph, self.fetching = run, graph, fetching
        self.grains = run.tasks + run.chunks + run.shares
        self.outermost = [r for r in run.regions.values() if r.level <= 1]
        self.span, self.on_longest = graph.longest(burdened=False)
        self.burdened = graph.longest(burdened=True)[0]
        self.times = {s: sum(t.time[s] for t in run.threads) / 1e9 for s in run.threads[0].time}
        self.threads = self.mean_threads()
        self.of_grains()
        self.parallelism()
        self.idle()

    # The program

    def mean_threads(self):
        """In the outermost regions; a thread that begins an inner one counts only there."""
        inside, until = 0, 0
        for region in sorted(self.outermost, key=lambda r: r.begin):
            inside += max(0, region.end - max(region.begin, until))
            until = max(until, region.end)
        capacity = sum(r.size * (r.end - r.begin) for r in self.run.regions.values())
        capacity -= sum(r.end - r.begin for r in self.run.regions.values() if r.level > 1)
        return max(1, capacity / inside) if inside else None

    def of_program(self):
        work = (sum(g.exec for g in self.grains) + self.run.initial.exec + self.run.aggregated_work) / 1e9
        span, burdened, p = self.span / 1e9, self.burdened / 1e9, self.threads or 1
        wall = self.run.file.finish / 1e9
        sets = [sum(t.exec for t in tasks) for tasks in self.graph.exclusive]
        hold = max([l.held for l in self.run.locks.values()] + sets, default=None)
        alone = sum(sets) + sum(l.held for l in self.run.locks.values() if l.site.construct != "ordered")
        t = self.times
        m = {"work_seconds": work, "span_seconds": span, "burdened_span_seconds": burdened, "parallelism": work / span,
             "burdened_parallelism": work / burdened, "threads": p, "speedup": work / wall,
             "split_work_seconds": t["work"] + t["serial"], "split_overhead_seconds": t["overhead"] + t["recorder"],
             "split_idle_seconds": t["idle"] + t["blocked"], "split_offcpu_seconds": t["offcpu"] + t["unattributed"]}
        if hold is not None:
            m["largest_hold_seconds"] = hold / 1e9
        m["time_bound_seconds"] = max(work / p, span, m.get("largest_hold_seconds", 0))
        m["speedup_bound"] = work / m["time_bound_seconds"]
        alone = min(work, span + alone / 1e9)  # at worst all that excludes others comes one after the other
        m["brent_speedup"] = work / max(m["time_bound_seconds"], alone + (work - alone) / p)
        m["burdened_speedup"] = work / max(m["time_bound_seconds"], work / p + (1 - 1 / p) * 1.7 * burdened)
        m |= self.of_tasks()
        levels = self.cut_off()
        for level in levels[:-1]:
            if level["idle_seconds"] <= level["parallelization_seconds"]:
                m["cut_off"] = level["depth"]
                break
        return m

    def of_tasks(self):
        tasks, m = self.run.tasks, {}
        execution = sum(t.exec for t in tasks)
        if execution:
            m["too_fine"] = (sum(t.creation or 0 for t in tasks) + self.fetching) / execution
            queued = [t for t in tasks if not at_once(t)]
            if queued:
                far = sum(t.exec for t in queued if t.creator_node not in (None, t.node))
                m["far_from_creator"] = far / sum(t.exec for t in queued)
        longest = even = made = by_one = given = asked = 0
        for region in self.run.regions.values():
            here = [t for t in tasks if t.region is region]
            if not here:
                continue
            longest += max(t.exec for t in here)
            even += sum(g.exec for g in self.grains if g.region is region) / region.size
            made += len(here)
            creators = [t.creator for t in here]
            busiest = max(set(creators), key=creators.count)
            if creators.count(busiest) >= 2 and 10 * creators.count(busiest) >= 9 * len(here) and region.size > 1:
                by_one += len(here)
                given += self.between([t for t in here if t.creator == busiest], here) * len(here) * (region.size - 1)
                asked += sum(t.exec for t in here)
        if even:
            m["too_coarse"] = longest / even
        if made and 10 * by_one >= 9 * made and asked:
            m["creation_bottleneck"] = given / asked
        return m

    def between(self, made, tasks):
        """Mean time from one creation of a thread to its next, where the creating task does not wait in between, without
        the tasks that the thread executed meanwhile."""
        made = sorted(made, key=lambda t: t.create_begin)
        gaps, time = [], 0
        for one, other in zip(made, made[1:]):
            waited = one.parent is other.parent and (waited_for(one) or any(
                w.maker is one.parent and w.end is not None and one.create_begin < w.end <= other.create_begin
                for w in self.run.waits))
            gaps.append(not waited)
            if not waited:
                time += other.create_begin - one.create_begin
        starts = [t.create_begin for t in made]
        for task in tasks:
            if task.thread == made[0].creator and task.begin >= starts[0] and task.end <= starts[-1]:
                gap = bisect.bisect_right(starts, task.begin) - 1
                if gap < len(gaps) and gaps[gap]:
                    time -= task.exec
        return max(0, time) / sum(gaps) if any(gaps) else 0

    def cut_off(self):
        """By depth: tasks, execution, parallelization and idle time of each, in seconds."""
        levels = {}
        tasks = [t for t in self.run.tasks if not waited_for(t)]
        for task in tasks:
            levels.setdefault(task.depth, []).append(task)
        execution, fetching = sum(t.exec for t in self.run.tasks), self.fetching
        above, cost, rows = 0, 0, []
        for depth in range(max(levels, default=-1) + 1):
            here = levels.get(depth, [])
            above += len(here)
            cost += sum(t.creation or 0 for t in here) + fetching * len(here) / len(tasks)
            longest = max((t.subtree for t in here), default=0)
            n = max(1, above) * 1e9
            rows.append({"depth": depth, "tasks": above, "exec_seconds": execution / n,
                         "parallelization_seconds": cost / n, "idle_seconds": ((self.threads or 1) - 1) * longest / n})
        return rows

    # Grains

    def of_grains(self):
        run = self.run
        for grain in self.grains:
            grain.subtree, grain.parallelization, grain.scatter, grain.critical = 0, None, None, 0
        for task in run.tasks:
            self.depth(task)
        for grain in self.grains:  # in whose subtrees it is
            at = grain
            while at is not None:
                if hasattr(at, "subtree"):
                    at.subtree += grain.exec
                at = at.inside or (at.parent if at.parent.kind == "task" else at.region.within if at.region else None)
        for node in self.on_longest:
            if node.grain and node.grain.kind != "initial":
                node.grain.critical += node.weight
        families = {}
        for task in run.tasks:
            families.setdefault(id(task.parent), []).append(task)
        for family in families.values():
            self.costs(family)
        for chunk in run.chunks:
            chunk.parallelization = chunk.creation or None
        places = {}
        for task in run.tasks:
            places.setdefault(id(task.inside or task.parent), []).append(task)
        for loop in run.loops.values():
            places[id(loop)] = loop.chunks
        for family in places.values():
            if len(family) > 1:
                pairs = [abs(a.cpu - b.cpu) for i, a in enumerate(family) for b in family[:i]]
                for grain in family:
                    grain.scatter = statistics.median(pairs)

    @staticmethod
    def depth(task):
        if not hasattr(task, "depth"):
            task.depth = Metrics.depth(task.parent) + 1 if task.parent.kind == "task" else 0
        return task.depth

    @staticmethod
    def costs(family):
        deferred = [t for t in family if not at_once(t)]
        if not deferred:
            return
        parent = family[0].parent
        share = parent.wait_overhead / len(deferred)
        timed = [t.creation for t in deferred if t.creation is not None]
        for task in family:
            if not at_once(task):
                task.parallelization = (task.creation + share or None) if task.creation is not None else None
            elif timed:
                task.parallelization = statistics.median(timed) + share or None

    def parallelism(self):
        """Instantaneous parallelism: optimistic and conservative, over intervals as long as the median grain."""
        for grain in self.grains:
            grain.optimistic = grain.conservative = None
        fragments = [(g, b, b + n) for g in self.grains for b, n in g.fragments if n > 0]
        if not fragments:
            return
        begin, end = min(f[1] for f in fragments), max(f[2] for f in fragments)
        least = (end - begin) // (MOST_INTERVALS_OF_A_GRAIN * self.rows()) + 1
        interval = max(int(statistics.median([g.exec for g in self.grains if g.exec > 0])), least, 1)
        count = int(-(-(end - begin) // interval))
        busy, full = {}, [0] * (count + 1)
        until = {}  # of each thread: what was waited for, or ran in a yield, is in its fragments, which overlap then
        for grain, b, e in sorted(fragments, key=lambda f: f[1]):
            on = grain.thread_at(b)
            thread = busy.setdefault(on, [0] * (count + 1))
            first, last = int((b - begin) / interval), int((e - begin) / interval)
            for i in range(first, min(last, count - 1) + 1):
                low, high = begin + i * interval, begin + (i + 1) * interval
                thread[i] += max(0, min(e, high) - max(b, low, until.get(on, 0)))
                if b <= low and high <= e:
                    full[i] += 1
            until[on] = max(e, until.get(on, 0))
        optimistic = [sum(2 * t[i] > min(interval, end - begin - i * interval) for t in busy.values())
                      for i in range(count)]
        for grain, b, e in fragments:
            within = range(int((b - begin) / interval), min(count - 1, int((e - begin - 1e-3) / interval)) + 1)
            for name, values, floor in (("optimistic", optimistic, 1), ("conservative", full, 0)):
                value = max(floor, min(values[i] for i in within))
                before = getattr(grain, name)
                setattr(grain, name, value if before is None else min(before, value))

    def rows(self):
        return len(self.grains) + len(self.run.implicits) + 1

    def idle(self):
        """The threads' idle time while a grain executed, divided among those that did: by interval, as metrics.md has it."""
        idle_pieces = [piece for thread in self.run.threads for piece in thread.idle_pieces]
        for grain in self.grains:
            grain.idle_caused = 0
        if not idle_pieces:
            return
        width, last = 1, max(end for _, end in idle_pieces) - 1
        while last // width >= MOST_INTERVALS_OF_IDLE_TIME:
            width *= 2
        idle, execution = by_interval(idle_pieces, width), {}
        fragments = [(grain, *part) for grain in self.grains for b, n in grain.fragments
                     for part in parts(b, b + n, width) if part[0] in idle]
        for _, i, ns in fragments:
            execution[i] = execution.get(i, 0) + ns
        for grain, i, ns in fragments:
            grain.idle_caused += idle[i] * ns / execution[i] if ns else 0


def parts(begin, end, width):
    """The intervals that a piece of time lies in, with how much of it each has."""
    for i in range(begin // width, -(-end // width)):
        yield i, min(end, (i + 1) * width) - max(begin, i * width)


def by_interval(pieces, width):
    sums = {}
    for begin, end in pieces:
        for i, ns in parts(begin, end, width):
            sums[i] = sums.get(i, 0) + ns
    return sums


def balance(instances):
    """Load balance, and by chains, of one construct: its instances are grains, and the size of their team."""
    most = mean = longest = chain = 0
    for grains, team in instances:
        by_thread = {}
        for grain in grains:
            by_thread[grain.thread] = by_thread.get(grain.thread, 0) + grain.exec
        most += max(by_thread.values())
        mean += sum(by_thread.values()) / max(team, len(by_thread))
        longest += max(g.exec for g in grains)
        chain += statistics.median(by_thread.values())
    return {"load_balance": most / mean if mean else None, "longest_to_chain": longest / chain if chain else None}
