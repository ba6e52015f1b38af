// A page that has a part of its recording only: what is asked of the server (served.ts), and what it answers.
import type { Model } from "./model";

// Grains that are searched for, whether they are drawn or not.
export interface Inside {
  all: number; // grains in the recording
  here: number; // in this page: drawn, or inside of its aggregates
  nodes: Uint8Array; // per node of the page: one is in it
  hidden: number; // node of the graph with the first that is not drawn, or kNone
}

// As the server takes it: digits of an id, or sources with what else is asked of a grain.
export type Wanted = { id: string } | { sources: Uint8Array; kinds: number; leastDepth: number; remote: boolean };

export function isPartial({ meta }: Model): boolean {
  return meta.served === true && (meta.graph.cut !== undefined || meta.graph.part !== undefined);
}
