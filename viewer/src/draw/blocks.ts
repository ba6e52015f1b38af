// Rectangles in runs of 64 with a bounding box each: what is out of sight is skipped a run at a time, and a run that is
// smaller than a pixel is drawn as one. Neighbours in the table are neighbours in the picture (src/report/layout/layout.h).

export const kBlock = 64;

export interface Rects {
  count: number;
  left: Int32Array;
  right: Int32Array;
  top: Int32Array;
  bottom: Int32Array;
}

export class Blocks {
  readonly count: number;
  private readonly left: Int32Array;
  private readonly right: Int32Array;
  private readonly top: Int32Array;
  private readonly bottom: Int32Array;

  constructor(readonly rects: Rects) {
    this.count = Math.ceil(rects.count / kBlock);
    this.left = new Int32Array(this.count).fill(2147483647);
    this.top = new Int32Array(this.count).fill(2147483647);
    this.right = new Int32Array(this.count).fill(-2147483648);
    this.bottom = new Int32Array(this.count).fill(-2147483648);
    for (let i = 0; i < rects.count; i++) {
      const b = Math.floor(i / kBlock);
      if (rects.left[i] < this.left[b]) this.left[b] = rects.left[i];
      if (rects.right[i] > this.right[b]) this.right[b] = rects.right[i];
      if (rects.top[i] < this.top[b]) this.top[b] = rects.top[i];
      if (rects.bottom[i] > this.bottom[b]) this.bottom[b] = rects.bottom[i];
    }
  }

  begin(block: number): number {
    return block * kBlock;
  }
  end(block: number): number {
    return Math.min(this.rects.count, (block + 1) * kBlock);
  }
  width(block: number): number {
    return this.right[block] - this.left[block];
  }
  height(block: number): number {
    return this.bottom[block] - this.top[block];
  }
  middleX(block: number): number {
    return (this.left[block] + this.right[block]) / 2;
  }
  middleY(block: number): number {
    return (this.top[block] + this.bottom[block]) / 2;
  }

  // Whether the run touches the rectangle [l, r] by [t, b].
  touches(block: number, l: number, t: number, r: number, b: number): boolean {
    return this.right[block] >= l && this.left[block] <= r && this.bottom[block] >= t && this.top[block] <= b;
  }

  private inside(block: number, l: number, t: number, r: number, b: number): boolean {
    return this.left[block] >= l && this.right[block] <= r && this.top[block] >= t && this.bottom[block] <= b;
  }

  // How many touch [l, r] by [t, b].
  countWithin(l: number, t: number, r: number, b: number): number {
    const { left, right, top, bottom } = this.rects;
    let n = 0;
    for (let k = 0; k < this.count; k++) {
      if (!this.touches(k, l, t, r, b)) continue;
      if (this.inside(k, l, t, r, b)) n += this.end(k) - this.begin(k);
      else
        for (let i = this.begin(k); i < this.end(k); i++)
          if (right[i] >= l && left[i] <= r && bottom[i] >= t && top[i] <= b) n++;
    }
    return n;
  }

  // Every rectangle that touches [l, r] by [t, b], until `visit` returns false.
  within(l: number, t: number, r: number, b: number, visit: (i: number) => boolean | void): void {
    const { left, right, top, bottom } = this.rects;
    for (let k = 0; k < this.count; k++) {
      if (!this.touches(k, l, t, r, b)) continue;
      for (let i = this.begin(k); i < this.end(k); i++)
        if (right[i] >= l && left[i] <= r && bottom[i] >= t && top[i] <= b && visit(i) === false) return;
    }
  }
}
