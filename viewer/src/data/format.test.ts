import assert from "node:assert/strict";
import { test } from "node:test";
import { count, digits, many, megabytes, percent, shortened, time } from "./format";

test("times have three digits and the unit that leaves them readable", () => {
  assert.deepEqual([0, 999, 1000, 12_345, 999_000, 1e6, 2.5e9, -1].map(time), [
    "0 ns",
    "999 ns",
    "1.00 µs",
    "12.3 µs",
    "999 µs",
    "1.00 ms",
    "2.50 s",
    "not measured",
  ]);
});

test("numbers and their words", () => {
  assert.deepEqual([1.234, 12.34, 123.4].map(digits), ["1.23", "12.3", "123"]);
  assert.equal(count(1234567), "1,234,567");
  assert.deepEqual([131072, 8.4e6, 2.4e9].map(megabytes), ["0.13", "8.40", "2,400"]);
  assert.deepEqual(
    [many(1, "grain"), many(2000, "grain"), many(2, "box", "boxes")],
    ["1 grain", "2,000 grains", "2 boxes"],
  );
});

test("a part that is there is never 0 %", () => {
  assert.deepEqual(
    [percent(0, 10), percent(1, 100000), percent(1, 20), percent(1, 3), percent(1, 0)],
    ["0.0 %", "< 0.1 %", "5.0 %", "33 %", "0 %"],
  );
});

test("of a long name begin and end stay", () => {
  assert.equal(shortened("short"), "short");
  const name = shortened(`begin${"x".repeat(100)}end`, 20);
  assert.equal(name.length, 20);
  assert.match(name, /^begin.*….*end$/);
});
