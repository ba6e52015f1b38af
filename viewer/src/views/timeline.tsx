// The timeline: what each thread did when.

import { useEffect, useRef, useState } from "preact/hooks";
import { count, digits, time } from "../data/format";
import { kNone } from "../data/model";
import { css, mix } from "../draw/colours";
import { kRest, TimelineLayout, TimelinePainter, timelineLayout } from "../draw/draw_timeline";
import type { Lanes } from "../draw/lanes";
import { rgb } from "../draw/surface";
import { dispatch } from "../state/actions";
import { fullColours } from "../state/paint";
import type { Store } from "../state/store";
import { isDark, onThemeChange, textOn, theme } from "../state/theme";
import { kStates } from "./states";
import { useStore } from "./use_store";
import { Zoom } from "./zoom";

function colourOf(text: string): number {
  const v = parseInt(text.slice(1), 16);
  return rgb(v >> 16, (v >> 8) & 255, v & 255);
}

// The states' colours as style.css has them.
function stateColours(): Record<string, number> {
  const style = getComputedStyle(document.documentElement);
  const out: Record<string, number> = {};
  for (const s of kStates) out[s.name] = colourOf(style.getPropertyValue(`--${s.name}`).trim() || "#888888");
  return out;
}

export function Timeline({ store }: { store: Store }) {
  useStore(store);
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [pointed, setPointed] = useState("");
  const state = useRef<{
    lanes: Lanes;
    painter: TimelinePainter;
    painted: Uint32Array | null;
    layout: TimelineLayout | null;
    wanted: boolean;
  } | null>(null);
  const { model, timeView } = store;

  const draw = () => {
    const s = state.current!;
    s.wanted = false;
    const element = box.current;
    if (!element || !canvas.current) return;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [element.clientWidth, element.clientHeight];
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.current.width !== w || canvas.current.height !== h)
      [canvas.current.width, canvas.current.height] = [w, h];
    const colours = fullColours(store);
    if (s.painted !== colours) s.lanes.paint((s.painted = colours));
    s.layout = timelineLayout(width, height, s.lanes.rows.length, model.queue !== null);
    timeView.scroll = Math.max(0, Math.min(timeView.scroll, s.layout.content - s.layout.lanes.height));
    const t = theme();
    const style = getComputedStyle(document.documentElement);
    const word = (name: string) => style.getPropertyValue(name).trim();
    s.painter.draw(
      canvas.current.getContext("2d", { alpha: false })!,
      s.layout,
      timeView,
      {
        background: t.background,
        text: word("--text"),
        faint: word("--faint"),
        line: word("--line"),
        selection: t.selection,
        states: stateColours(),
        textOn,
      },
      ratio,
      store.selectedGrain === kNone ? [] : model.nodesOf.of(store.selectedGrain),
    );
  };
  const request = () => {
    const s = state.current;
    if (!s || s.wanted) return;
    s.wanted = true;
    requestAnimationFrame(draw);
  };

  useEffect(() => {
    const element = box.current!;
    const { lanes } = store;
    state.current = { lanes, painter: new TimelinePainter(model, lanes), painted: null, layout: null, wanted: false };
    draw();
    const stop = [store.subscribe(request), store.subscribeView(request)];
    const observer = new ResizeObserver(request);
    observer.observe(element);
    onThemeChange(request);
    const share = (e: MouseEvent) => {
      const l = state.current!.layout!;
      const r = element.getBoundingClientRect();
      return {
        at: Math.max(0, Math.min(1, (e.clientX - r.left - l.left) / Math.max(1, l.width - l.left))),
        y: e.clientY - r.top,
        l,
      };
    };
    const fragmentAt = (e: MouseEvent): number => {
      const { at, y, l } = share(e);
      const lane = Math.floor((y - l.lanes.top + timeView.scroll) / l.lanes.lane);
      const row = y < l.lanes.top ? undefined : lanes.rows[lane];
      if (!row) return -1;
      const k = lanes.at(row, timeView.from + at * timeView.span, (2 * timeView.span) / Math.max(1, l.width - l.left));
      return k < 0 ? -1 : lanes.order[k];
    };
    const say = (e: MouseEvent) => {
      const { at, y, l } = share(e);
      const t = timeView.from + at * timeView.span;
      const node = fragmentAt(e);
      const parts = [time(t)];
      const lane = Math.floor((y - l.lanes.top + timeView.scroll) / l.lanes.lane);
      const waiting = model.queue?.tasks[Math.floor(t / model.queue.binNs)] ?? 0;
      if (waiting > 0) parts.push(`${waiting < 10 ? digits(waiting) : count(Math.round(waiting))} tasks waiting`);
      if (y >= l.lanes.top && lanes.rows[lane]) {
        parts.push(`thread ${lane}`);
        if (node >= 0)
          parts.push(
            model.nodes.grain[node] === 0
              ? "outside parallel regions"
              : model.placeOf(model.sourceOfNode(model.nodes, node)),
            time(model.nodes.weight[node]),
          );
        else if (model.timeline) {
          const bin = Math.floor(t / model.timeline.binNs);
          const best = kRest
            .map((s) => [s, model.timeline!.states[s][lane * model.timeline!.bins + bin] ?? 0] as const)
            .sort((a, b) => b[1] - a[1])[0];
          if (best[1] > 0) parts.push(kStates.find((s) => s.name === best[0])!.label);
        }
      }
      setPointed(parts.join(" · "));
      element.style.cursor = node >= 0 ? "pointer" : "grab";
    };
    let dragging = false;
    let far = 0;
    let last = [0, 0];
    const down = (e: PointerEvent) => {
      if (e.button !== 0) return;
      dragging = true;
      far = 0;
      last = [e.clientX, e.clientY];
      element.setPointerCapture(e.pointerId);
      (document.activeElement as HTMLElement | null)?.blur();
    };
    const move = (e: PointerEvent) => {
      if (!dragging) return say(e);
      const { l } = share(e);
      far += Math.abs(e.clientX - last[0]) + Math.abs(e.clientY - last[1]);
      if (far < 4) return;
      const by = (e.clientX - last[0]) / Math.max(1, l.width - l.left);
      dispatch(store, { type: "pan time", share: -by, scroll: last[1] - e.clientY });
      last = [e.clientX, e.clientY];
    };
    const up = (e: PointerEvent) => {
      if (dragging && far < 4 && e.type === "pointerup") {
        const node = fragmentAt(e);
        const grain = node < 0 ? kNone : model.nodes.grain[node];
        if (grain === kNone) dispatch(store, { type: "select node", node: -1 });
        else dispatch(store, { type: "select grain", grain, centre: false });
      }
      dragging = false;
    };
    const wheel = (e: WheelEvent) => {
      e.preventDefault();
      const lines = e.deltaMode === 1 ? 16 : 1;
      const { at, l } = share(e);
      if (e.shiftKey)
        dispatch(store, { type: "pan time", share: ((e.deltaX || e.deltaY) * lines) / Math.max(1, l.width - l.left) });
      else if (Math.abs(e.deltaX) > Math.abs(e.deltaY))
        dispatch(store, { type: "pan time", share: (e.deltaX * lines) / Math.max(1, l.width - l.left) });
      else dispatch(store, { type: "zoom time", at, step: -e.deltaY * lines * 0.0022 });
    };
    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      stop.forEach((s) => s());
      observer.disconnect();
    };
  }, []);

  const aggregated = model.meta.graph.cut !== undefined;
  const shown = kStates.filter((s) => (model.meta.thread_time[s.name] ?? 0) > 0);
  const colours = stateColours();
  const { background } = theme();
  return (
    <>
      <div class="timeline" ref={box} id="timeline">
        <canvas ref={canvas} />
        <Zoom store={store} />
      </div>
      <div class="legend" data-dark={isDark()}>
        {model.timeline ? (
          <>
            <span
              class="faint"
              title={`Above, how many threads were in which state. Between grains a lane shows the thread's state, known in steps of ${time(model.timeline.binNs)}. Off-CPU time is not known to that detail.`}
            >
              states:
            </span>
            {shown.map((s) => (
              <span key={s.name} title={s.why}>
                <i style={{ background: css(mix(background, colours[s.name], 1)) }} />
                {s.label}
              </span>
            ))}
          </>
        ) : (
          <span class="faint">States between grains were not recorded.</span>
        )}
        {(store.colouring === "home" || store.colouring === "node") &&
          store.colours.legend(store.colouring).map((e) => (
            <span key={e.label} title={e.hover}>
              <i style={{ background: css(e.colour) }} />
              {e.label}
            </span>
          ))}
        {model.queue && (
          <span
            class="faint"
            title={`Tasks that were created and not started yet, whatever they waited for: the mean of each ${time(model.queue.binNs)}. Those that their creator ran at once are not among them.`}
          >
            below: tasks waiting
          </span>
        )}
        {aggregated && <span class="faint">This graph was cut: lanes show states, not single grains.</span>}
        <span class="gap" />
        <span class="faint pointed">{pointed}</span>
      </div>
    </>
  );
}
