"""Who is faster, from rounds in which all run in turn: ratios within a round, and how sure their median is."""
import math
import statistics

SLOWER = 1.05  # by more than this nothing may be slower than under the better peer


def ratios(times, ours, others):
    """[the fastest of `ours` by the fastest of `others` (by their medians), in each round]"""
    a, b = (times[min(some, key=lambda who: statistics.median(times[who]))] for some in (ours, others))
    return [x / y for x, y in zip(a, b)]


def interval(values):
    """Where the median of what these are drawn from lies, with 95 %: a pair of them, without a word on how they scatter
    (order statistics; each is as often above that median as below). None with fewer than six."""
    n, rank, tail = len(values), 0, 0.0
    while (tail := tail + math.comb(n, rank) / 2 ** n) <= 0.025:
        rank += 1
    return (sorted(values)[rank - 1], sorted(values)[n - rank]) if rank else None


def text(values):
    """The median of ratios, with the interval of interval() behind it."""
    ends = interval(values)
    return f"{statistics.median(values):.2f}" + (f" ({ends[0]:.2f}-{ends[1]:.2f})" if ends else "")


def decided(times, ours, others):
    """Is it known whether the fastest of ours takes over 5 % longer than the fastest of the others?"""
    ends = interval(ratios(times, ours, others))
    return ends is not None and (ends[0] > SLOWER or ends[1] < SLOWER)


def verdict(measured, ours, others):
    """What is slower than the better peer, of {name: times}."""
    slower, open_ones = [], []
    for name, times in measured.items():
        values = ratios(times, ours, others)
        ends = interval(values)
        if ends and ends[0] > SLOWER:
            slower.append(f"{name} {text(values)}")
        elif not ends or ends[1] > SLOWER:
            open_ones.append(f"{name} {text(values)}")
    count = len(measured) - len(slower) - len(open_ones)
    return [f"The better of ours by the better peer, {len(measured)} pairs: {count} at most {SLOWER}, with 95 % confidence.",
            f"Above it, with 95 % confidence: {'; '.join(slower) or 'none'}.",
            f"Not decided, {SLOWER} lies in the interval: {'; '.join(open_ones) or 'none'}."]
