// The picture in the page: asks the worker for frames, shows them, draws labels and the selection over them.
// At most one frame is under way; the newest wish wins. Labels are drawn with the frame they belong to.
import type { Model } from "../data/model";
import type { Scene } from "../data/scene";
import { Blocks } from "./blocks";
import { nodeRects } from "./geometry";
import { drawOverlay, OverlayStyle } from "./overlay";
import type { Frame, Paint } from "./raster";
import type { Reply, Request } from "./raster.worker";
import RasterWorker from "./raster.worker?worker&inline";
import type { View } from "./view";

interface FrameStats {
  drawn: number;
  milliseconds: number;
  frames: number;
}

export class Stage {
  readonly stats: FrameStats = { drawn: 0, milliseconds: 0, frames: 0 };
  blocks: Blocks;
  style: OverlayStyle | null = null;
  selected = -1; // node
  hovered = -1; // node
  onFrame: (() => void) | null = null;
  onMap: ((picture: ImageData, frame: Frame) => void) | null = null; // the whole scene, small

  private readonly first: Scene;
  private readonly firstBlocks: Blocks;
  private readonly worker = new RasterWorker();
  private readonly picture: CanvasRenderingContext2D;
  private readonly overlay: CanvasRenderingContext2D;
  private spare: ArrayBuffer | null = null;
  private busy = false;
  private wanted = false;
  private shown: Frame | null = null;

  constructor(
    private readonly model: Model,
    private scene: Scene,
    readonly view: View,
    picture: HTMLCanvasElement,
    overlay: HTMLCanvasElement,
  ) {
    this.picture = picture.getContext("2d", { alpha: false, willReadFrequently: true })!; // pixels come from the CPU
    this.overlay = overlay.getContext("2d")!;
    this.first = scene;
    this.blocks = this.firstBlocks = new Blocks(nodeRects(scene.nodes));
    this.worker.onmessage = (event: MessageEvent<Reply>) => {
      const { data } = event;
      if (data.type === "frame") this.show(data);
      else
        this.onMap?.(
          new ImageData(new Uint8ClampedArray(data.buffer), data.frame.width, data.frame.height),
          data.frame,
        );
    };
    this.postGraph(scene);
  }

  private postGraph({ nodes: { count, kind, critical, x, y, width, height }, edges, unitsPerPixel }: Scene): void {
    const { fan, aside } = this.model.meta.layout.lengths;
    const lengths = { run: Math.round((fan / 2) * unitsPerPixel), aside: Math.round(aside * unitsPerPixel) };
    this.post({ type: "graph", nodes: { count, kind, critical, x, y, width, height }, edges, lengths });
  }

  // Paint has to follow. The first scene is the full graph: it is kept, here and in the worker.
  setScene(scene: Scene): void {
    this.scene = scene;
    this.selected = this.hovered = -1;
    this.shown = null;
    this.blocks = scene === this.first ? this.firstBlocks : new Blocks(nodeRects(scene.nodes));
    if (scene === this.first) this.post({ type: "first" });
    else this.postGraph(scene);
  }

  // Everything into width x height device pixels.
  requestMap(width: number, height: number): void {
    const { left, right, top, bottom } = this.scene.extent;
    const sx = width / Math.max(1, right - left);
    const sy = height / Math.max(1, bottom - top);
    this.post({ type: "map", frame: { width, height, sx, sy, pixelRatio: 1, x0: left, y0: top } });
  }

  private post(request: Request, transfer: Transferable[] = []): void {
    this.worker.postMessage(request, transfer);
  }

  paints = 0; // how often colours were set: what was drawn before is out of date

  setPaint(paint: Paint): void {
    this.paints++;
    this.post({ type: "paint", paint });
    this.request();
  }

  // Nothing under way and nothing wished for.
  get idle(): boolean {
    return !this.busy && !this.wanted;
  }

  request(): void {
    if (this.wanted) return;
    this.wanted = true;
    if (!this.busy) queueMicrotask(() => this.start()); // after the event that wishes it: several wishes are one frame
  }

  private start(): void {
    if (this.busy || !this.wanted) return;
    this.wanted = false;
    this.busy = true;
    const { view } = this;
    const pixelRatio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(view.width * pixelRatio));
    const height = Math.max(1, Math.round(view.height * pixelRatio));
    const sx = view.sx * pixelRatio;
    const sy = view.sy * pixelRatio;
    // Whole pixels from the origin: a picture that only moved can be taken over.
    const x0 = Math.round(view.toX(0) * sx) / sx;
    const y0 = Math.round(view.toY(0) * sy) / sy;
    const frame: Frame = { width, height, sx, sy, pixelRatio, x0, y0 };
    let buffer = this.spare;
    this.spare = null;
    if (!buffer || buffer.byteLength !== width * height * 4) buffer = new ArrayBuffer(width * height * 4);
    this.post({ type: "frame", frame, buffer }, [buffer]);
  }

  private show(reply: Extract<Reply, { type: "frame" }>): void {
    const { frame } = reply;
    for (const context of [this.picture, this.overlay]) {
      if (context.canvas.width !== frame.width) context.canvas.width = frame.width;
      if (context.canvas.height !== frame.height) context.canvas.height = frame.height;
    }
    this.picture.putImageData(new ImageData(new Uint8ClampedArray(reply.buffer), frame.width, frame.height), 0, 0);
    this.spare = reply.buffer;
    this.stats.drawn = reply.drawn;
    this.stats.milliseconds = reply.milliseconds;
    this.stats.frames++;
    this.shown = frame;
    this.redrawOverlay();
    this.busy = false;
    this.onFrame?.();
    this.start();
  }

  // Without a new picture: the selection or the hovered node changed.
  redrawOverlay(): void {
    if (!this.shown || !this.style) return;
    const any = drawOverlay(
      this.overlay,
      this.shown,
      this.model,
      this.scene,
      this.blocks,
      this.style,
      this.selected,
      this.hovered,
    );
    // An empty layer costs as much to compose as a full one.
    const display = any ? "" : "none";
    if (this.overlay.canvas.style.display !== display) this.overlay.canvas.style.display = display;
  }

  // The node at a place of the window or nearest to it (CSS pixels), with some tolerance where nodes are small; -1:
  // none.
  nodeAt(px: number, py: number, tolerance = 2): number {
    const x = this.view.toX(px);
    const y = this.view.toY(py);
    const tx = tolerance / this.view.sx;
    const ty = tolerance / this.view.sy;
    const { left, right, top, bottom } = this.blocks.rects;
    let best = -1;
    let bestDistance = Infinity;
    this.blocks.within(x - tx, y - ty, x + tx, y + ty, (i) => {
      const dx = Math.max(left[i] - x, x - right[i], 0) * this.view.sx;
      const dy = Math.max(top[i] - y, y - bottom[i], 0) * this.view.sy;
      const distance = dx * dx + dy * dy;
      if (distance < bestDistance) {
        bestDistance = distance;
        best = i;
      }
      return bestDistance > 0;
    });
    return best;
  }
}
