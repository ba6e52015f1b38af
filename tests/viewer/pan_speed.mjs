// node pan_speed.mjs PAGE.html|ADDRESS: how smoothly the picture moves. Not a test: times depend on the machine. Drags
// across the picture at several zooms, and turns the wheel from the whole to single nodes and back; prints the time
// between shown frames, and the worker's time for each. ADDRESS: what `einkorn view` prints.
import { openPage, settled, withBrowser } from "./browser.mjs";

const file = process.argv[2];
if (!file) {
  console.error("usage: node pan_speed.mjs PAGE.html|ADDRESS");
  process.exit(2);
}
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

function print(what, result, seconds) {
  const gaps = result.gaps.slice(2).sort((a, b) => a - b);
  const worker = result.worker.sort((a, b) => a - b);
  console.log(
    `${what}: ${gaps.length} frames in ${seconds} s, between frames median ${at(gaps, 0.5).toFixed(1)} ms, p95 ${at(gaps, 0.95).toFixed(1)} ms, ` +
      `worst ${gaps.at(-1).toFixed(1)} ms; worker median ${at(worker, 0.5).toFixed(1)} ms`,
  );
}

await withBrowser(
  async (context) => {
    const { page } = await openPage(context, file);
    await settled(page);
    console.log(`${await page.evaluate(() => window.einkorn.nodes)} nodes`);
    for (const zoomKeys of [0, 1, 4, 8, 14, 20, 26]) {
      await page.keyboard.press("0");
      for (let i = 0; i < zoomKeys; i++) await page.keyboard.press("+");
      await settled(page);
      const result = await page.evaluate(async () => {
        const box = document.querySelector(".picture");
        const event = (type, x, y) =>
          box.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, button: 0, pointerId: 1, bubbles: true }));
        box.setPointerCapture = () => {};
        const r = box.getBoundingClientRect();
        const gaps = [],
          worker = [];
        let x = r.left + r.width / 2,
          y = r.top + r.height / 2,
          seen = window.einkorn.frames().frames,
          last = performance.now();
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
      print(`zoom ${String(zoomKeys).padStart(2)}: ${String(result.drawn).padStart(7)} nodes in view`, result, 3);
    }

    // The wheel, from the whole to a node in the middle of the graph and back, a step a frame.
    await page.evaluate(() => window.einkorn.centre(Math.floor(window.einkorn.nodes / 2)));
    await settled(page);
    const zoomed = await page.evaluate(async () => {
      const box = document.querySelector(".picture");
      const r = box.getBoundingClientRect();
      const gaps = [],
        worker = [];
      let seen = window.einkorn.frames().frames,
        last = performance.now();
      const start = last;
      let step = 40,
        before = NaN; // in; the first turns go out to the whole
      while (performance.now() - start < 9000) {
        if (window.einkorn.view().zoom === before) step = -step; // at the end
        before = window.einkorn.view().zoom;
        box.dispatchEvent(
          new WheelEvent("wheel", {
            deltaY: -step,
            clientX: r.left + r.width / 2,
            clientY: r.top + r.height / 2,
            bubbles: true,
            cancelable: true,
          }),
        );
        await new Promise(requestAnimationFrame);
        const { frames, milliseconds } = window.einkorn.frames();
        if (frames === seen) continue;
        const now = performance.now();
        gaps.push(now - last);
        worker.push(milliseconds);
        last = now;
        seen = frames;
      }
      return { gaps, worker };
    });
    print("wheel  ", zoomed, 9);
  },
  { served: file.startsWith("http:") },
);
