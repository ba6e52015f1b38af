// Zoom, over the corner of a picture.
import { dispatch } from "../state/actions";
import type { Store } from "../state/store";

export function Zoom({ store }: { store: Store }) {
  const zoom = (step: number) => {
    if (store.shown === "graph")
      dispatch(store, { type: "zoom", px: store.view.width / 2, py: store.view.height / 2, step });
    else dispatch(store, { type: "zoom time", at: 0.5, step });
  };
  const own = (e: Event) => e.stopPropagation(); // the picture below must not take it for a drag
  return (
    <div class="group zoom" onPointerDown={own} onPointerUp={own} onDblClick={own}>
      <button title="Zoom out (-)" aria-label="Zoom out" onClick={() => zoom(-0.5)}>
        −
      </button>
      <button title="Zoom in (+)" aria-label="Zoom in" onClick={() => zoom(0.5)}>
        +
      </button>
      <button title="Show everything (0)" onClick={() => dispatch(store, { type: "fit" })}>
        fit
      </button>
    </div>
  );
}
