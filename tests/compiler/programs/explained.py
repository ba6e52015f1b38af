"""What `einkorn cc --explain` said of the sources of a suite."""
import collections
import dataclasses
import pathlib
import re

COUNTS = re.compile(r"^translated (\d+) of (\d+) regions$", re.MULTILINE)
LEFT = re.compile(r"^(.*:\d+): region of .*: stays OpenMP's: (.*)$", re.MULTILINE)


@dataclasses.dataclass
class Explained:
    translated: int
    regions: int
    reasons: list  # (why, where)
    unable: list  # what the tool has to be mended for


def read(said):
    counts = [(int(translated), int(regions)) for translated, regions in COUNTS.findall(said)]
    return Explained(sum(t for t, _ in counts), sum(r for _, r in counts),
                     [(re.sub(r" \([^()]*:\d+\)", "", why), where) for where, why in LEFT.findall(said)],
                     [line for line in said.splitlines() if "lease report it" in line])


def show(all_explained):
    """Prints how many regions were translated, and why the others were not; returns how many were."""
    reasons = collections.defaultdict(list)
    for explained in all_explained:
        for why, where in explained.reasons:
            reasons[why].append(pathlib.Path(where).name)
    translated = sum(explained.translated for explained in all_explained)
    print(f"regions: {translated} of {sum(explained.regions for explained in all_explained)} translated")
    for why, where in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"  {len(where):4} stays OpenMP's: {why} ({', '.join(where[:2])}{', ...' if len(where) > 2 else ''})")
    return translated
