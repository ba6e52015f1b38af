// A view that is drawn again when its store says that something changed.
import { useLayoutEffect, useState } from "preact/hooks";
import type { Store } from "../state/store";

// Subscribed before the picture starts (an effect), so that no panel misses what the address selects.
export function useStore(store: Store): void {
  const [, again] = useState(0);
  useLayoutEffect(() => store.subscribe(() => again((n) => n + 1)), [store]);
}
