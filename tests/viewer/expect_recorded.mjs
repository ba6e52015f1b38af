// node expect_recorded.mjs REPORT.json: what the page of a recording must show, from `einkorn report --json`.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
const counted = report.tasks + report.chunks + report.shares;
const source = report.sources.filter((s) => s.line > 0 && s.grains > 0).sort((a, b) => b.grains - a.grains)[0];
console.log(
  JSON.stringify({
    grains_counted: counted,
    tasks: report.tasks,
    task_source: source && `${basename(source.file)}:${source.line}`,
    found: source?.grains,
    machine: report.machine,
    codelets: report.codelet_graphs ?? [],
    allocations: report.allocations ?? [],
    problems: report.problems,
  }),
);
