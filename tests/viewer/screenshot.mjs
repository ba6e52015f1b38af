// node screenshot.mjs PAGE.html OUT.png [--dark] [--hash '#...'] [--search TEXT] [--select] [--size WxH]: the picture
// for the README.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { openPage, settled, withBrowser } from "./browser.mjs";

const [file, out, ...rest] = process.argv.slice(2);
if (!file || !out) {
  console.error(
    "usage: node screenshot.mjs PAGE.html OUT.png [--dark] [--hash '#...'] [--search TEXT] [--select] [--size WxH]",
  );
  process.exit(2);
}
const value = (name) => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : undefined);
const [width, height] = (value("--size") ?? "1600x1000").split("x").map(Number);

await withBrowser(
  async (context) => {
    const { page, trouble } = await openPage(context, file, value("--hash") ?? "");
    if (value("--search")) await page.fill("#search", value("--search"));
    if (rest.includes("--select")) {
      // The longest grain: the one that a reader would click.
      await page.evaluate(() => window.einkorn.select(window.einkorn.longestGrain()));
      await page.keyboard.press("0");
    }
    await settled(page);
    mkdirSync(dirname(out), { recursive: true });
    await page.screenshot({ path: out });
    if (trouble.length) console.error(trouble.join("\n"));
  },
  { viewport: { width, height }, dark: rest.includes("--dark") },
);
