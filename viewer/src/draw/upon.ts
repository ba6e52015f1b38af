// Lines that lie upon each other in a row of pixels, or a column: the edges of a parent with a million children. After
// some of them one more changes nothing that could be seen, and takes as long as the first.

const kMost = 20; // at the faintest, what is below shows through by 0.6^20
const kShort = 32; // pixels: shorter ones are not worth the question

export class Upon {
  private readonly from: Int32Array;
  private readonly to: Int32Array;
  private readonly colour: Int32Array;
  private readonly count: Uint8Array;

  constructor(lines: number) {
    this.from = new Int32Array(lines);
    this.to = new Int32Array(lines);
    this.colour = new Int32Array(lines);
    this.count = new Uint8Array(lines);
  }

  // Lines of about the same length are taken for one place. Whether one more, from `from` to `to`, needs not be drawn;
  // counts it where it does.
  full(line: number, from: number, to: number, colour: number): boolean {
    if (to - from < kShort || line < 0 || line >= this.count.length) return false;
    const same = this.colour[line] === (colour | 0);
    if (same && this.count[line] >= kMost && from >= this.from[line] && to <= this.to[line]) return true;
    const alike = 0.9 * Math.max(to - from, this.to[line] - this.from[line]);
    if (same && Math.min(to, this.to[line]) - Math.max(from, this.from[line]) >= alike) {
      this.from[line] = Math.min(from, this.from[line]);
      this.to[line] = Math.max(to, this.to[line]);
      this.count[line]++;
    } else {
      this.from[line] = from;
      this.to[line] = to;
      this.colour[line] = colour;
      this.count[line] = 1;
    }
    return false;
  }
}
