"""A file of what has been run: an interrupted run leaves it behind, and the next one continues where it ended."""
import json


class Results:
    """One line of JSON for each executable under each configuration; without a file, only those of this run."""

    def __init__(self, path=None):
        self.path, self.known = path, {}
        if path and path.exists():
            text = path.read_text()
            if text and not text.endswith("\n"):
                path.write_text(f"{text}\n")
            for line in text.splitlines():
                try:
                    one = json.loads(line)
                    self.known[one["executable"], one["configuration"]] = one
                except (ValueError, KeyError, TypeError):
                    pass  # torn where the run was cut off

    def has(self, executable, configuration):
        return (executable, configuration) in self.known

    def add(self, executable, configuration, compiler, library, runs, findings):
        """findings: (kind, text) of each."""
        one = {"executable": executable, "configuration": configuration, "compiler": compiler, "library": library, "runs": runs,
               "findings": findings}
        self.known[executable, configuration] = one
        if self.path:
            with open(self.path, "a") as file:
                file.write(f"{json.dumps(one)}\n")

    def count(self, key):
        """Number of runs of programs, by `key` of an entry."""
        out = {}
        for one in self.known.values():
            out[key(one)] = out.get(key(one), 0) + one["runs"]
        return out

    def findings(self, ours):
        """Findings of our library, or of the others: all except those that are only slow."""
        return [text for one in self.known.values() if (one["library"] == "ours") == ours
                for kind, text in one["findings"] if kind != "slow"]

    def slow(self):
        out = {}
        for one in self.known.values():
            for kind, _ in one["findings"]:
                if kind == "slow":
                    out[one["library"]] = out.get(one["library"], 0) + 1
        return out

    def summary(self):
        """The lines to print at the end."""
        lines = [f"{name}: {runs} runs of a program" for name, runs in
                 sorted(self.count(lambda one: f"{one['compiler']} under {one['library']}").items())]
        slow = ", ".join(f"{n} under {name}" for name, n in sorted(self.slow().items()))
        lines.append(f"slower than a second: {slow or 'none'}")
        lines.append(f"{len(self.findings(True))} differences, crashes or hangs of ours, {len(self.findings(False))} of peers")
        return lines
