// Columns of numbers as src/report/html_data.h stores them: byte planes of v + 1, or of the zigzag code of its steps.

export interface ColumnDescription {
  name: string;
  type: "u8" | "u16" | "u32" | "i32" | "i64";
  count: number;
  delta: boolean;
  planes: number[]; // offset of each plane, lowest byte first; -1 - byte: all its bytes are that one
}

export type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

const kBytes = { u8: 1, u16: 2, u32: 4, i32: 4, i64: 8 };

// Four planes put together to 32-bit words; planes that are not stored cost nothing.
function words(raw: Uint8Array, n: number, planes: number[]): Int32Array {
  const out = new Int32Array(n);
  planes.forEach((plane, b) => {
    const shift = 8 * b;
    if (plane < 0) {
      const byte = (-1 - plane) << shift;
      if (byte !== 0) for (let i = 0; i < n; i++) out[i] |= byte;
    } else {
      for (let i = 0; i < n; i++) out[i] |= raw[plane + i] << shift;
    }
  });
  return out;
}

// 64-bit values become doubles: exact up to 2^53 ns, 104 days.
function decode64(raw: Uint8Array, d: ColumnDescription): Float64Array {
  const n = d.count;
  const out = new Float64Array(n);
  const lows = words(raw, n, d.planes.slice(0, 4));
  const highs = words(raw, n, d.planes.slice(4));
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const low = lows[i] >>> 0;
    const high = highs[i] >>> 0;
    if (d.delta) {
      const half = (high * 4294967296 + (low - (low & 1))) / 2;
      sum += low & 1 ? -half - 1 : half;
      out[i] = sum - 1;
    } else {
      out[i] = (highs[i] * 4294967296 + low) - 1;
    }
  }
  return out;
}

function decode(raw: Uint8Array, d: ColumnDescription): Column {
  const n = d.count;
  if (d.type === "i64") return decode64(raw, d);
  const codes = words(raw, n, d.planes);
  const out =
    d.type === "u8" ? new Uint8Array(n) : d.type === "u16" ? new Uint16Array(n)
    : d.type === "u32" ? new Uint32Array(n) : new Int32Array(n);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const code = codes[i];
    if (d.delta) sum = (sum + ((code >>> 1) ^ -(code & 1))) | 0;
    else sum = code;
    out[i] = sum - 1; // the array's type takes the bits it has: 0 becomes all ones, "absent"
  }
  return out;
}

export class Columns {
  private readonly byName = new Map<string, ColumnDescription>();

  constructor(private readonly raw: Uint8Array, descriptions: ColumnDescription[]) {
    for (const d of descriptions) {
      if (!(d.type in kBytes) || d.planes.length !== kBytes[d.type] || d.planes.some((p) => p + d.count > raw.length))
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
