// What a page must do, in a browser:  node page_test.mjs FOLDER NAME... [-- CHECK...]
// FOLDER/NAME.html is the page, FOLDER/NAME.json what made it says must be there: make_page.cpp of a synthetic program,
// expect_recorded.mjs of a recording, of a page of two recordings einkorn compare --json. FOLDER/NAME.png becomes its
// picture; with EINKORN_PAGE_PICTURES=1 there are further ones, FOLDER/NAME.VIEW.png. Without CHECK names those of
// plan.mjs are run. Exit status 1 and a line for each failure.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { kChromium, openTab, settled, withBrowser } from "./browser.mjs";
import { checksOf } from "./plan.mjs";
import { fingerprint } from "./tools.mjs";

const [folder, ...rest] = process.argv.slice(2);
const names = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
const only = rest.slice(names.length + 1);
if (names.length === 0) {
  console.error("usage: node page_test.mjs FOLDER NAME... [-- CHECK...]");
  process.exit(2);
}
if (!existsSync(kChromium)) {
  console.error(
    `${kChromium} is not here: install chromium (Debian: apt-get install chromium) or set EINKORN_CHROMIUM`,
  );
  process.exit(1);
}

// All that a reader sees, and what the address would say of it.
async function looks(page) {
  await page.mouse.move(0, 0);
  await settled(page);
  const text = await page.evaluate(() =>
    [
      window.einkorn.address(),
      window.einkorn.before?.address(),
      document.documentElement.dataset.theme,
      document.activeElement?.id,
      document
        .querySelector("#app")
        .innerHTML.replace(/ style="(cursor: \w+;)?"/g, "")
        .replace(/<[^>]*visibility: hidden.*?<\/div><\/div>/s, ""), // the small map
      ...Array.from(document.querySelectorAll("input, select"), (e) => e.value),
      ...Array.from(document.querySelectorAll("details"), (e) => e.open),
      ...Array.from(document.querySelectorAll("*"), (e) => e.scrollTop).filter((y) => y),
    ].join("\n"),
  );
  return [await fingerprint(page), text].join("\n");
}

// A check gets a page as it opens: a fresh one, or the one of the check before it, if that left it exactly so.
async function testPage(tab, name) {
  const expect = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  const base = join(folder, name);
  const { page, trouble } = tab;
  const started = performance.now();
  let opened = null; // the # with which it was opened, while it looks as it did then
  const fresh = new Map(); // by that #: how it looks
  const reopen = async (hash) => {
    opened = null;
    await tab.open(`${base}.html`, hash);
    await settled(page);
  };
  const shot = async (view) => {
    if (process.env.EINKORN_PAGE_PICTURES) await page.screenshot({ path: `${base}.${view}.png` });
  };
  const apply = checksOf(name, only);
  let failures = 0,
    opens = 0;
  for (const [check, { run, asItOpens }] of apply) {
    const began = performance.now();
    // A graph that is a bar opens otherwise: most checks are about the graph.
    const hash = expect.bar && !asItOpens ? "#form=nodes" : "";
    try {
      if (opened !== hash) {
        await reopen(hash);
        opens++;
        if (!fresh.has(hash)) fresh.set(hash, await looks(page));
        if (opens === 1) await page.screenshot({ path: `${base}.png` });
      }
      opened = hash;
      await run(page, expect, { reopen, shot });
      if (trouble.length) throw new Error(trouble.join("; "));
      const took = (performance.now() - began).toFixed();
      if (opened !== null && (await looks(page)) !== fresh.get(hash)) opened = null;
      console.log(`ok    ${name} ${check} (${took} ms)`);
    } catch (error) {
      failures++;
      opened = null;
      console.log(`FAIL  ${name} ${check}: ${error.message.slice(0, 600)}`);
      await page.screenshot({ path: `${base}.FAIL.${check}.png` }).catch(() => {});
    }
    trouble.length = 0;
  }
  console.log(
    `      ${name}: ${apply.length} checks, opened ${opens} times, ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
  return failures;
}

let failures = 0;
await withBrowser(async (context) => {
  const tab = await openTab(context);
  for (const name of names) failures += await testPage(tab, name);
});
process.exit(failures ? 1 : 0);
