#include "profile/metrics.h"

namespace einkorn::profile {
namespace {

using enum Metric;
using enum BadSide;
using enum ThresholdOf;
using enum ColourScale;

constexpr double kNo = kAbsent;

// Where each is from: Muddukrishna 2016 (thesis), Olivier et al. 2012 (sections 2 and 4), Schmidl 2016 (thesis), Brent
// 1974, He et al. 2010 (Cilkview).
constexpr MetricInfo kTable[] = {
    // ---- of each grain
    {exec, "exec", "execution time", "ns", kOfAll, none, kNo, itself, logarithmic,
     "The grain's own user code: all its fragments, without the children that ran inside it, its waits, its locks "
     "and the runtime.",
     "", "Muddukrishna, thesis 5.4"},
    {creation, "creation", "creation time", "ns", kOfChunks | kOfTasks, none, kNo, itself, logarithmic,
     "The time that its creator took to create it; for a chunk, the book-keeping before it. Absent for tasks that ran "
     "at once instead of being queued.",
     "", "Muddukrishna, thesis 5.4.2"},
    {parallelization, "parallelization", "parallelization cost", "ns", kOfChunks | kOfTasks, none, kNo, itself,
     logarithmic,
     "Its creation time, and its part of the runtime's overhead in its parent's waits, which all deferred siblings "
     "share evenly; what children execute in those waits, and idling, does not count. The parent of what is created "
     "inside a chunk or a share is the implicit task that runs it. For a chunk, the book-keeping. For a task that ran "
     "at once, what it would have cost: the median of its deferred siblings, marked as estimated.",
     "", "Muddukrishna, thesis 5.4.2; the even share is ours, over all waits of the parent"},
    {parallel_benefit, "parallel_benefit", "parallel benefit", "", kOfChunks | kOfTasks, below, 1, itself, logarithmic,
     "Execution time over parallelization cost. Below 1 the grain costs more than its work: better run by its parent.",
     "Below 1 a serial execution is faster", "Muddukrishna, thesis 5.4.2"},
    {work_deviation, "work_deviation", "work deviation", "", kOfAll, above, 2, itself, logarithmic,
     "Execution time over that of the same grain in a second recording, usually with one thread. Above 1 the same "
     "work takes longer here, because of remote memory, shared caches or bandwidth. What a team divides by its number "
     "of threads is compared together: each share has the ratio of all shares that end at one barrier, and a chunk that "
     "the second recording lacks that of all chunks of its loop.",
     "The thesis' default; 1.2 shows more", "Muddukrishna, thesis 5.4.2; Olivier 4.3 (work time inflation)"},
    {memory_utilization, "memory_utilization", "memory hierarchy utilization", "", kOfAll, below, 2, itself,
     logarithmic,
     "Cycles of computing over cycles of waiting for data: cycles without the stalled ones, over the stalled ones. Only in "
     "recordings with these counters (record --counters), on processors that have them.",
     "The thesis' default", "Muddukrishna, thesis 5.4.2-3"},
    {parallelism_optimistic, "parallelism_optimistic", "instantaneous parallelism, optimistic", "grains", kOfAll, below,
     1, threads_used, linear,
     "The run, from the start of the first grain, is cut into intervals as long as the median grain (longer where "
     "that would make more than 16 for each row of the table of grains). The value of an interval is the number of "
     "threads that execute grains for more than half of it, so that successive grains never count twice. A grain has "
     "the smallest value of the intervals it executes in, and 1 at least. A fragment counts from its start, for as "
     "long as it executes in all.",
     "Fewer grains than threads: some threads have nothing to do",
     "Muddukrishna, thesis 5.4.2, which counts any overlap; interval: the median grain"},
    {parallelism_conservative, "parallelism_conservative", "instantaneous parallelism, conservative", "grains", kOfAll,
     below, 1, threads_used, linear,
     "As the optimistic one, but an interval counts only the grains that each execute during all of it, and a grain "
     "may have 0.",
     "Fewer grains than threads; grains shorter than the interval do not count, so this one warns early",
     "Muddukrishna, thesis 5.4.2; interval: the median grain"},
    {scatter, "scatter", "scatter", "distance", kOfChunks | kOfTasks, above, 1, a_node, linear,
     "Median distance, over all pairs of siblings, between the cores that ran them (tasks of one parent or one chunk, "
     "chunks of one loop). The distance is that between the machine's memory nodes (10: the same node) where the "
     "recording names a machine, else the difference of the CPUs' numbers. Computed from how many siblings ran where.",
     "Most pairs of siblings ran on different nodes", "Muddukrishna, thesis 5.4.2"},
    {remote_share, "remote_share", "remote data", "", kOfTasks, above, 0.5, itself, linear,
     "Of the bytes that the task named (depend, affinity, ompx_task_footprint) and whose node was known, the part on "
     "other nodes than the one it ran on. Absent where less than 80 % of the bytes are on known nodes.",
     "Half of the accesses remote: a warning by the rule for hardware counters", "Schmidl, thesis 6.1 (remote ratio)"},
    {idle_caused, "idle_caused", "idle time meanwhile", "ns", kOfAll, none, kNo, itself, logarithmic,
     "The other threads' idle time while the grain executed. The run is cut into at most 16,384 intervals of 2^k ns; the "
     "idle time in one is divided among the grains that execute in it, in proportion to their execution there. (A "
     "fragment counts from its beginning on, for as long as it executes.) Threads that wait for a grain idle while it "
     "runs, so the grains with the largest values are those to split or to start earlier.",
     "", "ours; after Muddukrishna, thesis 4.3 (idle time per task)"},
    {subtree_work, "subtree_work", "work of the subtree", "ns", kOfAll, none, kNo, itself, logarithmic,
     "Execution time of the grain and of all grains below it: its tasks, their tasks, and everything in a region that "
     "it begins.",
     "", "Muddukrishna, thesis 4.4.2 (sequential work)"},
    {critical, "critical", "on the critical path", "ns", kOfAll, none, kNo, itself, logarithmic,
     "The part of its execution that lies on the critical path, the longest path through the grain graph by execution. "
     "Of several that are equally long it is one.",
     "", "Muddukrishna, thesis 5.4.2"},
    {loads, "loads", "loads", "operations", kOfAll, none, kNo, itself, logarithmic,
     "Loads of the grain's own code, without those from its stack; atomic updates and copies are included, eight "
     "bytes of a copy as one load. Only in recordings with memory accesses.",
     "", "Muddukrishna, thesis 4.4.1 (memory reads)"},
    {stores, "stores", "stores", "operations", kOfAll, none, kNo, itself, logarithmic,
     "Stores of the grain's own code, counted as its loads are.", "", "Muddukrishna, thesis 4.4.1 (memory writes)"},
    {memory_footprint, "memory_footprint", "memory footprint", "bytes", kOfAll, none, kNo, itself, logarithmic,
     "Distinct cache lines that the grain's own code loaded from or stored to, times 64 bytes, without its stack. "
     "Exact up to 8,192 lines between two events of the grain; beyond that the standard error is 2.3 %. Only in "
     "recordings with memory accesses.",
     "", "Muddukrishna, thesis 4.4.1; by lines instead of addresses"},
    {reuse, "reuse", "use of the footprint", "", kOfAll, none, kNo, itself, logarithmic,
     "Bytes loaded and stored over the memory footprint: how often each byte of its lines was used. Below 1, most of "
     "what was fetched was not used. Stands in for the thesis' computational intensity, which needs a count of "
     "instructions.",
     "", "ours; after Muddukrishna, thesis 4.4.1 (computational intensity)"},
    {ipc, "ipc", "instructions per cycle", "", kOfAll, none, kNo, itself, linear,
     "Instructions over cycles of the grain's own code. Only in recordings with these counters.", "",
     "Muddukrishna, thesis 5.4.2 (hardware counters)"},
    {miss_rate, "miss_rate", "last-level misses per 1,000 instructions", "", kOfAll, none, kNo, itself, logarithmic,
     "Misses of the last-level cache for each thousand instructions of the grain's own code. Only in recordings with "
     "these counters.",
     "", "Schmidl, thesis 6.1"},
    {miss_footprint, "miss_footprint", "footprint by misses", "bytes", kOfAll, none, kNo, itself, logarithmic,
     "Misses of the last-level cache times 64 bytes: what the grain's own code had to fetch from memory, however often the "
     "same line. Only in recordings with this counter.",
     "", "Muddukrishna, thesis 4.4.1 (memory footprint), by misses"},
    {page_faults, "page_faults", "page faults", "faults", kOfAll, none, kNo, itself, logarithmic,
     "Page faults in the grain's own code: most are the first touch of new memory, which the kernel fills with zeros. Only in "
     "recordings with this counter.",
     "", "ours"},
    // ---- of each source
    {load_balance, "load_balance", "load balance", "", 0, above, 1.2, itself, linear,
     "For the grains of one construct: the work of the busiest thread over the mean of all threads of the team, both "
     "summed over its instances. An instance of shares is what lies between two barriers of the team; of tasks, a "
     "region; of chunks, a loop. An untied task counts for its first thread.",
     "One thread in the construct works a fifth more than the mean: a sixth of its time is lost",
     "Muddukrishna, thesis 5.4.2"},
    {longest_to_chain, "longest_to_chain", "load balance by chains", "", 0, above, 1, itself, logarithmic,
     "For the grains of one construct: the longest grain over the median of the threads' chains, both summed over its "
     "instances. A thread's chain is all that it executed of an instance; a thread that executed nothing of it has "
     "none.",
     "One grain takes longer than a thread's whole part should",
     "Muddukrishna, thesis 5.4.2 and figure 5.3; our chains for tasks"},
    // ---- of the program
    {work, "work", "work", "ns", 0, none, kNo, itself, linear,
     "Execution of all grains, of those that were not recorded one by one, and of the initial task: T1 of the bounds "
     "below.",
     "", "Brent; Cilkview"},
    {span, "span", "critical path", "ns", 0, none, kNo, itself, linear,
     "The longest path through the grain graph, by execution: T-infinity, the time on any number of threads "
     "without overhead.",
     "", "Muddukrishna, thesis 5.4.2; Cilkview"},
    {burdened_span, "burdened_span", "burdened critical path", "ns", 0, none, kNo, itself, linear,
     "The longest path through the grain graph, with costs. Each fragment and chunk weighs its execution, each fork "
     "the measured creation of what it forks (of a region: until its primary thread starts; not timed: 0), and a "
     "chunk's book-keeping the time it took before the chunk; joins weigh nothing. A thread's chunks of a loop have "
     "no order among them: each begins with its own book-keeping after the loop's start on that thread. The thread's "
     "part in the loop ends with the chunk that ends last, and the book-keeping after the last.",
     "", "Cilkview (burdened dag)"},
    {parallelism, "parallelism", "exposed parallelism", "", 0, below, 1, threads_used, linear,
     "Work over critical path: no number of threads gives a larger speed-up.", "Less than the threads that were used",
     "Muddukrishna, thesis 4.4.1; Cilkview"},
    {burdened_parallelism, "burdened_parallelism", "burdened parallelism", "", 0, below, 1, threads_used, linear,
     "Work over burdened critical path.", "Less than the threads that were used", "Cilkview"},
    {threads, "threads", "threads in regions", "threads", 0, none, kNo, itself, linear,
     "Threads in the parallel regions, on average over the time in outermost ones. A thread that begins an inner "
     "region counts in that one only.",
     "", "ours"},
    {largest_hold, "largest_hold", "largest hold of a lock", "ns", 0, none, kNo, itself, linear,
     "The time for which one lock or critical construct was held, all acquisitions together: no two threads hold it "
     "at once.",
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
     "Work over (path + (work - path) / threads), where path is the critical path and all time for which locks were held "
     "and tasks of mutexinoutset sets ran, at most the work: what any schedule reaches at least, without overhead, if it "
     "lets no thread idle while something is ready. Never above the largest speed-up.",
     "", "Brent; Olivier 2.2.3"},
    {burdened_speedup, "burdened_speedup", "speed-up with burden", "", 0, none, kNo, itself, linear,
     "Work over (work / threads + (1 - 1 / threads) x 1.7 x burdened critical path): what to expect of work stealing. "
     "Never above the largest speed-up.",
     "", "Cilkview; Cilkscale (its factor 1.7)"},
    {inflation_speedup, "inflation_speedup", "speed-up with inflation", "", 0, none, kNo, itself, linear,
     "Threads over r, where r is the work over the baseline's work: the best that this program can do while its work "
     "takes longer than on one thread. Only with a second recording.",
     "", "Olivier 4.3 (P / r)"},
    {split_work, "split_work", "thread time: sequential work", "ns", 0, none, kNo, itself, linear,
     "The part of the threads' time that the work takes in the baseline recording. Without one, all work.", "",
     "Olivier 4.2"},
    {split_inflation, "split_inflation", "thread time: inflation", "ns", 0, none, kNo, itself, linear,
     "The part of the threads' time that is work beyond the baseline's; negative where the work became faster. Only "
     "with a second recording.",
     "", "Olivier 4.2"},
    {split_overhead, "split_overhead", "thread time: overhead", "ns", 0, none, kNo, itself, linear,
     "The part of the threads' time that the runtime and the recorder took.", "", "Olivier 4.1"},
    {split_idle, "split_idle", "thread time: idle", "ns", 0, none, kNo, itself, linear,
     "The part of the threads' time in which they had nothing to do or waited for a lock.", "",
     "Olivier 4.1 (locks: idle)"},
    {split_offcpu, "split_offcpu", "thread time: off the CPU", "ns", 0, none, kNo, itself, linear,
     "The part of the threads' time in which they were off the CPU though they had work, or of which nothing is known "
     "(lost stretches). With work, inflation, overhead and idle time it adds up to the threads' time.",
     "", "Olivier 4.1; apart, as it is none of them"},
    {cut_off, "cut_off", "best depth of a cut-off", "depth", 0, none, kNo, itself, linear,
     "The first depth of the task tree at which tasks, run whole, leave no more idle time per task than it costs to "
     "create and fetch one: deeper tasks cost more than they balance. Absent where the tree ends before.",
     "", "Muddukrishna, thesis 4.3; from one recording instead of one a depth"},
    {too_fine, "too_fine", "tasks too fine", "", 0, above, 0.1, itself, linear,
     "Thread time for creating tasks, and for the runtime's work in waits at those sites where some wait ran tasks, "
     "over the execution of tasks.",
     "A tenth of the work lost", "Schmidl, thesis 5.1 (1)"},
    {too_coarse, "too_coarse", "tasks too coarse", "", 0, above, 0.2, itself, linear,
     "The longest task of a region over its work per thread, both summed over all regions with tasks. A region's last "
     "task can keep all other threads waiting for this part of the region's time.",
     "A greedy schedule may lose a sixth of its time", "Schmidl, thesis 5.1 (2); Graham's bound"},
    {creation_bottleneck, "creation_bottleneck", "one creator for all", "", 0, above, 1, itself, linear,
     "Where one thread creates at least nine tasks of ten: the mean time between two of its creations, times the "
     "number of the other threads, over the mean task's execution. Intervals in which the creating task waits, and "
     "the tasks that the thread executes meanwhile, do not count.",
     "The others finish tasks faster than one thread creates them", "Schmidl, thesis 5.1 (3)"},
    {far_from_creator, "far_from_creator", "tasks far from their creator", "", 0, above, 0.5, itself, linear,
     "Of the execution of tasks that went through a queue, the part on another memory node than the one where they "
     "were created, which often has their data.",
     "More than half; a queue that ignores nodes has 1 - 1 / nodes", "Schmidl, thesis 5.1 (4), 5.4"},
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

}  // namespace einkorn::profile
