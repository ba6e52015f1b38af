// Columns of numbers as src/report/html_data.h stores them: byte planes, differenced where `delta` says so.

export interface ColumnDescription {
  name: string;
  type: "u8" | "u16" | "u32" | "i32" | "i64";
  count: number;
  delta: boolean;
  offset: number;
}

export type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

const kBytes = { u8: 1, u16: 2, u32: 4, i32: 4, i64: 8 };

// 64-bit values become doubles: exact up to 2^53 ns, 104 days.
function decode64(raw: Uint8Array, at: number, n: number, delta: boolean): Float64Array {
  const out = new Float64Array(n);
  let low = 0;
  let high = 0;
  for (let i = 0; i < n; i++) {
    const p = at + i;
    const l = (raw[p] | (raw[p + n] << 8) | (raw[p + 2 * n] << 16) | (raw[p + 3 * n] << 24)) >>> 0;
    const h = raw[p + 4 * n] | (raw[p + 5 * n] << 8) | (raw[p + 6 * n] << 16) | (raw[p + 7 * n] << 24);
    if (delta) {
      low += l;
      high = (high + h + (low > 0xffffffff ? 1 : 0)) | 0;
      low >>>= 0;
    } else {
      low = l;
      high = h;
    }
    out[i] = high * 4294967296 + low;
  }
  return out;
}

function decode(raw: Uint8Array, d: ColumnDescription): Column {
  const n = d.count;
  const at = d.offset;
  if (d.type === "i64") return decode64(raw, at, n, d.delta);
  const bytes = kBytes[d.type];
  const out =
    d.type === "u8" ? new Uint8Array(n) : d.type === "u16" ? new Uint16Array(n)
    : d.type === "u32" ? new Uint32Array(n) : new Int32Array(n);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    let v = 0;
    for (let b = 0; b < bytes; b++) v |= raw[at + b * n + i] << (8 * b);
    sum = d.delta ? (sum + v) | 0 : v;
    out[i] = sum; // the array's type takes what bits it has
  }
  return out;
}

export class Columns {
  private readonly byName = new Map<string, ColumnDescription>();

  constructor(private readonly raw: Uint8Array, descriptions: ColumnDescription[]) {
    for (const d of descriptions) {
      if (!(d.type in kBytes) || d.offset + d.count * kBytes[d.type] > raw.length)
        throw new Error(`this page's data is damaged: column ${d.name} does not fit`);
      this.byName.set(d.name, d);
    }
  }

  private get(name: string): Column {
    const d = this.byName.get(name);
    if (!d) throw new Error(`this page's data is damaged: column ${name} is missing`);
    return decode(this.raw, d);
  }

  u8(name: string): Uint8Array { return this.get(name) as Uint8Array; }
  u16(name: string): Uint16Array { return this.get(name) as Uint16Array; }
  u32(name: string): Uint32Array { return this.get(name) as Uint32Array; }
  i32(name: string): Int32Array { return this.get(name) as Int32Array; }
  i64(name: string): Float64Array { return this.get(name) as Float64Array; }
}
