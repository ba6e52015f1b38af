// What the einkorn tool wrote into the page: src/report/page/meta.cpp and page.cpp are the other side.
import { ColumnDescription, Columns } from "./columns";

export interface StateTimes {
  [state: string]: number;
}

export interface SourceFile {
  path: string;
  pieces: { first: number; lines: string[] }[];
}

export interface Source {
  place: string; // in few words, as in the tool's text
  file: string;
  line: number;
  function: string;
  construct: string;
  module: string;
  address: string;
  inlined: string[];
  grains: number;
  exec: number;
  longest: number;
  created: number;
  text?: number; // in Meta.files
  note?: string; // why there is no text, or why to distrust it
}

// What keeps the program from running faster, ranked (src/report/findings/findings.h).
export interface Problem {
  kind: string;
  gain_ns?: number; // wall time that fixing it could save at most; absent where times are not valid
  share: number; // 0 to 1: how bad it is by count or bytes
  grains: number;
  what: string;
  advice: string;
  tune_tries?: string; // what einkorn tune tries about it
  evidence: string[];
  source?: number; // the line to look at first
  sources: number[]; // all lines that it is about
  about?: { sources: number[]; kinds: number; least_depth: number; remote: boolean }; // which grains
}

export interface MetricDescription {
  key: string;
  name: string;
  unit: string;
  level: "grain" | "source" | "program";
  kinds: number; // of grains that can have it: bits by GrainKind
  definition: string;
  scale: "linear" | "logarithmic";
  reason: string; // why the threshold is there
  origin: string;
  threshold?: number;
  bad?: "below" | "above"; // which side of the threshold is a problem
  present?: number; // grains that have a value
  problems?: number; // of these, on the bad side
  problem_exec?: number; // their execution time, ns
  value?: number; // of the program
  values?: (number | null)[]; // by source
}

// What a cut-off at each depth of the task tree would leave: ns a task.
interface CutOffPoint {
  tasks: number;
  exec: number;
  parallelization: number;
  idle?: number;
}

interface ThreadInfo {
  os_tid: number;
  initial: boolean;
  in_team: number;
  times: StateTimes;
  cpu_ns?: number;
  involuntary_switches?: number;
}

// A class of codelets, or where a procedure's instances go on. Times are ns.
export interface Codelet {
  source?: number;
  at?: number; // procedure: the program's number for the place, 0: its beginning
  executed: number;
  recorded: number; // of these, one by one
  exec: number; // of all
  median?: number; // of those recorded
  longest?: number;
  critical: number; // of the critical path
}

interface CodeletArc {
  from: number; // in codelets
  to: number;
  count: number;
}

// A procedure, or graphs of codelets that have a class in common.
export interface CodeletGraph {
  name: string;
  procedure: boolean;
  source?: number; // of a procedure
  runs: number; // instances
  codelets: Codelet[];
  arcs: CodeletArc[];
}

// Large blocks of memory that one line has allocated. A share is from 0 to 1.
export interface Allocations {
  source?: number;
  blocks: number;
  bytes: number;
  largest: number; // bytes
  on?: { node: number; share: number }[]; // the largest first; absent: not known
  others?: { nodes: number; share: number }; // further nodes, together
  one_node?: boolean; // Memory.advice is about it
}
interface Memory {
  lines: Allocations[]; // the most bytes first
  advice?: string;
}

// A second recording that this one is held against (einkorn report --baseline).
interface Baseline {
  file: string;
  wall_ns: number;
  threads: number;
  times_valid: boolean;
  thread_time: StateTimes;
  matched: number; // of the work, in grains that both have
  per_grain: boolean; // enough for ratios of single grains
  lines: { source: number; grains: number; exec: number }[];
}

// Lengths of the picture in pixels at natural size (src/report/layout/layout.h).
export interface Lengths {
  box: number;
  round: number;
  floor: number;
  linear: number;
  octave: number;
  fan: number;
  margin: number;
  aside: number;
}

export interface Meta {
  format: number;
  program: string;
  argv: string[];
  runtime: string;
  host: string;
  started: string;
  level?: string; // what was recorded
  cpus?: number;
  wall_ns: number;
  times_valid: boolean;
  critical_path_ns: number;
  burdened_path_ns: number;
  parallelism: number;
  totals: { tasks: number; chunks: number; shares: number; regions: number };
  structure?: { depth: number; tasks: number; chain: number }; // levels of tasks; of those in the graph, how many are on one path at most
  thread_time: StateTimes;
  exec: number; // ns, of all tasks, chunks and shares: what their parts are parts of
  threads: ThreadInfo[];
  sources: Source[];
  files?: SourceFile[]; // absent: source text was left out
  problems: Problem[];
  verdict: string;
  metrics?: MetricDescription[];
  baseline?: Baseline;
  cut_off?: CutOffPoint[];
  distance?: string; // what scatter is counted in
  timeline?: { bin_ns: number; bins: number };
  queue?: { bin_ns: number }; // tasks created and not started, over time
  warnings: { text: string; why: string }[];
  codelet_graphs?: CodeletGraph[];
  allocations?: Memory; // where they were recorded (einkorn record --allocations)
  machine?: { name: string; svg: string };
  columns: ColumnDescription[];
  raw_bytes: number;
  metric_columns: ColumnDescription[];
  metric_bytes: number;
  layout: {
    units_per_pixel: number;
    left: number;
    right: number;
    top: number;
    bottom: number;
    linear_up_to_ns: number;
    lengths: Lengths;
  };
  graph: { nodes: number; edges: number; cut?: string; part?: { first: number; count: number } };
  served?: boolean; // by einkorn view: aggregates are pages of their own, and whole source files can be had
}

function take(id: string): string {
  const element = document.getElementById(id);
  if (!element) throw new Error(`this page is incomplete: its part "${id}" is missing`);
  const text = element.textContent ?? "";
  element.remove(); // megabytes of text that nobody needs any more
  return text;
}

function bytesOf(base64: string): Uint8Array {
  const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }).fromBase64; // browsers of 2025 and later
  if (native) return native(base64);
  const binary = atob(base64.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// The browser's own decompressor, beside the script: ten times as fast as any script.
async function unpack(base64: string, size: number): Promise<Uint8Array> {
  if (size === 0) return new Uint8Array(0);
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser is too old for the page: it needs one of 2023 or later");
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  if (bytes.length !== size) throw new Error("this page's data is damaged: it does not have the length that it should");
  return bytes;
}

// One recording.
export interface Part {
  meta: Meta;
  columns: Columns;
  metrics: Columns;
}

async function readPart(name: string): Promise<Part> {
  const metaText = take(`einkorn-${name}meta`);
  const dataText = take(`einkorn-${name}data`);
  const metricsText = take(`einkorn-${name}metrics`);
  if (metaText.startsWith("@"))
    throw new Error("this is the empty page: einkorn report --html fills it with a recording");
  const meta = JSON.parse(metaText) as Meta;
  if (meta.format !== 2) throw new Error(`this page's data has format ${meta.format}, its script reads format 2`);
  const [raw, metrics] = await Promise.all([unpack(dataText, meta.raw_bytes), unpack(metricsText, meta.metric_bytes)]);
  return { meta, columns: new Columns(raw, meta.columns), metrics: new Columns(metrics, meta.metric_columns) };
}

interface Counted {
  grains: number;
  exec: number;
}

// A construct at a place, in both recordings; its sources are numbers of either one's own.
export interface LineChange {
  kind: string;
  before: Counted;
  after: Counted;
  only_before: Counted;
  only_after: Counted;
  matched: number;
  before_source?: number;
  after_source?: number;
  median?: number; // after over before, of its grains
  worst?: number;
}

// How two recordings compare (einkorn compare --html; src/report/page/pair.cpp writes it).
export interface PairMeta {
  before: { file: string; grains: number; predicted?: string };
  after: { file: string; grains: number; predicted?: string };
  remarks: string[];
  times: boolean; // those of both mean something
  per_grain: boolean; // enough is matched to compare grain by grain
  matched: number; // grains
  share: number; // of the work
  only_before: Counted;
  only_after: Counted;
  lines: LineChange[]; // the largest change first
  columns: ColumnDescription[];
  raw_bytes: number;
}

export interface PairPage {
  before: Part;
  meta: PairMeta;
  columns: Columns;
}

// What einkorn tune tried, where it wrote the page (src/cli/tune_output.cpp; einkorn tune --json).
export interface Tried {
  hints: string;
  what: string;
  verdict: string;
  pairs: number;
  before_seconds?: number;
  after_seconds?: number;
  gained_seconds?: number;
  before_joules?: number; // goal energy
  after_joules?: number;
  promised_seconds?: number; // at most
  predicted_percent?: [number, number]; // longer by so much
}
interface Tuning {
  goal: string;
  runs: number;
  seconds: number;
  tried: Tried[];
  hints_file?: string;
  why?: string; // there is none
  stopped?: string;
}

// null: einkorn tune did not write the page.
export function readTuning(): Tuning | null {
  const text = document.getElementById("einkorn-tuning")?.textContent;
  return text ? (JSON.parse(text) as Tuning) : null;
}

// `pair`: where the page shows two recordings, with the first of them; `part` is then the second.
export async function readPage(): Promise<{ part: Part; pair: PairPage | null }> {
  if (!document.getElementById("einkorn-pair")) return { part: await readPart(""), pair: null };
  const meta = JSON.parse(take("einkorn-pair")) as PairMeta;
  const matches = take("einkorn-pair-data");
  const [part, before, raw] = await Promise.all([readPart(""), readPart("before-"), unpack(matches, meta.raw_bytes)]);
  return { part, pair: { before, meta, columns: new Columns(raw, meta.columns) } };
}
