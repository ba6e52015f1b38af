// Lines that lie upon each other in a row of pixels, or a column: the edges of a parent with a million children. After some of them one
// more changes nothing that could be seen, and takes as long as the first.

const kVisible = 1 / 512; // of what is below: less than that changes no colour
const kShort = 32; // pixels: shorter ones are not worth the question

export class Upon {
  private readonly from: Int32Array;
  private readonly to: Int32Array;
  private readonly paint: Int32Array; // colour and strength
  private readonly count: Uint8Array;

  constructor(lines: number) {
    this.from = new Int32Array(lines);
    this.to = new Int32Array(lines);
    this.paint = new Int32Array(lines);
    this.count = new Uint8Array(lines);
  }

  // Lines of about the same length are taken for one place: what all of them cover. Whether one more, from `from` to `to`, needs not be
  // drawn, for there are so many that nothing shows through; counts it where it does. `alpha`: of 256.
  full(line: number, from: number, to: number, colour: number, alpha: number): boolean {
    if (to - from < kShort || line < 0 || line >= this.count.length) return false;
    const paint = (colour & 0xffffff) | (Math.min(255, alpha) << 24);
    const same = this.paint[line] === paint;
    const enough = this.count[line] >= most(alpha);
    if (same && enough && from >= this.from[line] && to <= this.to[line]) return true;
    const alike = 0.9 * Math.max(to - from, this.to[line] - this.from[line]);
    // One that sticks out of enough others begins a place of its own: a parent's lines get longer, pixel by pixel.
    if (same && !enough && Math.min(to, this.to[line]) - Math.max(from, this.from[line]) >= alike) {
      this.from[line] = Math.max(from, this.from[line]);
      this.to[line] = Math.min(to, this.to[line]);
      this.count[line]++;
    } else {
      this.from[line] = from;
      this.to[line] = to;
      this.paint[line] = paint;
      this.count[line] = 1;
    }
    return false;
  }
}

const kMost = Uint8Array.from({ length: 257 }, (_, alpha) => Math.max(1, Math.min(255, Math.ceil(Math.log(kVisible) / Math.log(1 - alpha / 256)))));

// Lines of a strength until less than what is visible shows through.
function most(alpha: number): number { return kMost[alpha]; }
