import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsOf } from "../testing/recording";
import { Columns, lazily } from "./columns";

test("a column is what it was written from, of every type", () => {
  const c = columnsOf({
    a: ["u8", [0, 1, 200]],
    b: ["u16", [0, 300, 65535]],
    c: ["u32", [7, 70000, 0xffffffff]],
    d: ["i32", [-1, -70000, 70000]],
    e: ["i64", [-1, 3_000_000_000, 2 ** 52]],
    f: ["f32", [0.5, -2, Number.NaN]],
  });
  assert.deepEqual([...c.u8("a")], [0, 1, 200]);
  assert.deepEqual([...c.u16("b")], [0, 300, 65535]);
  assert.deepEqual([...c.u32("c")], [7, 70000, 0xffffffff]);
  assert.deepEqual([...c.i32("d")], [-1, -70000, 70000]);
  assert.deepEqual([...c.i64("e")], [-1, 3_000_000_000, 2 ** 52]);
  assert.deepEqual([...c.f32("f")], [0.5, -2, Number.NaN]);
});

test("steps are zigzag codes, and a plane of one byte is not stored", () => {
  // 10, 12, 11: codes of v + 1 = 11, 13, 12: steps 11, 2, -1: 22, 4, 1.
  const planes = [0, -1, -1, -1]; // the upper three bytes are all 0
  const u32 = new Columns(Uint8Array.from([22, 4, 1]), [{ name: "a", type: "u32", count: 3, delta: true, planes }]);
  assert.deepEqual([...u32.u32("a")], [10, 12, 11]);
  const wide = [0, ...Array<number>(7).fill(-1)];
  const i64 = new Columns(Uint8Array.from([22, 4, 1]), [
    { name: "a", type: "i64", count: 3, delta: true, planes: wide },
  ]);
  assert.deepEqual([...i64.i64("a")], [10, 12, 11]);
  const far = new Columns(Uint8Array.from([4]), [
    { name: "a", type: "i64", count: 1, delta: true, planes: wide.map((_, b) => (b === 4 ? 0 : -1)) },
  ]);
  assert.deepEqual([...far.i64("a")], [2 ** 33 - 1]);
  // Both bytes of a u16 are the same in all rows: 5 and 1, which is 261 - 1.
  const same = new Columns(new Uint8Array(0), [
    { name: "a", type: "u16", count: 2, delta: false, planes: [-1 - 5, -1 - 1] },
  ]);
  assert.deepEqual([...same.u16("a")], [260, 260]);
});

test("what does not fit is said, by name", () => {
  const column = { name: "grain.exec", type: "u32" as const, count: 2, delta: false, planes: [0, -1, -1, -1] };
  assert.throws(() => new Columns(Uint8Array.from([1]), [column]), /column grain.exec does not fit/);
  assert.throws(() => new Columns(new Uint8Array(9), [{ ...column, planes: [0] }]), /column grain.exec does not fit/);
  assert.throws(() => new Columns(new Uint8Array(9), []).u8("grain.kind"), /column grain.kind is missing/);
});

test("a lazy property is made once, when it is read", () => {
  let made = 0;
  const of = lazily({ a: () => ++made, b: () => assert.fail("nobody asked for b") });
  assert.equal(made, 0);
  assert.equal(of.a + of.a, 2);
});
