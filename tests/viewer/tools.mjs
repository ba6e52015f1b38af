// What several checks do with a page.
import assert from "node:assert/strict";
import { addressed, settled } from "./browser.mjs";

export const hook = (page, call) => page.evaluate((c) => new Function("e", `return ${c}`)(window.einkorn), call);
export const press = async (page, key) => {
  await page.keyboard.press(key);
  await settled(page);
};

// A number for what a canvas shows.
export function fingerprint(page, selector = ".picture canvas") {
  return page.evaluate((s) => {
    const canvas = document.querySelector(s);
    const words = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    let h = 2166136261;
    for (const w of words) h = Math.imul(h ^ w, 16777619) >>> 0;
    return h;
  }, selector);
}

// How many different colours a canvas shows: an empty one shows one or two.
export const coloursOf = (page, selector) =>
  page.evaluate((s) => {
    const canvas = document.querySelector(s);
    const words = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return new Set(words).size;
  }, selector);

// A spread of nodes: the same in every run.
export function sample(count, n) {
  const out = [];
  for (let i = 0; i < n; i++) out.push(Math.floor(((i * 0.6180339887 + 0.13) % 1) * count));
  return out;
}

// The address of a page, opened anew, shows what the page showed, also after the window had another size for a while.
// state(page): what is compared.
export async function opensAgainAsItWas(page, tab, state) {
  await addressed(page);
  const here = await state(page);
  const isAsBefore = async () => {
    await addressed(page);
    assert.deepEqual(await state(page), here);
  };
  await tab.reopen(here.hash);
  await isAsBefore();
  const { width, height } = page.viewportSize();
  await page.setViewportSize({ width: width - 160, height: height - 120 });
  await settled(page);
  await page.setViewportSize({ width, height });
  await isAsBefore();
}
