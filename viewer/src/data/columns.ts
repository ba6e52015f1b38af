// Columns of numbers as src/report/page/data.h stores them: byte planes of v + 1, or of the zigzag code of its steps.

export interface ColumnDescription {
  name: string;
  type: "u8" | "u16" | "u32" | "i32" | "i64" | "f32";
  count: number;
  delta: boolean;
  planes: number[]; // offset of each plane, lowest byte first; -1 - byte: all its bytes are that one
}

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

const kBytes = { u8: 1, u16: 2, u32: 4, i32: 4, i64: 8, f32: 4 };

// Four planes put together to 32-bit words, in one pass; planes that are not stored cost nothing.
function words(raw: Uint8Array, n: number, planes: number[]): Int32Array {
  const out = new Int32Array(n);
  let fixed = 0;
  const stored: { at: number; shift: number }[] = [];
  planes.forEach((plane, b) => {
    if (plane < 0) fixed |= (-1 - plane) << (8 * b);
    else stored.push({ at: plane, shift: 8 * b });
  });
  const [p, q, r, s] = stored;
  if (stored.length === 0) {
    if (fixed !== 0) out.fill(fixed);
  } else if (stored.length === 1) for (let i = 0; i < n; i++) out[i] = fixed | (raw[p.at + i] << p.shift);
  else if (stored.length === 2)
    for (let i = 0; i < n; i++) out[i] = fixed | (raw[p.at + i] << p.shift) | (raw[q.at + i] << q.shift);
  else if (stored.length === 3)
    for (let i = 0; i < n; i++)
      out[i] = fixed | (raw[p.at + i] << p.shift) | (raw[q.at + i] << q.shift) | (raw[r.at + i] << r.shift);
  else
    for (let i = 0; i < n; i++)
      out[i] = raw[p.at + i] | (raw[q.at + i] << q.shift) | (raw[r.at + i] << r.shift) | (raw[s.at + i] << s.shift);
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
      out[i] = highs[i] * 4294967296 + low - 1;
    }
  }
  return out;
}

function decode(raw: Uint8Array, d: ColumnDescription): Column {
  const n = d.count;
  if (d.type === "i64") return decode64(raw, d);
  const codes = words(raw, n, d.planes);
  if (d.type === "f32") {
    for (let i = 0; i < n; i++) codes[i] -= 1; // all ones is a NaN: absent
    return new Float32Array(codes.buffer);
  }
  const out =
    d.type === "u8"
      ? new Uint8Array(n)
      : d.type === "u16"
        ? new Uint16Array(n)
        : d.type === "u32"
          ? new Uint32Array(n)
          : new Int32Array(n);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const code = codes[i];
    if (d.delta) sum = (sum + ((code >>> 1) ^ -(code & 1))) | 0;
    else sum = code;
    out[i] = sum - 1; // the array's type takes the bits it has: 0 becomes all ones, "absent"
  }
  return out;
}

// An object whose properties are made when they are first read: a page of a million grains shows its picture before
// most columns are asked for.
export function lazily<T extends Record<string, () => unknown>>(
  makers: T,
): { readonly [K in keyof T]: ReturnType<T[K]> } {
  const object = {};
  for (const [name, make] of Object.entries(makers))
    Object.defineProperty(object, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        const value = make();
        Object.defineProperty(object, name, { value, enumerable: true });
        return value;
      },
    });
  return object as { readonly [K in keyof T]: ReturnType<T[K]> };
}

export class Columns {
  private readonly byName = new Map<string, ColumnDescription>();

  constructor(
    private readonly raw: Uint8Array,
    descriptions: ColumnDescription[],
  ) {
    for (const d of descriptions) {
      if (
        !(d.type in kBytes) ||
        d.planes.length !== kBytes[d.type] ||
        d.planes.some((p) => p >= 0 && p + d.count > raw.length)
      )
        throw new Error(`this page's data is damaged: column ${d.name} does not fit`);
      this.byName.set(d.name, d);
    }
  }

  private get(name: string): Column {
    const d = this.byName.get(name);
    if (!d) throw new Error(`this page's data is damaged: column ${name} is missing`);
    return decode(this.raw, d);
  }

  count(name: string): number {
    return this.byName.get(name)?.count ?? 0;
  }
  has(name: string): boolean {
    return this.byName.has(name);
  }
  u8(name: string): Uint8Array {
    return this.get(name) as Uint8Array;
  }
  u16(name: string): Uint16Array {
    return this.get(name) as Uint16Array;
  }
  u32(name: string): Uint32Array {
    return this.get(name) as Uint32Array;
  }
  i32(name: string): Int32Array {
    return this.get(name) as Int32Array;
  }
  i64(name: string): Float64Array {
    return this.get(name) as Float64Array;
  }
  f32(name: string): Float32Array {
    return this.get(name) as Float32Array;
  }
}
