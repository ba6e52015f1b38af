// The two recordings of a comparison, and what is known of one from the other.
import type { LineChange } from "../../data/page";
import type { Store } from "../store";

export type SideName = "before" | "after";
export const kSides: SideName[] = ["before", "after"];

export interface Matched {
  readonly stores: Record<SideName, Store>;
  other(side: SideName): Store;
  counterpart(side: SideName, grain: number): number; // of the other side; kNone: there is none
  onlyHere(side: SideName, grain: number): boolean;
  lineOf(side: SideName, source: number): LineChange | undefined;
}
