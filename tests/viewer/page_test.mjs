// What a page must do, in a browser:  node page_test.mjs PAGE.html EXPECT.json OUT.png CHECK...
// EXPECT is what made the page says of it: {nodes, grains, task_source?, hostile?, cut?} (make_page.cpp), or for a real
// recording {grains_counted, task_source, found} (expect_recorded.mjs), or for a page of two recordings what einkorn compare
// --json says of them. Without CHECK names all that apply are run. Exit status 1 and a line for each failure.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { checks } from "./checks.mjs";
import { displayChecks } from "./display_checks.mjs";
import { pairChecks } from "./pair_checks.mjs";
import { viewChecks } from "./view_checks.mjs";
import { kChromium, openPage, settled, withBrowser } from "./browser.mjs";

const [file, expectFile, picture, ...only] = process.argv.slice(2);
if (!picture) {
  console.error("usage: node page_test.mjs PAGE.html EXPECT.json OUT.png [CHECK...]");
  process.exit(2);
}
if (!existsSync(kChromium)) {
  console.error(`${kChromium} is not here: install chromium (Debian: apt-get install chromium) or set EINKORN_CHROMIUM`);
  process.exit(1);
}
const expect = JSON.parse(readFileSync(expectFile, "utf8"));
let failures = 0;

await withBrowser(async (context) => {
  for (const [name, check] of Object.entries(expect.before ? pairChecks : { ...checks, ...viewChecks, ...displayChecks })) {
    if (only.length ? !only.includes(name) : !check.applies(expect)) continue;
    // A graph that is a bar opens otherwise: most checks are about the graph.
    const { page, trouble } = await openPage(context, file, expect.bar && !check.asItOpens ? "#form=nodes" : "");
    try {
      await settled(page);
      await check.run(page, expect, context, file);
      if (trouble.length) throw new Error(trouble.join("; "));
      console.log(`ok    ${name}`);
    } catch (error) {
      failures++;
      console.log(`FAIL  ${name}: ${error.message.slice(0, 600)}`);
    }
    await page.close();
  }
  const { page } = await openPage(context, file);
  await settled(page);
  mkdirSync(dirname(picture), { recursive: true });
  await page.screenshot({ path: picture });
});
process.exit(failures ? 1 : 0);
