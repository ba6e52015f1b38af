// The table of large blocks of memory: page_test.mjs runs this with the checks of checks.mjs.
import assert from "node:assert/strict";
import { addressed, settled } from "./browser.mjs";
import { fingerprint, hook } from "./tools.mjs";

const kRows = "#memory [data-allocations]";
const cells = (row) => row.locator("td").allTextContents();
const open = async (page) => {
  await page.locator("#view-memory").click();
  await page.waitForSelector("#memory");
};
const cited = (page) => page.getAttribute("#memory .code .cited", "data-number");

export const memoryChecks = {
  whoAllocatesWhatAndWhere: {
    run: async (page, expect, tab) => {
      const picture = await fingerprint(page);
      await page.keyboard.press("6");
      await page.waitForSelector("#memory");
      const rows = page.locator(kRows);
      assert.equal(await rows.count(), 100);
      assert.equal(await page.textContent("#memory .lines > .link"), "showing 100 of 1,000: show all");
      assert.equal(await page.textContent("#memory .advice"), `${expect.advice}.`, "in the words of the text report");
      assert.match(expect.advice, /^Grains ran on 4 nodes/);
      // Of 1,024 nodes those with the most, and the others together; of a few all.
      const first = await cells(rows.nth(0));
      assert.match(first[0], /make_page\.cpp:1 allocation in main/);
      assert.deepEqual(first.slice(1, 4), ["1", "4,000", "4,000"]);
      assert.match(first[4], /^700: 15 %, 0: < 0\.1 %, .*, 6: < 0\.1 %, 1,016 others: 85 %$/);
      assert.equal((await cells(rows.nth(1)))[4], "3: 90 %, 2: 10 %");
      assert.equal((await cells(rows.nth(3)))[4], "not known");
      assert.equal(await page.locator(`${kRows} .bad`).count(), 2, "the lines that the advice is about");
      assert.equal(await rows.nth(0).locator(".bar span").count(), 9);
      await tab.shot("memory");
      // A variable stands by its name, and leads to no line.
      const variable = rows.nth(2);
      assert.equal((await cells(variable))[0], "grid variable");
      await variable.click();
      await settled(page);
      assert.equal(await variable.getAttribute("class"), "still");
      assert.equal(await hook(page, "e.address()"), "#v=memory");
      // A line leads to its text, and leaves the picture as it is; the address keeps it.
      assert.equal(await cited(page), "1", "the largest at first");
      await rows.nth(5).click();
      assert.equal(await cited(page), "6");
      assert.equal(await rows.nth(5).getAttribute("class"), "on");
      await addressed(page);
      const address = await hook(page, "e.address()");
      assert.match(address, /v=memory.*s=\d+/);
      await page.keyboard.press("1");
      await settled(page);
      assert.equal(await fingerprint(page), picture, "nothing is dimmed: it makes no grains");
      await tab.reopen(address);
      assert.equal(await cited(page), "6");
      await page.keyboard.press("Escape");
      await addressed(page);
      assert.equal(await hook(page, "e.address()"), "#v=memory");
      // In another order, all of them, and what was searched for.
      await page.locator("#memory th .link", { hasText: "blocks" }).click();
      assert.equal((await cells(rows.nth(0)))[1], "1,000");
      await page.locator("#memory th .link", { hasText: "on node" }).click();
      assert.match((await cells(rows.nth(0)))[4], /^3: 90 %/);
      await page.locator("#memory .lines > .link").click();
      assert.equal(await rows.count(), 1000);
      await page.fill("#search", "make_page.cpp:77");
      await settled(page);
      assert.equal(await rows.count(), 1);
      assert.match(await page.textContent("#searched"), /^1 of 1,000 lines found$/);
      await page.fill("#search", "grid");
      await settled(page);
      assert.deepEqual((await rows.first().textContent()).slice(0, 13), "grid variable");
      await page.fill("#search", "nowhere");
      await settled(page);
      assert.equal(await rows.count(), 1000, "nothing to choose");
      await page.fill("#search", "");
      await page.locator("#search").blur();
      await page.keyboard.press("t");
      await settled(page);
      await tab.shot("memory_other");
    },
  },

  hostileVariablesDoNothing: {
    run: async (page) => {
      await open(page);
      await settled(page);
      assert.match(await page.textContent("#memory"), /<\/td><img src=x onerror=window\.hacked=1>.*variable/);
      assert.equal(await page.evaluate(() => window.hacked), undefined, "a name ran as script");
      assert.equal(await page.locator("#memory img").count(), 0, "a name became markup");
    },
  },

  recordedAllocations: {
    run: async (page, expect) => {
      const own = expect.allocations.filter((a) => a.file?.endsWith("memory.c"));
      assert.equal(own.length, 2);
      await open(page);
      assert.equal(await page.locator(kRows).count(), expect.allocations.length);
      for (const a of own) {
        const row = page.locator(kRows, { hasText: `memory.c:${a.line}` });
        const [, blocks, all, largest, on] = await cells(row);
        assert.equal(Number(blocks), a.blocks);
        assert.ok(Math.abs(Number(all) - a.bytes / 1e6) < 0.01, `${all} MB`);
        assert.ok(Math.abs(Number(largest) - a.largest_bytes / 1e6) < 0.01, `${largest} MB`);
        assert.equal(/\d+: \d/.test(on), a.sampled_bytes_on_node !== undefined, on);
        await row.click();
        assert.equal(await cited(page), String(a.line));
        assert.match(await page.textContent("#memory .code .cited"), /malloc/);
      }
      await page.locator("#memory th .link", { hasText: "blocks" }).click();
      assert.match((await cells(page.locator(kRows).first()))[0], new RegExp(`memory\\.c:${own[1].line}`));
    },
  },
};
