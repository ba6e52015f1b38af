"""A whole recording: its threads replayed, and what they did brought together."""
import grain_file as g
from contents import Grain, GraphRun, Lock, Loop, Region
from replay import Thread


class Run:
    """A whole recording."""

    def __init__(self, path):
        self.file = g.GrainFile(path)
        self.initial = Grain("initial", None)
        self.tasks, self.chunks, self.shares, self.implicits, self.waits = [], [], [], [], []
        self.by_id, self.regions, self.loops, self.locks, self.runs = {}, {}, {}, {}, {}
        self.fired = []  # codelet by hand, when, task id
        self.aggregated = 0  # tasks that were created and are not described
        self.aggregated_work = 0  # of these and of chunks, ns
        self.threads = [Thread(self, stream) for _, stream in sorted(self.file.streams.items())]
        for thread in self.threads:
            thread.play()
        for graph_run in self.runs.values():
            self.describe(graph_run)
        for task in self.tasks:
            task.begin, task.thread, task.cpu, task.node = min(task.stays)
            task.begin = min(task.begin, task.end)
            above = task.parent
            while above.kind == "task":  # which may have been made on a thread that is replayed later
                above = above.parent
            task.region = above.region
        for wait in self.waits:
            wait.maker.wait_overhead += wait.overhead
        for thread in self.threads:
            thread.time["work"] -= thread.offcpu
            thread.time["offcpu"] += thread.offcpu

    def describe(self, graph_run):
        """Its codelets are created by who ran the graph, when it began; that may have been replayed after them."""
        for node in graph_run.graph.order():
            if task := graph_run.codelets.get(node):
                task.site = self.file.sites[graph_run.graph.site_of(node)]
                task.parent, task.creator, task.creator_node = graph_run.maker, graph_run.creator, graph_run.node
                task.create_begin, task.creation, task.inside = graph_run.begin, 0, graph_run.inside
                graph_run.maker.children.append(task)
                self.tasks.append(task)

    def run_of(self, number):
        return self.runs.setdefault(number, GraphRun())

    def task(self, number):
        if number not in self.by_id:
            self.by_id[number] = Grain("task", None)
        return self.by_id[number]

    def region(self, number):
        return self.regions.setdefault(number, Region(number))

    def loop(self, region, ordinal):
        return self.loops.setdefault((region.number, ordinal), Loop())

    def lock(self, address, site):
        return self.locks.setdefault(address, Lock(address, site))
