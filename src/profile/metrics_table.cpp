#include "profile/metrics.h"

namespace einkorn::profile {
namespace {

using enum Metric;
using enum BadSide;
using enum ThresholdOf;
using enum ColourScale;

constexpr double kNo = kAbsent;

constexpr MetricInfo kTable[] = {
    // ---- of each grain
    {exec, "exec", "execution time", "ns", kOfAll, none, kNo, itself, logarithmic,
     "The grain's own user code: all its fragments, without the children that ran inside it, its waits, its locks "
     "and the runtime.",
     "", "Muddukrishna, thesis 5.4"},
    {creation, "creation", "creation time", "ns", kOfChunks | kOfTasks, none, kNo, itself, logarithmic,
     "What its creator took to create it; for a chunk, the book-keeping before it. Absent for tasks that were run "
     "at once instead of being queued.",
     "", "Muddukrishna, thesis 5.4.2"},
    {parallelization, "parallelization", "parallelization cost", "ns", kOfChunks | kOfTasks, none, kNo, itself,
     logarithmic,
     "Its creation time, and its part of the runtime's overhead in the waits of its parent, which all deferred "
     "siblings share evenly; what children execute in those waits, and idling, is not counted. For a chunk, the "
     "book-keeping. For a task that was run at once: the median of its deferred siblings, marked as estimated, as "
     "what it would have cost.",
     "", "Muddukrishna, thesis 5.4.2; the even share is ours, over all waits of the parent"},
    {parallel_benefit, "parallel_benefit", "parallel benefit", "", kOfChunks | kOfTasks, below, 1, itself, logarithmic,
     "Execution time over parallelization cost. Below 1 the grain costs more than it does: better run by its parent.",
     "Below 1 a serial execution is faster", "Muddukrishna, thesis 5.4.2"},
    {work_deviation, "work_deviation", "work deviation", "", kOfAll, above, 2, itself, logarithmic,
     "Execution time over that of the same grain in a second recording, usually on one thread. Above 1 the same "
     "work takes longer here: remote memory, shared caches and bandwidth.",
     "The thesis' default; 1.2 shows more", "Muddukrishna, thesis 5.4.2; Olivier 4.3 (work time inflation)"},
    {memory_utilization, "memory_utilization", "memory hierarchy utilization", "", kOfAll, below, 2, itself,
     logarithmic, "Cycles that compute over cycles that wait for data. Only in recordings with hardware counters.",
     "The thesis' default", "Muddukrishna, thesis 5.4.2-3"},
    {parallelism_optimistic, "parallelism_optimistic", "instantaneous parallelism, optimistic", "grains", kOfAll, below,
     1, threads_used, linear,
     "The run is cut into intervals as long as the median grain (longer where that made more than 16 for each "
     "grain). The value of an interval is the number of grains that execute at any time in it; a grain has the "
     "smallest value of the intervals it executes in.",
     "Fewer grains than threads: some threads have nothing to do",
     "Muddukrishna, thesis 5.4.2; interval: the median grain"},
    {parallelism_conservative, "parallelism_conservative", "instantaneous parallelism, conservative", "grains", kOfAll,
     below, 1, threads_used, linear,
     "As the optimistic one, but an interval counts only the grains that execute during all of it.",
     "Fewer grains than threads; grains that are shorter than the interval do not count, so this one warns early",
     "Muddukrishna, thesis 5.4.2; interval: the median grain"},
    {scatter, "scatter", "scatter", "distance", kOfChunks | kOfTasks, above, 1, a_node, linear,
     "Median distance, over all pairs of siblings, between the cores that ran them (tasks of one parent, chunks of "
     "one loop). The distance is that of the machine's memory nodes (10: the same node) where the recording names "
     "a machine, else the difference of the CPUs' numbers. Computed from how many siblings ran where.",
     "Most pairs of siblings ran on different nodes", "Muddukrishna, thesis 5.4.2"},
    {remote_share, "remote_share", "remote data", "", kOfTasks, above, 0.5, itself, linear,
     "Of the bytes that the task said it touches (depend, affinity, ompx_task_footprint) and whose node was known, "
     "the part on other nodes than the one it ran on. Absent where less than 80 % of the bytes are on known nodes.",
     "Half of the accesses remote: a warning by the rule for hardware counters", "Schmidl, thesis 6.1 (remote ratio)"},
    {idle_caused, "idle_caused", "idle time meanwhile", "ns", kOfAll, none, kNo, itself, logarithmic,
     "The other threads' idle time while the grain executed; where several executed, each has its part. What waits "
     "for a grain idles while it runs, so the largest are those to split or to start earlier.",
     "", "ours; after Muddukrishna, thesis 4.3 (idle time per task)"},
    {subtree_work, "subtree_work", "work of the subtree", "ns", kOfAll, none, kNo, itself, logarithmic,
     "Execution time of the grain and of all tasks below it.", "", "Muddukrishna, thesis 4.4.2 (sequential work)"},
    {critical, "critical", "on the critical path", "ns", kOfAll, none, kNo, itself, logarithmic,
     "The part of its execution that lies on the critical path, the longest path through the grain graph by execution.",
     "", "Muddukrishna, thesis 5.4.2"},
    {loads, "loads", "loads", "operations", kOfAll, none, kNo, itself, logarithmic,
     "Loads of the grain's own code, those from its stack left out; atomic updates and copies are in it, eight bytes of "
     "a copy as one. Only in recordings with memory accesses.",
     "", "Muddukrishna, thesis 4.4.1 (memory reads)"},
    {stores, "stores", "stores", "operations", kOfAll, none, kNo, itself, logarithmic,
     "Stores of the grain's own code, counted as its loads are.", "", "Muddukrishna, thesis 4.4.1 (memory writes)"},
    {memory_footprint, "memory_footprint", "memory footprint", "bytes", kOfAll, none, kNo, itself, logarithmic,
     "Distinct cache lines that the grain's own code loaded from or stored to, times 64 bytes; its stack left out. Exact up to "
     "8,192 lines between two events of the grain, beyond that with a standard error of 2.3 %. Only in recordings with memory "
     "accesses.",
     "", "Muddukrishna, thesis 4.4.1; by lines instead of addresses"},
    {reuse, "reuse", "use of the footprint", "", kOfAll, none, kNo, itself, logarithmic,
     "Bytes loaded and stored over the memory footprint: how often each byte of its lines was used. Below 1, most of what "
     "was brought in was not. Stands in for the thesis' computational intensity, which takes a count of instructions.",
     "", "ours; after Muddukrishna, thesis 4.4.1 (computational intensity)"},
    // ---- of each source
    {load_balance, "load_balance", "load balance", "", 0, above, 1.2, itself, linear,
     "For the grains of one construct: the work of the thread that has most over the mean of all threads of the "
     "team. Over all its instances, each instance weighing what it works.",
     "One thread in the construct works a fifth more than the mean: a sixth of its time is lost",
     "Muddukrishna, thesis 5.4.2"},
    {longest_to_chain, "longest_to_chain", "load balance by chains", "", 0, above, 1, itself, logarithmic,
     "For the grains of one construct: the longest grain over the median of the threads' chains. A thread's chain "
     "is what it executed of an instance, taken together.",
     "One grain takes longer than a thread's whole part should",
     "Muddukrishna, thesis 5.4.2 and figure 5.3; our chains for tasks"},
    // ---- of the program
    {work, "work", "work", "ns", 0, none, kNo, itself, linear,
     "Execution of all grains and of the initial task: T1 of the bounds below.", "", "Brent; Cilkview"},
    {span, "span", "critical path", "ns", 0, none, kNo, itself, linear,
     "The longest path through the grain graph, by execution: T-infinity, the time on any number of threads "
     "without overhead.",
     "", "Muddukrishna, thesis 5.4.2; Cilkview"},
    {burdened_span, "burdened_span", "burdened critical path", "ns", 0, none, kNo, itself, linear,
     "The longest path by execution, creation and book-keeping as they were measured.", "", "Cilkview (burdened dag)"},
    {parallelism, "parallelism", "exposed parallelism", "", 0, below, 1, threads_used, linear,
     "Work over critical path: a bound on the speed-up that no number of threads exceeds.",
     "Less than the threads that were used", "Muddukrishna, thesis 4.4.1; Cilkview"},
    {burdened_parallelism, "burdened_parallelism", "burdened parallelism", "", 0, below, 1, threads_used, linear,
     "Work over burdened critical path.", "Less than the threads that were used", "Cilkview"},
    {threads, "threads", "threads in regions", "threads", 0, none, kNo, itself, linear,
     "Threads in the parallel regions, on average over their time.", "", "ours"},
    {largest_hold, "largest_hold", "largest hold of a lock", "ns", 0, none, kNo, itself, linear,
     "The time for which one lock or critical construct was held, all acquisitions together: no two threads at once.",
     "", "Amdahl, for locks"},
    {time_bound, "time_bound", "least time", "ns", 0, none, kNo, itself, linear,
     "The largest of work over threads, critical path, and largest hold of a lock: no schedule on these threads is "
     "faster.",
     "", "Brent; Muddukrishna, thesis 4.4.2"},
    {speedup, "speedup", "work done at a time", "", 0, none, kNo, itself, linear,
     "Work over wall time: how many threads worked on average.", "", "Muddukrishna, thesis 1.5"},
    {speedup_bound, "speedup_bound", "largest speed-up", "", 0, none, kNo, itself, linear, "Work over least time.", "",
     "Brent"},
    {brent_speedup, "brent_speedup", "speed-up of a greedy schedule", "", 0, none, kNo, itself, linear,
     "Work over (critical path + (work - critical path) / threads): what any schedule reaches at least that lets "
     "no thread idle while something is ready, without overhead.",
     "", "Brent; Olivier 2.2.3"},
    {burdened_speedup, "burdened_speedup", "speed-up with burden", "", 0, none, kNo, itself, linear,
     "Work over (work / threads + (1 - 1 / threads) x 1.7 x burdened critical path): what to expect of work stealing.",
     "", "Cilkview; Cilkscale (its factor 1.7)"},
    {inflation_speedup, "inflation_speedup", "speed-up with inflation", "", 0, none, kNo, itself, linear,
     "Threads over r, where r is the work over the baseline's work: the best this program can do while its work "
     "takes longer than on one thread. Only with a second recording.",
     "", "Olivier 4.3 (P / r)"},
    {split_work, "split_work", "thread time: sequential work", "ns", 0, none, kNo, itself, linear,
     "Of the threads' time, what the work takes in the baseline recording. Without one: all work.", "", "Olivier 4.2"},
    {split_inflation, "split_inflation", "thread time: inflation", "ns", 0, none, kNo, itself, linear,
     "Of the threads' time, the work beyond the baseline's; below zero where the work became faster. Only with a "
     "second recording.",
     "", "Olivier 4.2"},
    {split_overhead, "split_overhead", "thread time: overhead", "ns", 0, none, kNo, itself, linear,
     "Of the threads' time, what the runtime took, and the recorder.", "", "Olivier 4.1"},
    {split_idle, "split_idle", "thread time: idle", "ns", 0, none, kNo, itself, linear,
     "Of the threads' time, what they had nothing to do or waited for a lock.", "", "Olivier 4.1 (locks: idle)"},
    {cut_off, "cut_off", "best depth of a cut-off", "depth", 0, none, kNo, itself, linear,
     "The first depth of the task tree at which tasks, run as a whole, leave no more idle time a task than "
     "creating and fetching one costs: deeper tasks cost more than they balance. Absent where the tree ends "
     "before.",
     "", "Muddukrishna, thesis 4.3; from one recording instead of one a depth"},
    {too_fine, "too_fine", "tasks too fine", "", 0, above, 0.1, itself, linear,
     "Thread time for creating tasks and for the runtime's work in waits in which tasks ran, over the execution of "
     "tasks.",
     "A tenth of the work lost", "Schmidl, thesis 5.1 (1)"},
    {too_coarse, "too_coarse", "tasks too coarse", "", 0, above, 0.2, itself, linear,
     "The longest task of a region over its work per thread; over all regions with tasks, each weighing what it "
     "works. A region's last task can keep all other threads waiting for so much of its time.",
     "A greedy schedule may lose a sixth of its time", "Schmidl, thesis 5.1 (2); Graham's bound"},
    {creation_bottleneck, "creation_bottleneck", "one creator for all", "", 0, above, 1, itself, linear,
     "Where one thread creates at least nine tasks of ten: the time between two of its creations, where it does not wait "
     "in between, times the number of the other threads, over the mean task's execution.",
     "The others finish tasks faster than one thread creates them", "Schmidl, thesis 5.1 (3)"},
    {far_from_creator, "far_from_creator", "tasks far from their creator", "", 0, above, 0.5, itself, linear,
     "Of the execution of tasks that went through a queue, the part on another memory node than the one where they "
     "were created, whose data is often there.",
     "More than half; a queue that knows no places has 1 - 1 / nodes", "Schmidl, thesis 5.1 (4), 5.4"},
};
static_assert(std::size(kTable) == kMetrics);

constexpr bool in_order() {
  for (size_t i = 0; i < kMetrics; ++i)
    if (size_t(kTable[i].metric) != i) return false;
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const MetricInfo> metrics_table() { return kTable; }

const MetricInfo& metric_info(Metric m) { return kTable[size_t(m)]; }

const MetricInfo* metric_by_key(const std::string& key) {
  for (const MetricInfo& i : kTable)
    if (key == i.key) return &i;
  return nullptr;
}

}  // namespace einkorn::profile
