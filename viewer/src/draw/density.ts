// Drawing when nodes are smaller than a pixel: every node adds its colour, weighted by the area it covers, to the
// pixels it covers. Nothing is dropped and nothing hides anything else: a pixel shows the mean of all that lies in it.
import type { Surface } from "./surface";

// A pixel that anything at all lies in is mixed at least this far towards its colour.
const kFaintest = 0.3;

export class Density {
  // r, g, b, weight per pixel, column by column: far out, nodes are tall and less than a pixel wide.
  private sums = new Float32Array(0);
  private left = 0; // columns that were touched
  private right = 0;
  private width = 0;
  private height = 0;

  begin(width: number, height: number): void {
    const need = width * height * 4;
    if (this.sums.length !== need) this.sums = new Float32Array(need);
    else this.sums.fill(0, this.left * this.height * 4, this.right * this.height * 4);
    this.width = width;
    this.height = height;
    this.left = width;
    this.right = 0;
  }

  // The rectangle [x0, x1) by [y0, y1) in fractional pixels; weight 1 is an ordinary node.
  add(x0: number, y0: number, x1: number, y1: number, colour: number, weight: number): void {
    const left = Math.max(0, x0);
    const right = Math.min(this.width, x1);
    const upper = Math.max(0, y0);
    const lower = Math.min(this.height, y1);
    if (left >= right || upper >= lower) return;
    const r = colour & 255;
    const g = (colour >> 8) & 255;
    const b = (colour >> 16) & 255;
    const firstX = left | 0;
    const firstY = upper | 0;
    const endX = Math.ceil(right);
    const endY = Math.ceil(lower);
    if (firstX < this.left) this.left = firstX;
    if (endX > this.right) this.right = endX;
    const { sums, height } = this;
    for (let x = firstX; x < endX; x++) {
      const wide = ((right < x + 1 ? right : x + 1) - (left > x ? left : x)) * weight;
      let at = (x * height + firstY) * 4;
      for (let y = firstY; y < endY; y++, at += 4) {
        const a = wide * ((lower < y + 1 ? lower : y + 1) - (upper > y ? upper : y));
        sums[at] += r * a;
        sums[at + 1] += g * a;
        sums[at + 2] += b * a;
        sums[at + 3] += a;
      }
    }
  }

  // Over what the surface has already.
  resolve(surface: Surface): void {
    const { pixels, width } = surface;
    const { sums, height } = this;
    for (let x = this.left; x < this.right; x++) {
      for (let y = 0, i = x * height * 4, at = x; y < height; y++, i += 4, at += width) {
        const weight = sums[i + 3];
        if (weight <= 0) continue;
        const mix = weight >= 1 ? 1 : kFaintest + (1 - kFaintest) * Math.sqrt(weight);
        const scale = mix / weight;
        const rest = 1 - mix;
        const under = pixels[at];
        const r = sums[i] * scale + (under & 255) * rest;
        const g = sums[i + 1] * scale + ((under >> 8) & 255) * rest;
        const b = sums[i + 2] * scale + ((under >> 16) & 255) * rest;
        pixels[at] = (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
      }
    }
  }
}
