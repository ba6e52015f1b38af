// Mouse, wheel, touch pad and keys on the picture.
import { kNone } from "./model";
import { kViews, Store } from "./store";
import type { Stage } from "./draw/stage";

const kClickSlack = 4; // pixels that a click may wander
const kWheelZoom = 0.0022; // e-folds per wheel pixel
const kKeyZoom = 0.35;
const kTurnEnds = 500; // ms: a turn of the wheel after that is another movement
const kBeyond = 0.3; // e-folds beyond the end of the zoom: two turns of a wheel
const kKeyPan = 0.12; // of the window

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
    store.pan(-dx, -dy);
    [lastX, lastY] = [e.clientX, e.clientY];
  });
  const end = (e: PointerEvent) => {
    if (!dragging) return;
    dragging = false;
    element.style.cursor = "grab";
    if (e.type === "pointerup" && moved < kClickSlack) {
      const [px, py] = place(e);
      store.selectNode(stage.nodeAt(px, py), false);
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
    if (!store.parts.openNode(stage.nodeAt(px, py))) store.zoomAt(px, py, 1);
  });
  // Where it goes no further in, what an aggregate stands for is opened; no further out of a part, what is around it.
  let beyond = 0;
  let turned = 0; // when, last
  const zoom = (px: number, py: number, step: number) => {
    const before = store.view.zoom;
    const now = performance.now();
    if (now - turned > kTurnEnds) beyond = 0;
    turned = now;
    store.zoomAt(px, py, step);
    beyond = store.view.zoom !== before || beyond * step < 0 ? 0 : beyond + step;
    if (beyond > kBeyond) store.parts.openNode(stage.nodeAt(px, py));
    else if (beyond < -kBeyond) store.parts.leave();
    if (store.parts.opening) beyond = 0;
  };
  element.addEventListener("wheel", (e) => {
    e.preventDefault();
    const lines = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1;
    const [px, py] = place(e);
    // The wheel zooms; with shift it moves sideways. A touch pad's two-finger move has a sideways part: it moves.
    if (e.shiftKey) store.pan((e.deltaX || e.deltaY) * lines, 0);
    else if (!e.ctrlKey && Math.abs(e.deltaX) > Math.abs(e.deltaY)) store.pan(e.deltaX * lines, e.deltaY * lines);
    else zoom(px, py, -e.deltaY * lines * kWheelZoom * (e.ctrlKey ? 3 : 1));
  }, { passive: false });
}

// `of`: the recording that keys are about, at the time. `own`: further keys; true: it was one.
export function bindKeys(of: () => Store, focusSearch: () => void, own: (key: string) => boolean = () => false): void {
  window.addEventListener("keydown", (e) => {
    const store = of();
    const typing = e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement;
    if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
    const { view, timeView } = store;
    const inTime = store.shown === "timeline";
    const pan = (dx: number, dy: number) => {
      if (inTime) {
        timeView.scroll += dy * 60;
        store.panTime(dx * kKeyPan);
      } else store.pan(dx * view.width * kKeyPan, dy * view.height * kKeyPan);
    };
    const zoom = (step: number) => {
      if (inTime) store.zoomTime(0.5, step);
      else store.zoomAt(view.width / 2, view.height / 2, step);
    };
    const at = kViews[Number(e.key) - 1];
    if (at) store.show(at);
    else switch (e.key) {
      case "0": store.fit(); break;
      case "w": inTime ? zoom(kKeyZoom) : pan(0, -1); break;
      case "s": inTime ? zoom(-kKeyZoom) : pan(0, 1); break;
      case "ArrowUp": pan(0, -1); break;
      case "ArrowDown": pan(0, 1); break;
      case "a": case "ArrowLeft": pan(-1, 0); break;
      case "d": case "ArrowRight": pan(1, 0); break;
      case "+": case "=": zoom(kKeyZoom); break;
      case "-": case "_": zoom(-kKeyZoom); break;
      case "c": store.toggleCritical(); break;
      case "e": store.toggleDependences(); break;
      case "f": case "/": focusSearch(); break;
      case "n": store.step(1); break;
      case "p": store.step(-1); break;
      case "t": store.nextTheme(); break;
      case "x": if (store.scene.form === "grains" && store.selectedGrain !== kNone) store.toggleSubtree(store.selectedGrain); break;
      case "z": store.zoomToLit(); break;
      case "Enter": if (!store.parts.openNode(store.selectedNode)) return; break;
      case "u": if (!store.parts.leave()) return; break;
      case "?": store.showHelp = !store.showHelp; store.notify(); break;
      case "Escape":
        if (store.showHelp) { store.showHelp = false; store.notify(); }
        else if (store.found) store.clear();
        else store.selectNode(-1, false);
        break;
      default: if (!own(e.key)) return;
    }
    e.preventDefault();
  });
}
