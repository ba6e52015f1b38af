// The checks of what is shown of programs that are not as one would wish: long names, thousands of regions, a busy
// machine. page_test.mjs runs them with those of checks.mjs.
import assert from "node:assert/strict";
import { addressed, settled } from "./browser.mjs";
import { hook, press } from "./tools.mjs";

const number = (text) => Number((text ?? "").replace(/,/g, "").match(/\d+/)?.[0]);

// What lies outside of the panel that it is in, or is cut off by it: text of the elements.
const pushedOut = (page, panel, cells) =>
  page.evaluate(
    ([p, c]) => {
      const out = [];
      for (const box of document.querySelectorAll(p)) {
        const right = box.getBoundingClientRect().right;
        for (const e of box.querySelectorAll(c))
          if (e.getBoundingClientRect().right > right + 0.5) out.push(e.textContent);
      }
      return out;
    },
    [panel, cells],
  );

export const displayChecks = {
  aBarOpensByLine: {
    asItOpens: true,
    run: async (page, expect, tab) => {
      assert.equal(await page.inputValue("#form"), "lines");
      assert.ok((await hook(page, "e.boxes()")) < 20, "one box a source line");
      assert.equal(await page.evaluate(() => location.hash), "", "that is how it opens: the address need not say it");
      await tab.shot("opens");
      await page.selectOption("#form", "nodes");
      await settled(page);
      await press(page, "+");
      await addressed(page);
      assert.match(await page.evaluate(() => location.hash), /form=nodes/, "the whole graph is in the address");
      assert.equal(await hook(page, "e.boxes()"), expect.nodes);
    },
  },

  namesLeaveNumbersWhereTheyAre: {
    asItOpens: true,
    run: async (page, _expect, tab) => {
      const rows = page.locator(".side .sources tbody tr");
      assert.ok((await rows.count()) > 2);
      assert.deepEqual(await pushedOut(page, ".side", "td.number, b, .gain"), []);
      for (const title of await rows.evaluateAll((all) => all.map((r) => r.title)))
        assert.match(
          title,
          /__pyx_pf_8skimage_7restoration_14_denoise_cy_\d<.*operator\(\)\(long, long\) const/,
          "the whole name on hover",
        );
      const names = await rows.locator("td:first-child b").allTextContents();
      for (const text of names) assert.ok(text.length < 60, text);
      assert.equal(new Set(names).size, names.length, "each has a name of its own");
      await hook(page, "e.select(e.longestGrain())");
      await settled(page);
      assert.deepEqual(await pushedOut(page, ".side", "h2, dd, .place"), []);
      assert.ok((await page.locator("#grain .place").textContent()).length < 200);
      await tab.shot("names");
      await page.keyboard.press("4");
      await page.waitForSelector("#sources");
      assert.deepEqual(await pushedOut(page, "#sources .lines", "tbody tr:first-child td:nth-child(-n+4)"), []);
      await tab.shot("names_source");
    },
  },

  aBusyMachineStillCounts: {
    asItOpens: true,
    run: async (page, expect, tab) => {
      const figures = await page.locator(".figures").textContent();
      assert.match(figures, /wall time, not valid/);
      assert.match(figures, /12tasks in a row/);
      assert.match(figures, new RegExp(`${(expect.tasks / 12).toFixed(expect.tasks >= 1200 ? 0 : 1)}tasks at a time`));
      assert.ok(!/critical path|parallelism/.test(figures), figures);
      const problems = page.locator("#problems [data-problem]");
      assert.ok((await problems.count()) > 0, "there are problems by counts");
      for (const text of await problems.allTextContents())
        assert.ok(!/up to [\d.]+ (ns|µs|ms|s)|\d (ns|us|ms|s)\b/.test(text), text);
      await tab.shot("busy");
    },
  },

  // Parts of the work are parts of the grains' work, whatever the threads' states add up to.
  noPartIsMoreThanAll: {
    asItOpens: true,
    run: async (page) => {
      for (const m of (await hook(page, "e.metrics()")).filter((metric) => metric.bad)) {
        await page.selectOption("#colour", m.key);
        await settled(page);
        const part = Number((await page.textContent("#share")).match(/([\d.]+) % of the work/)[1]);
        assert.ok(part <= 100, `${m.key}: ${part} % of the work`);
      }
    },
  },

  oneNumberOfGrains: {
    asItOpens: true,
    run: async (page, expect) => {
      assert.equal(number(await page.locator(".counts b").textContent()), expect.counted);
    },
  },

  formsTellAllGrains: {
    asItOpens: true,
    run: async (page, expect) => {
      for (const form of ["grains", "lines"]) {
        await page.selectOption("#form", form);
        await settled(page);
        assert.equal(number(await page.textContent("#shown")), expect.counted, `one box a ${form}`);
        const told = await page.evaluate(() => {
          let n = 0;
          for (let i = 0; i < window.einkorn.boxes(); i++) n += window.einkorn.grainsTold(i);
          return n;
        });
        assert.equal(told, expect.counted, `in the boxes, one a ${form}`);
      }
      const listed = await page.$$eval(".sources td:nth-child(2)", (all) =>
        all.reduce((s, td) => s + Number(td.textContent.replace(/,/g, "")), 0),
      );
      assert.equal(listed, expect.counted, "in the table of sources");
    },
  },

  whatWasTriedStandsFirst: {
    asItOpens: true,
    run: async (page, _expect, tab) => {
      assert.equal(await page.locator(".side section").first().getAttribute("id"), "tuning");
      assert.match(await page.textContent("#tuning p"), /^9 runs in 1\.50 s\. What was accepted is in tree\.hints\./);
      const rows = await page
        .locator("#tuning tbody tr")
        .evaluateAll((all) => all.map((tr) => [...tr.cells].map((td) => td.textContent)));
      assert.deepEqual(rows, [
        [
          "</script>run tasks with 8 or more above them at oncetask tree.c:8 cutoff=8accepted",
          "250 ms, 125 ms",
          "−50.0 %",
          "≤ 200 ms",
        ],
        ["3 threads instead of 4region tree.c:3 threads=3not tried", "–", "–", "−1.5 % to +4.0 %"],
      ]);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.equal(wide, 0, "nothing sticks out of the window");
      await tab.shot("tuning");
      await page.keyboard.press("Escape");
    },
  },

  waitingTasksAndTheirData: {
    asItOpens: true,
    run: async (page, _expect, tab) => {
      await page.selectOption("#colour", "home");
      await page.keyboard.press("2");
      await page.waitForSelector("#timeline canvas");
      await settled(page);
      // Below the states' chart a strip of its own: somewhere in it somebody waits.
      const box = await page.locator("#timeline").boundingBox();
      const chart = Math.max(50, Math.min(200, box.height * 0.26)) + 18;
      let told = "";
      for (let x = 0.15; x < 1 && !/tasks waiting/.test(told); x += 0.01) {
        await page.mouse.move(box.x + 116 + (box.width - 116) * x, box.y + chart + 20);
        told = await page.locator(".legend .pointed").last().textContent();
      }
      assert.match(told, /[\d.]+ tasks waiting/);
      const inked = await page.evaluate((top) => {
        const canvas = document.querySelector("#timeline canvas");
        const words = new Uint32Array(
          canvas.getContext("2d").getImageData(120, top + 10, canvas.width - 130, 20).data.buffer,
        );
        return new Set(words).size;
      }, Math.round(chart));
      assert.ok(inked > 1, "the strip shows them");
      await tab.shot("waiting");
      const toldBy = (legend) => {
        for (const node of [0, 1, 2, 3]) assert.ok(legend.includes(`data on node ${node}`), legend);
      };
      toldBy(await page.locator(".legend").last().textContent());
      await page.keyboard.press("1");
      await settled(page);
      toldBy(await page.locator(".legend").first().textContent());
      await tab.shot("home");
    },
  },
};
