// Debian's chromium without a window, with a fresh profile, and without any talk to the network of its own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const kChromium = process.env.EINKORN_CHROMIUM || "/usr/bin/chromium";

export async function withBrowser(run, options = {}) {
  const profile = mkdtempSync(join(tmpdir(), "einkorn-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: kChromium,
    headless: true,
    viewport: options.viewport ?? { width: 1600, height: 1000 },
    deviceScaleFactor: options.scale ?? 1,
    colorScheme: options.dark ? "dark" : "light",
    offline: !options.served,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync"],
  });
  try {
    return await run(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

// Opens a page from the disk, or from `einkorn view` (its address), and waits for its first picture. `trouble` collects what
// must not happen.
export async function openPage(context, file, hash = "") {
  const served = file.startsWith("http://127.0.0.1:");
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  const trouble = [];
  page.on("console", (message) => {
    // The tests read pixels back, which the browser comments on; the page itself never does.
    if (["error", "warning"].includes(message.type()) && !message.text().includes("willReadFrequently"))
      trouble.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => trouble.push(`script: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    const own = served ? url.startsWith(new URL(".", file).href) : url.startsWith("file:");
    if (!own && !url.startsWith("blob:") && !url.startsWith("data:")) trouble.push(`request: ${url}`);
  });
  const url = served ? file : pathToFileURL(resolve(file)).href;
  await page.goto(url + hash);
  let state = {};
  for (let waited = 0; !state.ready && !state.error && waited < 60000; waited += 20) {
    await page.waitForTimeout(20); // not waitForFunction: it needs eval, which the page forbids
    state = await page.evaluate(() => ({ ready: window.einkorn?.ready, error: window.einkorn?.error }));
  }
  const error = state.error ?? (state.ready ? null : "nothing in 60 seconds");
  if (error) throw new Error(`${file}: the page says: ${error}`);
  return { page, trouble };
}

// Waits until all that was asked for is drawn.
export async function settled(page) {
  for (let quiet = 0, waited = 0; quiet < 3; waited++) {
    if (waited > 3000) throw new Error("the page keeps drawing for 60 seconds");
    await page.waitForTimeout(20);
    quiet = (await page.evaluate(() => window.einkorn.idle())) ? quiet + 1 : 0;
  }
}
