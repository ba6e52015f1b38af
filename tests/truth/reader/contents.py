"""What a replayed recording consists of. All times are whole ns since the recording began."""
import grain_file as g


class Grain:
    """A task, a chunk or a share; also what has no metrics: implicit tasks and the initial thread's time."""

    def __init__(self, kind, parent, site=g.NO_SITE):
        self.kind, self.parent, self.site = kind, parent, site
        self.exec, self.children = 0, []
        self.creation = self.create_begin = self.creator = None
        self.thread = self.cpu = self.begin = self.end = None
        self.steps, self.parts, self.dependences = [], [], []
        self.wait_overhead = 0
        self.fragments = []      # begin and length: what lies between two of its forks and joins
        self.stays, self.inside, self.node, self.creator_node, self.said_before = [], None, None, None, False
        self.region = parent.region if parent else None
        if parent:
            parent.children.append(self)

    def thread_at(self, time):
        """For an untied task, the thread that it was on at that time."""
        return next((thread for begin, thread, _, _ in sorted(self.stays, reverse=True) if begin <= time), self.thread)

    def ran(self, begin, end):
        if end > begin:
            self.exec += end - begin


class Context:
    """What is open on a thread. `grain` works; `chain` has the steps; `maker` is the parent of what is created here."""

    def __init__(self, kind, grain=None, chain=None, maker=None, site=g.NO_SITE):
        self.kind, self.grain, self.chain, self.maker, self.site = kind, grain, chain, maker, site
        self.idle = self.blocked = self.over = False
        self.started = 0


class Region:
    def __init__(self, number):
        self.number, self.members, self.size, self.level, self.site = number, {}, 0, 0, None
        self.begin = self.end = self.within = None


class GraphRun:
    """A graph of codelets, run once: its codelets that were recorded, by node."""

    def __init__(self):
        self.graph, self.codelets = None, {}


class Wait:
    def __init__(self, site, begin, maker, blocked=0):
        self.site, self.construct, self.begin, self.end, self.maker = site, site.construct, begin, None, maker
        self.overhead = self.idle = self.started = 0
        self.blocked, self.dependences = blocked, []


class Lock:
    def __init__(self, address, site):
        self.address, self.site = address, site
        self.acquired = self.contended = self.held = self.waited = 0


class Mean:
    """The running mean of what was timed now and then."""

    def __init__(self):
        self.value, self.known = 0, False

    def add(self, ns):
        if self.known:
            self.value += int((min(ns, 4 * self.value + 100) - self.value) / 4)
        else:
            self.value, self.known = min(ns, 10000), True


class Loop:
    def __init__(self):
        self.chunks = []
