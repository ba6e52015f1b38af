// The drawing thread: keeps the tables, draws one frame per request into a buffer that travels back and forth.
import type { Boxes, Edges } from "../data/model";
import type { EdgeLengths } from "./geometry";
import { Frame, Paint, Raster } from "./raster";

export type Request =
  | { type: "graph"; nodes: Boxes; edges: Edges; lengths: EdgeLengths } // the first is kept
  | { type: "first" } // back to it
  | { type: "paint"; paint: Paint }
  | { type: "frame"; frame: Frame; buffer: ArrayBuffer }
  | { type: "map"; frame: Frame };

export type Reply =
  | { type: "frame"; frame: Frame; buffer: ArrayBuffer; drawn: number; milliseconds: number }
  | { type: "map"; frame: Frame; buffer: ArrayBuffer };

let first: Raster | null = null;
let raster: Raster | null = null;

self.onmessage = (event: MessageEvent<Request>) => {
  const request = event.data;
  if (request.type === "graph") {
    raster = new Raster(request.nodes, request.edges, request.lengths);
    first ??= raster;
  } else if (request.type === "first") raster = first;
  else if (request.type === "paint") raster?.setPaint(request.paint);
  else if (request.type === "map") {
    const { frame } = request;
    const buffer = new ArrayBuffer(frame.width * frame.height * 4);
    raster?.drawMap(frame, buffer);
    const reply: Reply = { type: "map", frame, buffer };
    (self as unknown as Worker).postMessage(reply, [buffer]);
  } else {
    const start = performance.now();
    const drawn = raster ? raster.draw(request.frame, request.buffer) : 0;
    const reply: Reply = {
      type: "frame",
      frame: request.frame,
      buffer: request.buffer,
      drawn,
      milliseconds: performance.now() - start,
    };
    (self as unknown as Worker).postMessage(reply, [request.buffer]);
  }
};
