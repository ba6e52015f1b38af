// The drawing thread: keeps the tables, draws one frame per request into a buffer that travels back and forth.
import type { Edges, Nodes } from "../model";
import { Frame, Paint, Raster } from "./raster";

export type Request =
  | { type: "graph"; nodes: Nodes; edges: Edges }
  | { type: "paint"; paint: Paint }
  | { type: "frame"; frame: Frame; buffer: ArrayBuffer };

export interface Reply { frame: Frame; buffer: ArrayBuffer; drawn: number; milliseconds: number }

let raster: Raster | null = null;

self.onmessage = (event: MessageEvent<Request>) => {
  const request = event.data;
  if (request.type === "graph") raster = new Raster(request.nodes, request.edges);
  else if (request.type === "paint") raster?.setPaint(request.paint);
  else {
    const start = performance.now();
    const drawn = raster ? raster.draw(request.frame, request.buffer) : 0;
    const reply: Reply = { frame: request.frame, buffer: request.buffer, drawn, milliseconds: performance.now() - start };
    (self as unknown as Worker).postMessage(reply, [request.buffer]);
  }
};
