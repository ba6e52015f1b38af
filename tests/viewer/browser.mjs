// Debian's chromium without a window, with a fresh profile, and without any talk to the network of its own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = await import("playwright-core").catch(() => {
  console.error("playwright-core is not installed: build the target viewer_test_packages (npm ci in tests/viewer)");
  process.exit(1);
});

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
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  try {
    return await run(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

// A tab of the browser, in which pages are opened one after the other: much cheaper than a tab for each. `trouble`
// collects what must not happen.
export async function openTab(context) {
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  const trouble = [];
  let own = () => true;
  page.on("console", (message) => {
    // The tests read pixels back, which the browser comments on; the page itself never does.
    if (["error", "warning"].includes(message.type()) && !message.text().includes("willReadFrequently"))
      trouble.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => trouble.push(`script: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!own(url) && !url.startsWith("blob:") && !url.startsWith("data:")) trouble.push(`request: ${url}`);
  });
  await page.addInitScript(whenSettled);
  let opened = 0;

  // From the disk, or from `einkorn view` (its address): until its first picture is shown.
  const open = async (file, hash = "") => {
    const served = file.startsWith("http://127.0.0.1:");
    own = (url) => (served ? url.startsWith(new URL(".", file).href) : url.startsWith("file:"));
    // Another address each time: the same one with another # would not be opened anew.
    await page.goto((served ? file : `${pathToFileURL(resolve(file)).href}?${++opened}`) + hash);
    const error = await page.evaluate(async () => {
      for (const start = performance.now(); !window.einkorn?.ready && !window.einkorn?.error; ) {
        if (performance.now() - start > 120000) return "nothing in two minutes";
        await new Promise((done) => setTimeout(done, 5));
      }
      return window.einkorn.error;
    });
    if (error) throw new Error(`${file}: the page says: ${error}`);
  };
  return { page, trouble, open };
}

export async function openPage(context, file, hash = "") {
  const tab = await openTab(context);
  await tab.open(file, hash);
  return tab;
}

// In the page: until all that was asked for is drawn. What a frame of the browser still sets off (effects, changed
// sizes, a view that draws itself in the frame after) is seen by the second one.
function whenSettled() {
  window.whenSettled = async () => {
    const start = performance.now();
    for (let quiet = 0; quiet < 2; quiet = window.einkorn.idle() ? quiet + 1 : 0) {
      if (performance.now() - start > 120000) throw new Error("the page keeps drawing for two minutes");
      await new Promise(requestAnimationFrame);
      await new Promise((next) => setTimeout(next));
    }
  };
}

export const settled = (page) => page.evaluate(() => window.whenSettled());

// Waits until `is` (run in the page) is true of what it is given; says what it waited for.
export async function until(page, what, is, given) {
  const start = Date.now();
  while (!(await page.evaluate(is, given))) {
    if (Date.now() - start > 120000) throw new Error(`not in two minutes: ${what}`);
    await page.waitForTimeout(20);
  }
}

// Waits until the address says what the page shows: it follows when the view has come to rest.
export async function addressed(page) {
  await settled(page);
  await until(page, "the address follows the view", () => location.hash === window.einkorn.address());
}
