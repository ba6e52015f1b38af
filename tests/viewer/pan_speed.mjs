// node pan_speed.mjs PAGE.html: how smoothly the picture moves. Not a test: times depend on the machine. Drags across the
// picture at several zooms and prints the time between shown frames, and the worker's time for each.
import { openPage, settled, withBrowser } from "./browser.mjs";

const file = process.argv[2];
if (!file) {
  console.error("usage: node pan_speed.mjs PAGE.html");
  process.exit(2);
}
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

await withBrowser(async (context) => {
  const { page } = await openPage(context, file);
  await settled(page);
  console.log(`${await page.evaluate(() => window.einkorn.nodes)} nodes`);
  for (const zoomKeys of [0, 1, 4, 8, 14, 20, 26]) {
    await page.keyboard.press("0");
    for (let i = 0; i < zoomKeys; i++) await page.keyboard.press("+");
    await settled(page);
    const result = await page.evaluate(async () => {
      const box = document.querySelector(".picture");
      const event = (type, x, y) => box.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, button: 0, pointerId: 1, bubbles: true }));
      box.setPointerCapture = () => {};
      const r = box.getBoundingClientRect();
      const gaps = [], worker = [];
      let x = r.left + r.width / 2, y = r.top + r.height / 2, seen = window.einkorn.frames().frames, last = performance.now();
      event("pointerdown", x, y);
      const start = performance.now();
      for (let step = 0; performance.now() - start < 3000; step++) {
        x += step % 120 < 60 ? 6 : -6;
        y += step % 60 < 30 ? 2 : -2;
        event("pointermove", x, y);
        await new Promise(requestAnimationFrame);
        const { frames, milliseconds } = window.einkorn.frames();
        if (frames === seen) continue;
        const now = performance.now();
        gaps.push(now - last);
        worker.push(milliseconds);
        last = now;
        seen = frames;
      }
      event("pointerup", x, y);
      return { gaps, worker, drawn: window.einkorn.nodesShown() };
    });
    const gaps = result.gaps.slice(2).sort((a, b) => a - b);
    const worker = result.worker.sort((a, b) => a - b);
    console.log(`zoom ${String(zoomKeys).padStart(2)}: ${String(result.drawn).padStart(7)} nodes in view, ${gaps.length} frames in 3 s, between frames ` +
      `median ${at(gaps, 0.5).toFixed(1)} ms, p95 ${at(gaps, 0.95).toFixed(1)} ms, worst ${gaps.at(-1).toFixed(1)} ms; worker median ${at(worker, 0.5).toFixed(1)} ms`);
  }
});
