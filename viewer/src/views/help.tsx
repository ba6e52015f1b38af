// Keys, and how to read the picture.
import { dispatch } from "../state/actions";
import type { Store } from "../state/store";
import { useStore } from "./use_store";

const kKeys: [string, string][] = [
  ["1 2 3 4 5 6 7", "graph, timeline, histogram, source, depth; codelets and memory, where there are any"],
  ["w a s d, arrows, drag", "move; in the timeline w and s zoom"],
  ["wheel, + -, double click", "zoom; Shift+wheel moves sideways"],
  ["0", "show everything"],
  ["click", "select a grain: its properties appear at the right"],
  ["x", "collapse or expand the selected grain's subtree (one box a grain)"],
  ["f", "find; Enter or n next, Shift+Enter or p previous"],
  ["z", "zoom to what is highlighted"],
  ["c, e", "critical path, dependences on or off"],
  [
    "Enter, double click",
    "of a graph that is too large for one page: open what the aggregate stands for; so does the wheel at its end",
  ],
  ["u", "back to where this part was opened from"],
  ["t", "light or dark"],
  ["l, b", "of two recordings: move together or apart; side by side or one above the other"],
  ["Escape", "clear the highlight, then the selection"],
];

export function Help({ store }: { store: Store }) {
  useStore(store);
  if (!store.showHelp) return null;
  const close = () => {
    dispatch(store, { type: "help", on: false });
  };
  return (
    <div class="curtain" onClick={close}>
      <div class="help" role="dialog" aria-label="Help" onClick={(e) => e.stopPropagation()}>
        <h2>Where to begin</h2>
        <p>
          At the list of problems on the right: it is ranked by the wall time that fixing each could save at most. A
          click shows the grains that a problem is about, in every view, and the source line. The rows below it colour
          the graph by one metric: problems from yellow to dark red, everything else dimmed.
        </p>
        <h2>How to read the graph</h2>
        <p>
          Each column is one task, or one thread's part of a parallel region, read from top to bottom. Boxes are
          stretches of your code; a green disc is where a task or team is created, its column stands to the left or
          right of it; an orange disc is where work is waited for. What stands between a green and an orange disc could
          run at the same time.
        </p>
        <p>
          A box's height grows with its execution time. Position says who created whom, not when something ran: that is
          in the timeline. Far out, boxes are smaller than a pixel: the picture then shows the mean colour of all that
          lies there, and nothing is left out.
        </p>
        <h2>Keys</h2>
        <dl>
          {kKeys.map(([key, does]) => (
            <>
              <dt>{key}</dt>
              <dd>{does}</dd>
            </>
          ))}
        </dl>
        <p class="faint">The address holds the view: copy it to show somebody else what you see.</p>
        <p>
          <button onClick={close}>close</button>
        </p>
      </div>
    </div>
  );
}
