// Mouse, wheel, touch pad and keys on the picture.

import { kNone } from "../data/model";
import type { Stage } from "../draw/stage";
import { dispatch } from "../state/actions";
import { canLeave, canOpen } from "../state/served";
import { Store } from "../state/store";
import { nextTheme } from "../state/theme";

const kClickSlack = 4; // pixels that a click may wander
const kWheelZoom = 0.0022; // e-folds per wheel pixel
const kKeyZoom = 0.35;
const kTurnEnds = 500; // ms: a turn of the wheel after that is another movement
const kBeyond = 0.3; // e-folds beyond the end of the zoom: two turns of a wheel
const kKeyPan = 0.12; // of the window
const kKeyScroll = 60; // CSS pixels of the timeline's lanes

export function bindPointer(element: HTMLElement, store: Store, stage: Stage): void {
  let dragging = false;
  let moved = 0;
  let lastX = 0;
  let lastY = 0;
  const place = (e: MouseEvent): [number, number] => {
    const box = element.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  };
  element.addEventListener("pointerdown", (e) => {
    if (e.button !== 0) return;
    dragging = true;
    moved = 0;
    [lastX, lastY] = [e.clientX, e.clientY];
    element.setPointerCapture(e.pointerId);
    (document.activeElement as HTMLElement | null)?.blur();
  });
  element.addEventListener("pointermove", (e) => {
    if (!dragging) {
      const [px, py] = place(e);
      const node = stage.nodeAt(px, py);
      if (node !== stage.hovered) {
        stage.hovered = node;
        element.style.cursor = node >= 0 ? "pointer" : "grab";
        stage.redrawOverlay();
        store.notifyView();
      }
      return;
    }
    const dx = e.clientX - lastX;
    const dy = e.clientY - lastY;
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved < kClickSlack) return;
    element.style.cursor = "grabbing";
    dispatch(store, { type: "pan", dx: -dx, dy: -dy });
    [lastX, lastY] = [e.clientX, e.clientY];
  });
  const end = (e: PointerEvent) => {
    if (!dragging) return;
    dragging = false;
    element.style.cursor = "grab";
    if (e.type === "pointerup" && moved < kClickSlack) {
      const [px, py] = place(e);
      dispatch(store, { type: "select node", node: stage.nodeAt(px, py) });
    }
  };
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
  element.addEventListener("pointerleave", () => {
    if (stage.hovered < 0) return;
    stage.hovered = -1;
    stage.redrawOverlay();
    store.notifyView();
  });
  element.addEventListener("dblclick", (e) => {
    const [px, py] = place(e);
    const node = stage.nodeAt(px, py);
    if (canOpen(store, node)) dispatch(store, { type: "open node", node });
    else dispatch(store, { type: "zoom", px, py, step: 1 });
  });
  // Where it goes no further in, what an aggregate stands for is opened; no further out of a part, what is around it.
  let beyond = 0;
  let turned = 0; // when, last
  const zoom = (px: number, py: number, step: number) => {
    const before = store.view.zoom;
    const now = performance.now();
    if (now - turned > kTurnEnds) beyond = 0;
    turned = now;
    dispatch(store, { type: "zoom", px, py, step });
    beyond = store.view.zoom !== before || beyond * step < 0 ? 0 : beyond + step;
    if (beyond > kBeyond) dispatch(store, { type: "open node", node: stage.nodeAt(px, py) });
    else if (beyond < -kBeyond) dispatch(store, { type: "leave" });
    if (store.opening) beyond = 0;
  };
  element.addEventListener(
    "wheel",
    (e) => {
      e.preventDefault();
      const lines = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1;
      const [px, py] = place(e);
      // The wheel zooms; with shift it moves sideways. A touch pad's two-finger move has a sideways part: it moves.
      if (e.shiftKey) dispatch(store, { type: "pan", dx: (e.deltaX || e.deltaY) * lines, dy: 0 });
      else if (!e.ctrlKey && Math.abs(e.deltaX) > Math.abs(e.deltaY))
        dispatch(store, { type: "pan", dx: e.deltaX * lines, dy: e.deltaY * lines });
      else zoom(px, py, -e.deltaY * lines * kWheelZoom * (e.ctrlKey ? 3 : 1));
    },
    { passive: false },
  );
}

// `of`: the recording that keys are about, at the time. `own`: further keys; true: it was one.
export function bindKeys(of: () => Store, focusSearch: () => void, own: (key: string) => boolean = () => false): void {
  window.addEventListener("keydown", (e) => {
    const store = of();
    const typing = e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement;
    if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
    const { view } = store;
    const inTime = store.shown === "timeline";
    const pan = (dx: number, dy: number) => {
      if (inTime) {
        dispatch(store, { type: "pan time", share: dx * kKeyPan, scroll: dy * kKeyScroll });
      } else dispatch(store, { type: "pan", dx: dx * view.width * kKeyPan, dy: dy * view.height * kKeyPan });
    };
    const zoom = (step: number) => {
      if (inTime) dispatch(store, { type: "zoom time", at: 0.5, step });
      else dispatch(store, { type: "zoom", px: view.width / 2, py: view.height / 2, step });
    };
    const at = store.views[Number(e.key) - 1];
    if (at) dispatch(store, { type: "show", view: at });
    else
      switch (e.key) {
        case "0":
          dispatch(store, { type: "fit" });
          break;
        case "w":
          inTime ? zoom(kKeyZoom) : pan(0, -1);
          break;
        case "s":
          inTime ? zoom(-kKeyZoom) : pan(0, 1);
          break;
        case "ArrowUp":
          pan(0, -1);
          break;
        case "ArrowDown":
          pan(0, 1);
          break;
        case "a":
        case "ArrowLeft":
          pan(-1, 0);
          break;
        case "d":
        case "ArrowRight":
          pan(1, 0);
          break;
        case "+":
        case "=":
          zoom(kKeyZoom);
          break;
        case "-":
        case "_":
          zoom(-kKeyZoom);
          break;
        case "c":
          dispatch(store, { type: "critical", on: !store.showCritical });
          break;
        case "e":
          dispatch(store, { type: "dependences", on: !store.showDependences });
          break;
        case "f":
        case "/":
          focusSearch();
          break;
        case "n":
          dispatch(store, { type: "step", by: 1 });
          break;
        case "p":
          dispatch(store, { type: "step", by: -1 });
          break;
        case "t":
          dispatch(store, { type: "theme", name: nextTheme(store.themeName) });
          break;
        case "x":
          if (store.scene.form === "grains" && store.selectedGrain !== kNone)
            dispatch(store, { type: "subtree", grain: store.selectedGrain });
          break;
        case "z":
          dispatch(store, { type: "zoom to lit" });
          break;
        case "Enter":
          if (!canOpen(store, store.selectedNode)) return;
          dispatch(store, { type: "open node", node: store.selectedNode });
          break;
        case "u":
          if (!canLeave(store)) return;
          dispatch(store, { type: "leave" });
          break;
        case "?":
          dispatch(store, { type: "help", on: !store.showHelp });
          break;
        case "Escape":
          if (store.showHelp) {
            dispatch(store, { type: "help", on: false });
          } else if (store.found || store.source !== kNone) dispatch(store, { type: "clear" });
          else dispatch(store, { type: "select node", node: -1 });
          break;
        default:
          if (!own(e.key)) return;
      }
    e.preventDefault();
  });
}
