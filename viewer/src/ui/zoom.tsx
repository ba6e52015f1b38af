// Zoom, over the corner of a picture.
import type { Store } from "../store";

export function Zoom({ store }: { store: Store }) {
  const zoom = (step: number) => {
    if (store.shown === "graph") store.zoomAt(store.view.width / 2, store.view.height / 2, step);
    else store.zoomTime(0.5, step);
  };
  const own = (e: Event) => e.stopPropagation(); // the picture below must not take it for a drag
  return (
    <div class="group zoom" onPointerDown={own} onPointerUp={own} onDblClick={own}>
      <button title="Zoom out (-)" aria-label="Zoom out" onClick={() => zoom(-0.5)}>−</button>
      <button title="Zoom in (+)" aria-label="Zoom in" onClick={() => zoom(0.5)}>+</button>
      <button title="Show everything (0)" onClick={() => store.fit()}>fit</button>
    </div>
  );
}
