// The checks of the views beside the graph, of colours, reductions and problems: page_test.mjs runs them with those of
// checks.mjs. Each gets a freshly opened page and does several things in it: opening is what takes time.
import assert from "node:assert/strict";
import { settled, until } from "./browser.mjs";
import { coloursOf, fingerprint, hook, opensAgainAsItWas, press, sample } from "./tools.mjs";

const number = (text) => Number((text ?? "").replace(/,/g, "").match(/[\d.]+/)?.[0]);

export const viewChecks = {
  problemsStandFirst: {
    run: async (page, expect, tab) => {
      assert.equal(await page.locator(".side section").first().getAttribute("id"), "problems");
      const cards = page.locator("#problems [data-problem]");
      const n = await hook(page, "e.problems");
      assert.equal(await cards.count(), n);
      assert.equal(n, expect.problems.length);
      assert.ok(n > 0 || expect.grains_counted, "a made program has problems; in a recording there may be none");
      assert.ok((await page.textContent("#problems")).length > 20, "no problem found is an answer, too");
      const before = await fingerprint(page);
      for (const [i, problem] of expect.problems.entries()) {
        const card = cards.nth(i);
        await card.locator(".head").click();
        await settled(page);
        const text = await card.textContent();
        assert.match(text, /up to|%/);
        assert.ok(text.includes(problem.line ? `:${problem.line}` : ""), `problem ${i + 1} names its line: ${text}`);
        assert.ok(text.includes(problem.advice), `problem ${i + 1} says what to do`);
        assert.ok(await card.locator(".detail").isVisible());
        // Of a problem that is about no grains nothing lights up, or the joins of its lines.
        const lit = await hook(page, "e.lit()");
        assert.ok(lit > 0 || !problem.grains, `problem ${i + 1} lights up its grains`);
        assert.equal((await fingerprint(page)) !== before, lit > 0);
        if (i === 0) await tab.shot("problem");
        await card.locator(".head").click();
        await settled(page);
      }
      await press(page, "0");
      assert.equal(await hook(page, "e.lit()"), 0, "a second click lets go");
    },
  },

  coloursByMetric: {
    run: async (page) => {
      const metrics = await hook(page, "e.metrics()");
      assert.ok(metrics.length >= 4, "there are metrics");
      const seen = new Set();
      for (const m of metrics) {
        await page.selectOption("#colour", m.key);
        await settled(page);
        seen.add(await fingerprint(page));
        const term = page.locator(`.legend [data-metric="${m.key}"]`);
        assert.ok((await term.getAttribute("title")).length > 40, `hovering over ${m.key} says what it is`);
        if (!m.bad) continue;
        const share = await page.textContent("#share");
        const stated = share.replace(/,/g, "").match(/\((\d+)\)/)[1];
        assert.equal(Number(stated), m.problems, `${m.key}: ${share}`);
        const listed = page.locator(`#metrics button[data-metric="${m.key}"] .part`);
        if (m.problems > 0)
          assert.equal(
            await listed.locator("b").textContent(),
            await page.textContent("#share b"),
            "the list and the legend agree",
          );
      }
      assert.ok(seen.size > 1, `${seen.size} pictures by ${metrics.length} metrics`);
    },
  },

  thresholdsMove: {
    run: async (page, _expect, tab) => {
      const metrics = await hook(page, "e.metrics()");
      const bad = metrics.find((m) => m.bad && m.problems > 0 && m.problems < m.present);
      assert.ok(bad, "a metric tells problem grains from others");
      await page.selectOption("#colour", bad.key);
      await settled(page);
      const usual = await fingerprint(page);
      await page.fill("#threshold", bad.bad === "below" ? "1e15" : "-1");
      await page.press("#threshold", "Enter");
      await settled(page);
      assert.match(
        await page.textContent("#share"),
        /^100 %/,
        "a threshold beyond all values makes all of them problems",
      );
      assert.notEqual(await fingerprint(page), usual);
      await page.click(".threshold .link");
      await settled(page);
      assert.equal(await fingerprint(page), usual, "reset");
      await tab.shot("metric");
    },
  },

  reductions: {
    run: async (page, _expect, tab) => {
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
        const overlap = await page.evaluate(
          (picks) => {
            const all = picks.map((i) => window.einkorn.placeOfNode(i));
            for (let a = 0; a < all.length; a++)
              for (let b = a + 1; b < all.length; b++) {
                const [p, q] = [all[a], all[b]];
                const apart =
                  p.x + p.width <= q.x + 1e-6 ||
                  q.x + q.width <= p.x + 1e-6 ||
                  p.y + p.height <= q.y + 1e-6 ||
                  q.y + q.height <= p.y + 1e-6;
                if (!apart) return `${picks[a]} and ${picks[b]}: ${JSON.stringify([p, q])}`;
              }
            return null;
          },
          [...new Set(sample(boxes, 300))],
        );
        assert.equal(overlap, null, `${form}: boxes overlap`);
        assert.ok((await coloursOf(page, ".picture canvas")) > 3);
        await tab.shot(form);
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
    run: async (page, _expect, tab) => {
      const text = await page.textContent("#baseline");
      assert.match(text, /on 1 thread/);
      assert.match(text, /(100|99) % of the work is in grains that both have/);
      assert.equal(await page.locator("#baseline .bar").count(), 2);
      assert.ok(
        (await hook(page, "e.metrics()")).some((m) => m.key === "work_deviation" && m.here > 1000),
        "every grain has its work deviation",
      );
      await page.keyboard.press("4");
      await page.waitForSelector("#sources");
      assert.match(await page.textContent("#sources thead"), /before/);
      assert.match(await page.locator("#sources [data-line]").first().textContent(), /× \d/);
      await tab.shot("baseline");
    },
  },

  timeline: {
    run: async (page, _expect, tab) => {
      await page.keyboard.press("2");
      await page.waitForSelector("#timeline canvas");
      await settled(page);
      assert.ok((await coloursOf(page, "#timeline canvas")) > 4, "the timeline is not empty");
      await tab.shot("timeline");
      const print = () => fingerprint(page, "#timeline canvas");
      const fit = await print();
      const box = await page.locator("#timeline").boundingBox();
      await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5);
      await page.mouse.wheel(0, -800);
      await settled(page);
      assert.notEqual(await print(), fit, "the wheel zooms");
      await page.keyboard.press("d");
      await settled(page);
      await page.keyboard.press("0");
      await settled(page);
      assert.equal(await print(), fit, "0 shows all of the time again");
    },
  },

  // The longest grain, found by its time and thread, answers a click.
  timelineSelects: {
    run: async (page, _expect, tab) => {
      await page.keyboard.press("2");
      await page.waitForSelector("#timeline canvas");
      await settled(page);
      const box = await page.locator("#timeline").boundingBox();
      const longest = await hook(page, "e.longestGrain()");
      await hook(page, `e.showInTimeline(${longest})`);
      await settled(page);
      const place = await hook(page, `e.placeInTime(${longest})`);
      await page.mouse.click(box.x + place.x, box.y + place.y);
      const wanted = await hook(page, `e.idOf(${longest})`);
      await settled(page); // another grain may be selected still
      assert.equal(await page.textContent("#grain code"), wanted, "a click selects the grain that is there");
      await tab.shot("timeline_near");
    },
  },

  // In the view of sources the text is where the line is.
  textBesideTheLines: {
    run: async (page, expect) => {
      await page.keyboard.press("4");
      await page.waitForSelector("#sources");
      await page.locator("#sources [data-line]", { hasText: expect.task_source }).first().click();
      const cited = page.locator("#sources .code .cited");
      assert.equal(await cited.count(), 1);
      assert.equal(await cited.getAttribute("data-number"), expect.task_source.split(":")[1]);
      assert.ok(await cited.isVisible());
    },
  },

  otherViews: {
    run: async (page, expect, tab) => {
      // Histogram: every grain that has the metric is in a bar; a bar lights its grains up.
      await page.keyboard.press("3");
      await page.waitForSelector("#histogram svg");
      for (const m of await hook(page, "e.metrics()")) {
        await page.selectOption("#metric", m.key);
        const bars = await page.$$eval("#histogram [data-bar]", (all) => all.map((b) => Number(b.dataset.grains)));
        assert.equal(
          bars.reduce((a, b) => a + b, 0),
          m.here,
          `${m.key}: grains in the bars`,
        );
      }
      await page.selectOption("#metric", "exec");
      const bars = await page.$$eval("#histogram [data-bar]", (all) => all.map((b) => Number(b.dataset.grains)));
      const tallest = bars.indexOf(Math.max(...bars));
      await page.locator(`#histogram [data-bar="${tallest}"] .catch`).click({ force: true });
      await settled(page);
      // Of a cut graph, grains inside of aggregates are in the bars and cannot light up.
      const found = number((await page.textContent("#found")).split(": ").at(-1));
      assert.ok(
        expect.cut ? found > 0 && found <= bars[tallest] : found === bars[tallest],
        `${found} of ${bars[tallest]}`,
      );
      await tab.shot("histogram");
      await page.keyboard.press("Escape");
      // Source lines, and the text beside them.
      await page.keyboard.press("4");
      await page.waitForSelector("#sources");
      const rows = page.locator("#sources [data-line]");
      assert.ok((await rows.count()) > 0);
      await rows.first().click();
      await settled(page);
      assert.match(await page.textContent("#found"), /found/);
      await tab.shot("source");
      await page.keyboard.press("Escape");
      // Depths: as many tasks as there are.
      await page.keyboard.press("5");
      await page.waitForSelector(".sheet");
      const tasks = await page.$$eval("[data-depth] td:nth-child(2)", (all) =>
        all.reduce((s, td) => s + Number(td.textContent.replace(/,/g, "")), 0),
      );
      assert.ok(expect.cut ? tasks > 0 && tasks < expect.tasks : tasks === expect.tasks, `${tasks} of ${expect.tasks}`);
      await tab.shot("depth");
      await page.keyboard.press("1");
      await settled(page);
      assert.ok(await page.locator(".picture").isVisible());
      // The map of the whole appears when something is out of sight, and leads there.
      assert.ok(!(await page.locator("#minimap").isVisible()));
      await hook(page, "e.centre(0)");
      await settled(page);
      assert.ok(await page.locator("#minimap").isVisible());
      await until(page, "the map of the whole is drawn", () => {
        const canvas = document.querySelector("#minimap canvas");
        return (
          new Set(new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer))
            .size > 1
        );
      });
      const start = await hook(page, "e.view()");
      await page.locator("#minimap").click({ position: { x: 150, y: 90 } });
      await settled(page);
      assert.notDeepEqual(await hook(page, "e.view()"), start);
      // Light and dark.
      const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await press(page, "t");
      assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), light);
      await press(page, "0");
      await tab.shot("dark");
    },
  },

  addressKeepsEverything: {
    run: async (page, _expect, tab) => {
      const metrics = await hook(page, "e.metrics()");
      await page.selectOption("#colour", metrics.find((m) => m.bad).key);
      await page.fill("#threshold", "3");
      await page.press("#threshold", "Enter");
      await page.selectOption("#form", "depths");
      await settled(page);
      await page.locator(".sources tbody tr").first().click();
      await page.keyboard.press("c");
      await page.keyboard.press("t");
      await page.keyboard.press("2");
      await settled(page);
      await page.keyboard.press("w");
      await page.keyboard.press("w");
      const state = (p) =>
        p.evaluate(() => ({
          hash: location.hash,
          view: document.querySelector(".views .on").id,
          colour: document.querySelector("#colour").value,
          found: document.querySelector("#found").textContent,
          theme: document.documentElement.dataset.theme,
          boxes: window.einkorn.boxes(),
          lit: window.einkorn.lit(),
        }));
      await opensAgainAsItWas(page, tab, state);
      assert.match(await page.evaluate(() => location.hash), /v=timeline.*time=/);
    },
  },
};
