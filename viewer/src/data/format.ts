// Numbers for people: three significant digits, a thin unit, thousands apart.

export function time(ns: number): string {
  if (ns < 0) return "not measured";
  if (ns < 1000) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${digits(ns / 1e3)} µs`;
  if (ns < 1e9) return `${digits(ns / 1e6)} ms`;
  return `${digits(ns / 1e9)} s`;
}

export function digits(v: number): string {
  return v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2);
}

export function count(n: number): string {
  return n.toLocaleString("en-US");
}

export function megabytes(bytes: number): string {
  const mb = bytes * 1e-6;
  return mb >= 1000 ? count(Math.round(mb)) : digits(mb);
}

export function many(n: number, one: string, several = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : several}`;
}

// Of a long name its begin and its end: those tell instances of templates apart.
export function shortened(name: string, most = 44): string {
  if (name.length <= most) return name;
  const end = Math.floor((most - 1) / 2);
  return `${name.slice(0, most - 1 - end)}…${name.slice(name.length - end)}`;
}

export function percent(part: number, whole: number): string {
  if (whole <= 0) return "0 %";
  const p = (100 * part) / whole;
  return p > 0 && p < 0.1 ? "< 0.1 %" : `${p < 10 ? p.toFixed(1) : p.toFixed(0)} %`;
}
