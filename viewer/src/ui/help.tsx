// Keys, and how to read the picture.
import type { Store } from "../store";
import { useStore } from "./app";

const kKeys: [string, string][] = [
  ["drag, w a s d, arrows", "move"],
  ["wheel, + -, double click", "zoom; Shift+wheel moves sideways"],
  ["0", "show everything"],
  ["click", "select a grain: its properties appear at the right"],
  ["f", "find; Enter or n next, Shift+Enter or p previous"],
  ["c", "critical path on or off"],
  ["Escape", "clear the search, then the selection"],
];

export function Help({ store }: { store: Store }) {
  useStore(store);
  if (!store.showHelp) return null;
  const close = () => { store.showHelp = false; store.notify(); };
  return (
    <div class="curtain" onClick={close}>
      <div class="help" role="dialog" aria-label="Help" onClick={(e) => e.stopPropagation()}>
        <h2>How to read the picture</h2>
        <p>Each column is one task, or one thread's part of a parallel region, read from top to bottom. Boxes are stretches of
          your code; a green disc is where a task or team is created, its column stands to the left or right of it; an orange disc is where work is waited for.
          What stands between a green and an orange disc could run at the same time.</p>
        <p>A box's height grows with its execution time. Position says who created whom, not when something ran.
          Far out, boxes are smaller than a pixel: the picture then shows the mean colour of all that lies there, and nothing is left out.</p>
        <h2>Keys</h2>
        <dl>{kKeys.map(([key, does]) => <><dt>{key}</dt><dd>{does}</dd></>)}</dl>
        <p><button onClick={close}>close</button></p>
      </div>
    </div>
  );
}
