// The checks of the views beside the graph, of colours, reductions and problems: page_test.mjs runs them with those of
// checks.mjs. Each gets a freshly opened page and does several things in it: opening is what takes time.
import assert from "node:assert/strict";
import { settled } from "./browser.mjs";
import { fingerprint, hook, opensAgainAs, press, sample } from "./tools.mjs";

const number = (text) => Number((text ?? "").replace(/,/g, "").match(/[\d.]+/)?.[0]);
// Of the synthetic programs those that have everything; of the recordings the one with a baseline and the one from elsewhere.
const views = (e) => e.views || e.baseline || e.machine !== undefined;

// How many different colours a canvas shows: an empty one shows one or two.
const coloursOf = (page, selector) => page.evaluate((s) => {
  const canvas = document.querySelector(s);
  const words = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  return new Set(words).size;
}, selector);

const shot = (page, name) => page.screenshot({ path: `${process.argv[4].replace(/\.png$/, "")}.${name}.png` });

export const viewChecks = {
  problemsStandFirst: {
    applies: views,
    run: async (page, expect) => {
      assert.equal(await page.locator(".side section").first().getAttribute("id"), "problems");
      const cards = page.locator("#problems [data-problem]");
      const n = await hook(page, "e.problems");
      assert.equal(await cards.count(), n);
      if (expect.problems) assert.equal(n, expect.problems.length);
      if (n === 0) {
        assert.ok((await page.textContent("#problems")).length > 20, "no problem found is an answer");
        return;
      }
      const before = await fingerprint(page);
      for (let i = 0; i < n; i++) {
        const problem = expect.problems?.[i];
        const card = cards.nth(i);
        await card.locator(".head").click();
        await settled(page);
        const text = await card.textContent();
          assert.match(text, /up to|%/);
        if (problem?.line) assert.ok(text.includes(`:${problem.line}`), `problem ${i + 1} names its line: ${text}`);
        if (problem) assert.ok(text.includes(problem.advice), `problem ${i + 1} says what to do`);
        assert.ok(await card.locator(".detail").isVisible());
        if (problem?.line && problem.grains > 0) {
          assert.ok((await hook(page, "e.lit()")) > 0, `problem ${i + 1} lights up its grains`);
          assert.notEqual(await fingerprint(page), before);
        }
        if (i === 0) await shot(page, "problem");
        await card.locator(".head").click();
        await settled(page);
      }
      await press(page, "0");
      assert.equal(await hook(page, "e.lit()"), 0, "a second click lets go");
    },
  },

  coloursByMetric: {
    applies: views,
    run: async (page) => {
      const metrics = await hook(page, "e.metrics()");
      assert.ok(metrics.length >= 4, "there are metrics");
      const seen = new Map();
      for (const m of metrics) {
        await page.selectOption("#colour", m.key);
        await settled(page);
        seen.set(m.key, await fingerprint(page));
        const term = page.locator(`.legend [data-metric="${m.key}"]`);
        assert.ok((await term.getAttribute("title")).length > 40, `hovering over ${m.key} says what it is`);
        if (!m.bad) continue;
        const share = await page.textContent("#share");
        const stated = share.replace(/,/g, "").match(/\((\d+)\)/)[1];
        assert.equal(Number(stated), m.problems, `${m.key}: ${share}`);
        const listed = page.locator(`#metrics button[data-metric="${m.key}"] .part`);
        if (m.problems > 0) assert.equal(await listed.locator("b").textContent(), await page.textContent("#share b"), "the list and the legend agree");
      }
      const [bad] = metrics.filter((m) => m.bad && m.problems > 0 && m.problems < m.present);
      if (bad) {
        await page.selectOption("#colour", bad.key);
        await page.fill("#threshold", bad.bad === "below" ? "1e15" : "-1");
        await page.press("#threshold", "Enter");
        await settled(page);
        assert.match(await page.textContent("#share"), /^100 %/, "a threshold beyond all values makes all of them problems");
        assert.notEqual(await fingerprint(page), seen.get(bad.key));
        await page.click(".threshold .link");
        await settled(page);
        assert.equal(await fingerprint(page), seen.get(bad.key), "reset");
        await shot(page, "metric");
      }
    },
  },

  reductions: {
    applies: (e) => views(e) && !e.cut,
    run: async (page) => {
      const nodes = await hook(page, "e.boxes()");
      const grains = await hook(page, "e.grains");
      for (const form of ["grains", "lines", "depths"]) {
        await page.selectOption("#form", form);
        await settled(page);
        const boxes = await hook(page, "e.boxes()");
        assert.ok(boxes < nodes, `${form}: ${boxes} boxes of ${nodes}`);
        const inside = await page.evaluate(() => {
          let sum = 0;
          for (let i = 0; i < window.einkorn.boxes(); i++) sum += window.einkorn.grainsIn(i);
          return sum;
        });
        assert.equal(inside, grains, `${form}: every grain is in one box`);
        // No two boxes overlap, and each is where it can be seen.
        const overlap = await page.evaluate((picks) => {
          const all = picks.map((i) => window.einkorn.placeOfNode(i));
          for (let a = 0; a < all.length; a++) for (let b = a + 1; b < all.length; b++) {
            const [p, q] = [all[a], all[b]];
            const apart = p.x + p.width <= q.x + 1e-6 || q.x + q.width <= p.x + 1e-6 || p.y + p.height <= q.y + 1e-6 || q.y + q.height <= p.y + 1e-6;
            if (!apart) return `${picks[a]} and ${picks[b]}: ${JSON.stringify([p, q])}`;
          }
          return null;
        }, [...new Set(sample(boxes, 300))]);
        assert.equal(overlap, null, `${form}: boxes overlap`);
        assert.ok((await coloursOf(page, ".picture canvas")) > 3);
        await shot(page, form);
      }
      // A subtree as one box, and back.
      await page.selectOption("#form", "grains");
      await settled(page);
      const whole = await hook(page, "e.boxes()");
      const parent = await hook(page, "e.parentTask()");
      assert.ok(parent > 0, "some grain has children");
      await hook(page, `e.select(${parent})`);
      await settled(page);
      assert.equal(await page.textContent("#subtree"), "collapse subtree");
      await press(page, "x");
      const fewer = await hook(page, "e.boxes()");
      assert.ok(fewer < whole, `${fewer} boxes after collapsing grain ${parent} of ${whole}`);
      assert.ok((await hook(page, `e.grainsIn(e.nodeIn(${parent}))`)) > 1);
      await press(page, "x");
      assert.equal(await hook(page, "e.boxes()"), whole, "and expanding it again");
    },
  },

  besideTheBaseline: {
    applies: (e) => e.baseline,
    run: async (page) => {
      const text = await page.textContent("#baseline");
      assert.match(text, /on 1 thread/);
      assert.match(text, /(100|99) % of the work is in grains that both have/);
      assert.equal(await page.locator("#baseline .bar").count(), 2);
      assert.ok((await hook(page, "e.metrics()")).some((m) => m.key === "work_deviation" && m.here > 1000), "every grain has its work deviation");
      await page.keyboard.press("4");
      await page.waitForSelector("#sources");
      assert.match(await page.textContent("#sources thead"), /before/);
      assert.match(await page.locator("#sources [data-line]").first().textContent(), /× \d/);
      await shot(page, "baseline");
    },
  },

  timeline: {
    applies: views,
    run: async (page, expect) => {
      await page.keyboard.press("2");
      await page.waitForSelector("#timeline canvas");
      await page.waitForTimeout(150);
      assert.ok((await coloursOf(page, "#timeline canvas")) > 4, "the timeline is not empty");
      await shot(page, "timeline");
      const print = () => fingerprint(page, "#timeline canvas");
      const fit = await print();
      const box = await page.locator("#timeline").boundingBox();
      await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5);
      await page.mouse.wheel(0, -800);
      await page.waitForTimeout(150);
      assert.notEqual(await print(), fit, "the wheel zooms");
      await page.keyboard.press("d");
      await page.waitForTimeout(100);
      await page.keyboard.press("0");
      await page.waitForTimeout(150);
      assert.equal(await print(), fit, "0 shows all of the time again");
      if (!expect.cut) {
        // The longest grain, found by its time and thread, answers a click.
        const longest = await hook(page, "e.longestGrain()");
        await hook(page, `e.showInTimeline(${longest})`);
        await page.waitForTimeout(150);
        const place = await hook(page, `e.placeInTime(${longest})`);
        await page.mouse.click(box.x + place.x, box.y + place.y);
        const wanted = await hook(page, `e.idOf(${longest})`);
        // Another grain may be selected still.
        await page.waitForFunction((id) => document.querySelector("#grain code")?.textContent === id, wanted, { timeout: 5000 })
          .catch(() => {});
        assert.equal(await page.textContent("#grain code"), wanted, "a click selects the grain that is there");
      }
      await shot(page, "timeline_near");
    },
  },

  otherViews: {
    applies: views,
    run: async (page, expect) => {
      // Histogram: every grain that has the metric is in a bar; a bar lights its grains up.
      await page.keyboard.press("3");
      await page.waitForSelector("#histogram svg");
      for (const m of await hook(page, "e.metrics()")) {
        await page.selectOption("#metric", m.key);
        const bars = await page.$$eval("#histogram [data-bar]", (all) => all.map((b) => Number(b.dataset.grains)));
        assert.equal(bars.reduce((a, b) => a + b, 0), m.here, `${m.key}: grains in the bars`);
      }
      await page.selectOption("#metric", "exec");
      const bars = await page.$$eval("#histogram [data-bar]", (all) => all.map((b) => Number(b.dataset.grains)));
      const tallest = bars.indexOf(Math.max(...bars));
      await page.locator(`#histogram [data-bar="${tallest}"] .catch`).click({ force: true });
      await settled(page);
      if (!expect.cut) assert.equal(number((await page.textContent("#found")).split(": ").at(-1)), bars[tallest]);
      await shot(page, "histogram");
      await page.keyboard.press("Escape");
      // Source lines, and the text beside them.
      await page.keyboard.press("4");
      await page.waitForSelector("#sources");
      const rows = page.locator("#sources [data-line]");
      assert.ok((await rows.count()) > 0);
      await rows.first().click();
      await settled(page);
      assert.match(await page.textContent("#found"), /found/);
      if (expect.task_source && !expect.no_source) {
        await page.locator("#sources [data-line]", { hasText: expect.task_source }).first().click();
        const cited = page.locator("#sources .code .cited");
        assert.equal(await cited.count(), 1);
        assert.equal(await cited.getAttribute("data-number"), expect.task_source.split(":")[1]);
        assert.ok(await cited.isVisible());
      }
      await shot(page, "source");
      await page.keyboard.press("Escape");
      // Depths: as many tasks as there are.
      await page.keyboard.press("5");
      await page.waitForSelector(".sheet");
      const tasks = await page.$$eval("[data-depth] td:nth-child(2)", (all) => all.reduce((s, td) => s + Number(td.textContent.replace(/,/g, "")), 0));
      if (expect.tasks && !expect.cut && expect.tasks < 1000) assert.equal(tasks, expect.tasks);
      await shot(page, "depth");
      await page.keyboard.press("1");
      await settled(page);
      assert.ok(await page.locator(".picture").isVisible());
      // The map of the whole appears when something is out of sight, and leads there.
      assert.ok(!(await page.locator("#minimap").isVisible()));
      await hook(page, "e.centre(0)");
      await settled(page);
      await page.waitForTimeout(100);
      assert.ok(await page.locator("#minimap").isVisible());
      assert.ok((await coloursOf(page, "#minimap canvas")) > 1);
      const start = await hook(page, "e.view()");
      await page.locator("#minimap").click({ position: { x: 150, y: 90 } });
      await settled(page);
      assert.notDeepEqual(await hook(page, "e.view()"), start);
      // Light and dark.
      const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await press(page, "t");
      assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), light);
      await press(page, "0");
      await shot(page, "dark");
    },
  },

  addressKeepsEverything: {
    applies: views,
    run: async (page, expect, context, file) => {
      const metrics = await hook(page, "e.metrics()");
      const bad = metrics.find((m) => m.bad) ?? metrics[0];
      await page.selectOption("#colour", bad.key);
      if (bad.bad) {
        await page.fill("#threshold", "3");
        await page.press("#threshold", "Enter");
      }
      await page.selectOption("#form", "depths");
      await settled(page);
      await page.locator(".sources tbody tr").first().click();
      await page.keyboard.press("c");
      await page.keyboard.press("t");
      await page.keyboard.press("2");
      await page.waitForTimeout(100);
      await page.keyboard.press("w");
      await page.keyboard.press("w");
      for (let i = 0; i < 50 && !(await page.evaluate(() => location.hash.includes("time="))); i++) await page.waitForTimeout(100);
      const state = (p) => p.evaluate(() => ({
        hash: location.hash, view: document.querySelector(".views .on").id, colour: document.querySelector("#colour").value,
        found: document.querySelector("#found").textContent, theme: document.documentElement.dataset.theme, boxes: window.einkorn.boxes(), lit: window.einkorn.lit(),
      }));
      const here = await state(page);
      assert.match(here.hash, /v=timeline/);
      await opensAgainAs(here, state, context, file);
    },
  },
};
