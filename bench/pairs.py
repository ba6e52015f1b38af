"""Who is faster, from rounds in which all run in turn: ratios within a round, and the confidence in their median."""
import math
import statistics

SLOWER = 1.05  # nothing may be slower than under the better peer by more than this factor


def ratios(times, ours, others):
    """[time of the fastest of `ours` over that of the fastest of `others` (judged by their medians), in each round]"""
    a, b = (times[min(some, key=lambda who: statistics.median(times[who]))] for some in (ours, others))
    return [x / y for x, y in zip(a, b)]


def interval(values):
    """The 95 % confidence interval of the median, as a pair of the values, without an assumption on their distribution
    (order statistics; each value is as often above the true median as below). None with fewer than six."""
    n, rank, tail = len(values), 0, 0.0
    while (tail := tail + math.comb(n, rank) / 2 ** n) <= 0.025:
        rank += 1
    return (sorted(values)[rank - 1], sorted(values)[n - rank]) if rank else None


def text(values):
    """The median of ratios, followed by the interval of interval()."""
    ends = interval(values)
    return f"{statistics.median(values):.2f}" + (f" ({ends[0]:.2f}-{ends[1]:.2f})" if ends else "")


def judged(values, limit=SLOWER):
    """Of such ratios: True: it is known that their median is above the limit; False: that it is not; None: neither."""
    ends = interval(values)
    return None if not ends or ends[0] <= limit < ends[1] else ends[0] > limit


def is_within(times, ours, others):
    """Is it known that the fastest of ours takes at most 5 % longer than the fastest of the others?"""
    return judged(ratios(times, ours, others)) is False


def decided(times, ours, others):
    """Is it known whether the fastest of ours takes over 5 % longer than the fastest of the others?"""
    return judged(ratios(times, ours, others)) is not None


def verdict(measured, ours, others):
    """The rows of {name: times} that are slower than the better peer."""
    slower, open_ones = [], []
    for name, times in measured.items():
        values = ratios(times, ours, others)
        judgement = judged(values)
        if judgement is not False:
            (slower if judgement else open_ones).append(f"{name} {text(values)}")
    count = len(measured) - len(slower) - len(open_ones)
    return [f"The better of ours by the better peer, {len(measured)} pairs: {count} at most {SLOWER}, with 95 % confidence.",
            f"Above it, with 95 % confidence: {'; '.join(slower) or 'none'}.",
            f"Not decided, {SLOWER} lies in the interval: {'; '.join(open_ones) or 'none'}."]
