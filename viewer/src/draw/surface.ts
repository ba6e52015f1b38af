// The pixels of one frame, and the few shapes that the graph is made of. Colours are 0xBBGGRR as in an ImageData word.

const kOpaque = 0xff000000;

export function rgb(r: number, g: number, b: number): number {
  return (b << 16) | (g << 8) | r;
}

export class Surface {
  readonly pixels: Uint32Array;

  constructor(
    readonly buffer: ArrayBuffer,
    readonly width: number,
    readonly height: number,
  ) {
    this.pixels = new Uint32Array(buffer, 0, width * height);
  }

  clear(colour: number): void {
    this.pixels.fill((colour | kOpaque) >>> 0);
  }

  // Opaque, clipped; x1 and y1 are past the end.
  fill(x0: number, y0: number, x1: number, y1: number, colour: number): void {
    if (x0 < 0) x0 = 0;
    if (y0 < 0) y0 = 0;
    if (x1 > this.width) x1 = this.width;
    if (y1 > this.height) y1 = this.height;
    if (x0 >= x1) return;
    const word = (colour | kOpaque) >>> 0;
    for (let y = y0; y < y1; y++) {
      const row = y * this.width;
      if (x1 - x0 > 16) this.pixels.fill(word, row + x0, row + x1);
      else for (let x = x0; x < x1; x++) this.pixels[row + x] = word;
    }
  }

  // Takes over `from` at (x, y), clipped.
  copy(from: Surface, x: number, y: number): void {
    const x0 = Math.max(0, x);
    const x1 = Math.min(this.width, x + from.width);
    if (x0 >= x1) return;
    for (let row = Math.max(0, y); row < Math.min(this.height, y + from.height); row++) {
      const source = (row - y) * from.width - x;
      this.pixels.set(from.pixels.subarray(source + x0, source + x1), row * this.width + x0);
    }
  }

  // Mixes `colour` over one pixel; alpha in [0, 256].
  blend(x: number, y: number, colour: number, alpha: number): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    const at = y * this.width + x;
    const under = this.pixels[at];
    const rb = (((colour & 0xff00ff) * alpha + (under & 0xff00ff) * (256 - alpha)) >>> 8) & 0xff00ff;
    const g = (((colour & 0xff00) * alpha + (under & 0xff00) * (256 - alpha)) >>> 8) & 0xff00;
    this.pixels[at] = (kOpaque | rb | g) >>> 0;
  }

  blendRect(x0: number, y0: number, x1: number, y1: number, colour: number, alpha: number): void {
    if (alpha >= 256) return this.fill(x0, y0, x1, y1, colour);
    if (x0 < 0) x0 = 0;
    if (y0 < 0) y0 = 0;
    if (x1 > this.width) x1 = this.width;
    if (y1 > this.height) y1 = this.height;
    const rb = (colour & 0xff00ff) * alpha;
    const g = (colour & 0xff00) * alpha;
    const rest = 256 - alpha;
    const { pixels, width } = this;
    for (let y = y0; y < y1; y++)
      for (let at = y * width + x0, end = y * width + x1; at < end; at++) {
        const under = pixels[at];
        pixels[at] =
          (kOpaque |
            (((rb + (under & 0xff00ff) * rest) >>> 8) & 0xff00ff) |
            (((g + (under & 0xff00) * rest) >>> 8) & 0xff00)) >>>
          0;
      }
  }

  // A box with a darker rim and, when large enough, corners taken off.
  box(x0: number, y0: number, x1: number, y1: number, colour: number, rim: number, rimWidth: number): void {
    if (rimWidth === 0) return this.fill(x0, y0, x1, y1, colour);
    const round = Math.min(x1 - x0, y1 - y0) >= 8;
    if (!round) {
      this.fill(x0, y0, x1, y1, rim);
      this.fill(x0 + rimWidth, y0 + rimWidth, x1 - rimWidth, y1 - rimWidth, colour);
      return;
    }
    this.fill(x0 + 1, y0, x1 - 1, y0 + 1, rim);
    this.fill(x0, y0 + 1, x1, y1 - 1, rim);
    this.fill(x0 + 1, y1 - 1, x1 - 1, y1, rim);
    this.fill(x0 + rimWidth, y0 + rimWidth, x1 - rimWidth, y1 - rimWidth, colour);
    for (const x of [x0, x1 - 1]) for (const y of [y0, y1 - 1]) this.blend(x, y, rim, 90);
  }

  // A disc with a rim, smooth at the edge.
  disc(cx: number, cy: number, radius: number, colour: number, rim: number, rimWidth: number): void {
    const y0 = Math.max(0, Math.floor(cy - radius - 1));
    const y1 = Math.min(this.height, Math.ceil(cy + radius + 1));
    const x0 = Math.max(0, Math.floor(cx - radius - 1));
    const x1 = Math.min(this.width, Math.ceil(cx + radius + 1));
    for (let y = y0; y < y1; y++)
      for (let x = x0; x < x1; x++) {
        const dx = x + 0.5 - cx;
        const dy = y + 0.5 - cy;
        const d = Math.sqrt(dx * dx + dy * dy);
        const outer = radius + 0.5 - d;
        if (outer <= 0) continue;
        this.blend(x, y, rim, outer >= 1 ? 256 : (outer * 256) | 0);
        const inner = radius - rimWidth + 0.5 - d;
        if (inner > 0) this.blend(x, y, colour, inner >= 1 ? 256 : (inner * 256) | 0);
      }
  }
}
