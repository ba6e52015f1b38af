// What the einkorn tool wrote into the page: src/report/html_meta.cpp and html.cpp are the other side.
import { decompress } from "fzstd";
import { Columns, ColumnDescription } from "./columns";

export interface StateTimes { [state: string]: number }

export interface Excerpt { first: number; lines: string[]; note: string }

export interface Source {
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
  text?: Excerpt;
}

export interface ThreadInfo {
  os_tid: number;
  initial: boolean;
  in_team: number;
  times: StateTimes;
  cpu_ns?: number;
  involuntary_switches?: number;
}

export interface Meta {
  format: number;
  program: string;
  argv: string[];
  runtime: string;
  host: string;
  started: string;
  cpus?: number;
  wall_ns: number;
  times_valid: boolean;
  critical_path_ns: number;
  burdened_path_ns: number;
  parallelism: number;
  totals: { tasks: number; chunks: number; shares: number; regions: number };
  thread_time: StateTimes;
  threads: ThreadInfo[];
  sources: Source[];
  source_text: boolean;
  warnings: { text: string; why: string }[];
  machine?: { name: string; svg: string };
  columns: ColumnDescription[];
  raw_bytes: number;
  layout: {
    units_per_pixel: number;
    left: number;
    right: number;
    top: number;
    bottom: number;
    linear_up_to_ns: number;
  };
  graph: { nodes: number; edges: number; cut?: string };
}

function take(id: string): string {
  const element = document.getElementById(id);
  if (!element) throw new Error(`this page is incomplete: its part "${id}" is missing`);
  const text = element.textContent ?? "";
  element.remove(); // megabytes of text that nobody needs any more
  return text;
}

function bytesOf(base64: string): Uint8Array {
  const binary = atob(base64.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export function readPage(): { meta: Meta; columns: Columns } {
  const metaText = take("einkorn-meta");
  const dataText = take("einkorn-data");
  if (metaText.startsWith("@")) throw new Error("this is the empty page: einkorn report --html fills it with a recording");
  const meta = JSON.parse(metaText) as Meta;
  if (meta.format !== 1) throw new Error(`this page's data has format ${meta.format}, its script reads format 1`);
  const raw = decompress(bytesOf(dataText), new Uint8Array(meta.raw_bytes));
  return { meta, columns: new Columns(raw, meta.columns) };
}
