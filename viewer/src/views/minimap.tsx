// The whole graph, small, with what is in sight: shown while something is out of sight.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Stage } from "../draw/stage";
import { dispatch } from "../state/actions";
import type { Store } from "../state/store";

const kWidth = 200;
const kHeight = 120;

export function Minimap({ store }: { store: Store }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const window_ = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(false);
  const drawn = useRef<{ paint: number; stage: Stage | null }>({ paint: -1, stage: null });
  useEffect(
    () =>
      store.subscribeView(() => {
        const { view, stage } = store;
        if (!stage || !canvas.current) return;
        const partial = view.zoom > 0.02;
        setShown(partial);
        if (!partial) return;
        if (drawn.current.stage !== stage) {
          drawn.current.stage = stage;
          stage.onMap = (picture, frame) => {
            const c = canvas.current;
            if (!c) return;
            c.width = frame.width;
            c.height = frame.height;
            c.getContext("2d")!.putImageData(picture, 0, 0);
          };
        }
        if (drawn.current.paint !== stage.paints) {
          drawn.current.paint = stage.paints;
          const ratio = window.devicePixelRatio || 1;
          stage.requestMap(Math.round(kWidth * ratio), Math.round(kHeight * ratio));
        }
        const { left, right, top, bottom } = view.extent;
        const x = (v: number) => Math.max(0, Math.min(kWidth, ((v - left) / Math.max(1, right - left)) * kWidth));
        const y = (v: number) => Math.max(0, Math.min(kHeight, ((v - top) / Math.max(1, bottom - top)) * kHeight));
        const [x0, x1, y0, y1] = [x(view.toX(0)), x(view.toX(view.width)), y(view.toY(0)), y(view.toY(view.height))];
        Object.assign(window_.current!.style, {
          left: `${Math.min(x0, kWidth - 4)}px`,
          top: `${Math.min(y0, kHeight - 4)}px`,
          width: `${Math.max(4, x1 - x0)}px`,
          height: `${Math.max(4, y1 - y0)}px`,
        });
      }),
    [store],
  );
  const go = (e: PointerEvent) => {
    if (e.buttons !== 1) return;
    e.stopPropagation();
    const r = canvas.current!.getBoundingClientRect();
    const { left, right, top, bottom } = store.view.extent;
    const { view } = store;
    dispatch(store, {
      type: "pan",
      dx: (left + ((e.clientX - r.left) / r.width) * (right - left) - view.x) * view.sx,
      dy: (top + ((e.clientY - r.top) / r.height) * (bottom - top) - view.y) * view.sy,
    });
  };
  return (
    <div
      class="minimap"
      id="minimap"
      title="The whole graph; click or drag to go there"
      style={{ width: `${kWidth}px`, height: `${kHeight}px`, visibility: shown ? "visible" : "hidden" }}
      onPointerDown={go}
      onPointerMove={go}
      onWheel={(e) => e.stopPropagation()}
      onDblClick={(e) => e.stopPropagation()}
      onPointerUp={(e) => e.stopPropagation()}
    >
      <canvas ref={canvas} />
      <div class="window" ref={window_} />
    </div>
  );
}
