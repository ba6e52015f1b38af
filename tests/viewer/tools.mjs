// What several checks do with a page.
import assert from "node:assert/strict";
import { openPage, settled } from "./browser.mjs";

export const hook = (page, call) => page.evaluate((c) => new Function("e", `return ${c}`)(window.einkorn), call);
export const press = async (page, key) => { await page.keyboard.press(key); await settled(page); };

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

// A spread of nodes: the same in every run.
export function sample(count, n) {
  const out = [];
  for (let i = 0; i < n; i++) out.push(Math.floor(((i * 0.6180339887 + 0.13) % 1) * count));
  return out;
}

// The address of a page, opened anew, shows what the page showed, also after the window had another size for a while.
// state(page): what is compared; `here`: of that page.
export async function opensAgainAs(here, state, context, file) {
  const { page, trouble } = await openPage(context, file, here.hash);
  const isAsBefore = async () => {
    await settled(page);
    for (let i = 0; i < 50 && (await page.evaluate(() => location.hash)) !== here.hash; i++) await page.waitForTimeout(100);
    assert.deepEqual(await state(page), here);
  };
  await isAsBefore();
  const { width, height } = page.viewportSize();
  await page.setViewportSize({ width: width - 160, height: height - 120 });
  await settled(page);
  await page.setViewportSize({ width, height });
  await isAsBefore();
  if (trouble.length) throw new Error(trouble.join("; "));
  await page.close();
}
