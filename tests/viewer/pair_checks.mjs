// The checks of page_test.mjs for a page of two recordings (einkorn compare --html). `expect`: einkorn compare --json
// of them.
import assert from "node:assert/strict";
import { settled } from "./browser.mjs";
import { fingerprint, hook, opensAgainAsItWas, press, sample } from "./tools.mjs";

const kNone = 0xffffffff;
const kSides = ["before", "after"];
const digits = (text) => Number(text.replace(/,/g, "").match(/\d+/)[0]);

// What a side's canvas shows: how many of its pixels are not the background, and of which colours.
function pixels(page, selector) {
  return page.evaluate((s) => {
    const canvas = document.querySelector(s);
    const words = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
    const empty = (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
    const out = { drawn: 0, colours: new Set() };
    for (const w of words)
      if (w !== empty) {
        out.drawn++;
        out.colours.add(w);
      }
    return { drawn: out.drawn, colours: out.colours.size };
  }, selector);
}

async function click(page, side, node) {
  const place = await hook(page, `${side === "before" ? "e.before" : "e"}.placeOfNode(${node})`);
  const box = await page.locator(`#${side} .picture`).boundingBox();
  await page.mouse.click(box.x + place.x + place.width / 2, box.y + place.y + place.height / 2);
  await settled(page);
}

// Grains of the second recording that the first one has, too.
const common = (page) =>
  page.evaluate(() => {
    const e = window.einkorn;
    const out = [];
    for (let g = 0; g < e.grains; g++) if (e.counterpart(g) !== 0xffffffff && e.nodeOfGrain(g) >= 0) out.push(g);
    return out;
  });

export const pairChecks = {
  bothAreDrawn: {
    run: async (page, expect) => {
      for (const side of kSides) {
        const { drawn, colours } = await pixels(page, `#${side} .picture canvas`);
        assert.ok(drawn > 2000 && colours > 10, `${side}: ${drawn} pixels of ${colours} colours`);
        const e = side === "before" ? "e.before" : "e";
        assert.equal(
          await hook(page, `${e}.nodesShown()`),
          await hook(page, `${e}.nodes`),
          "every node is in the picture",
        );
        assert.equal(await hook(page, `${e}.countedGrains()`), expect[`grains_${side}`].grains);
        const row = await page.textContent(`#side-${side}`);
        assert.ok(row.includes(`${expect[side].threads} thread`), row);
        assert.ok((await page.locator(`#side-${side} .bar span`).count()) > 1, "times by state");
      }
      assert.match(
        await page.textContent("#matched"),
        new RegExp(`^${expect.matched.grains.toLocaleString("en-US")} grains are in both`),
      );
      const speedup = await page.locator("#speedup").allTextContents();
      assert.equal(speedup.length, 1);
      assert.match(speedup[0], expect.speedup >= 1 ? /times as fast/ : /times as long/);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.equal(wide, 0, "nothing sticks out of the window");
    },
  },

  clickSelectsTheCounterpart: {
    run: async (page, _expect, tab) => {
      const grains = await common(page);
      assert.ok(grains.length > 100);
      for (const i of sample(grains.length, 5)) {
        const grain = grains[i];
        await hook(page, `e.centre(e.nodeOfGrain(${grain}))`);
        await settled(page);
        await click(page, "after", await hook(page, `e.nodeOfGrain(${grain})`));
        assert.equal(await hook(page, "e.selected()"), grain);
        const there = await hook(page, `e.counterpart(${grain})`);
        assert.equal(await hook(page, "e.before.selected()"), there, "its counterpart is selected");
        assert.equal(
          await hook(page, `e.idOf(${grain})`),
          await hook(page, `e.before.idOf(${there})`),
          "which has the same name",
        );
        // Both at the same place of their windows.
        const [a, b] = [
          await hook(page, `e.placeOfNode(e.nodeOfGrain(${grain}))`),
          await hook(page, `e.before.placeOfNode(e.before.nodeOfGrain(${there}))`),
        ];
        assert.ok(
          Math.abs(a.x + a.width / 2 - b.x - b.width / 2) < 4 && Math.abs(a.y + a.height / 2 - b.y - b.height / 2) < 4,
          `${JSON.stringify([a, b])}`,
        );
        assert.match(await page.textContent("#both"), /execution/);
        assert.equal(await page.locator("#both #lonely").count(), 0);
        // And the other way round.
        await press(page, "Escape");
        assert.deepEqual([await hook(page, "e.selected()"), await hook(page, "e.before.selected()")], [kNone, kNone]);
        await click(page, "before", await hook(page, `e.before.nodeOfGrain(${there})`));
        assert.equal(await hook(page, "e.before.selected()"), there);
        assert.equal(await hook(page, "e.selected()"), grain, "a click in the first one selects in the second");
        assert.ok(await page.locator("#before.active").count(), "the side that was clicked is marked");
      }
      await tab.shot("near");
    },
  },

  grainsOfOneOnly: {
    run: async (page, expect) => {
      await page.click("#only-after");
      await settled(page);
      assert.equal(digits((await page.textContent("#after .found")).split(":")[1]), expect.only_after.grains);
      await page.keyboard.press("n");
      await settled(page);
      assert.equal(await page.locator("#lonely").count(), 1, "the panel says that it has no counterpart");
      assert.equal(await hook(page, "e.before.selected()"), kNone);
      assert.equal(await hook(page, "e.counterpart(e.selected())"), kNone);
      await press(page, "Escape");
    },
  },

  movesTogether: {
    run: async (page) => {
      const views = async () => [await hook(page, "e.view()"), await hook(page, "e.before.view()")];
      const box = await page.locator("#after .picture").boundingBox();
      const middle = [box.x + box.width / 2, box.y + box.height / 3];
      const start = await views();
      await page.mouse.move(...middle);
      await page.mouse.wheel(0, -600);
      await settled(page);
      const near = await views();
      near.forEach((v, i) => assert.ok(v.zoom > start[i].zoom, "both zoom"));
      await page.mouse.down();
      await page.mouse.move(middle[0] - 60, middle[1] - 40, { steps: 3 });
      await page.mouse.up();
      await settled(page);
      const moved = await views();
      moved.forEach((v, i) => assert.ok(v.x > near[i].x && v.y > near[i].y, "both move"));
      await page.keyboard.press("l"); // apart
      assert.equal(await page.getAttribute("#together", "aria-pressed"), "false");
      await press(page, "+");
      const apart = await views();
      assert.ok(apart[0].zoom > moved[0].zoom);
      assert.deepEqual(apart[1], moved[1], "the other one stays");
      await press(page, "0");
      (await views()).forEach((v) => assert.equal(v.zoom, 0));
      await page.keyboard.press("b");
      await settled(page);
      const [first, second] = [await page.locator("#before").boundingBox(), await page.locator("#after").boundingBox()];
      assert.ok(second.y > first.y && second.x === first.x, "one above the other");
    },
  },

  coloursByChange: {
    run: async (page, expect, tab) => {
      const by = expect.matched.per_grain ? "change" : "line_change";
      assert.equal(await page.inputValue("#colour"), by, "what changed is what is seen first");
      const canvas = (side) => `#${side} .picture canvas`;
      const change = await Promise.all(kSides.map((s) => fingerprint(page, canvas(s))));
      await page.selectOption("#colour", "source");
      await settled(page);
      const source = await Promise.all(kSides.map((s) => fingerprint(page, canvas(s))));
      kSides.forEach((s, i) => assert.notEqual(source[i], change[i], s));
      // A box of several grains has the colour of their sums; bad metrics have one threshold for both.
      await page.selectOption("#colour", by);
      await page.selectOption("#form", "lines");
      await settled(page);
      for (const s of kSides) assert.ok((await pixels(page, canvas(s))).colours > 3);
      await tab.shot("lines");
    },
  },

  searchAndLines: {
    run: async (page, expect, tab) => {
      const line = expect.lines.find((l) => l.line && l.before.grains > 0 && l.after.grains > 0);
      const name = `${line.file.split("/").at(-1)}:${line.line}`;
      await press(page, "f");
      await page.keyboard.type(name);
      await settled(page);
      for (const side of kSides) {
        const sum = expect.lines
          .filter((l) => l.file === line.file && l.line === line.line)
          .reduce((n, l) => n + l[side].grains, 0);
        assert.equal(digits(await page.textContent(`#${side} .found`)), sum, `${side}: grains found`);
      }
      await page.keyboard.press("Escape");
      // A row of the table lights its grains up in both.
      const row = page.locator("#lines [data-change]", { hasText: name }).first();
      assert.equal(await page.locator("#lines [data-change]").count(), Math.min(30, expect.lines.length));
      await row.click();
      await settled(page);
      for (const side of kSides)
        assert.ok((await hook(page, `${side === "before" ? "e.before" : "e"}.lit()`)) > 0, side);
      assert.match(await row.getAttribute("class"), /on/);
      // The whole table, with the source text.
      await page.keyboard.press("4");
      await page.waitForSelector("#sources");
      assert.equal(await page.locator("#sources [data-line]").count(), expect.lines.length);
      assert.equal(await page.getAttribute("#sources .code .cited", "data-number"), String(line.line));
      await tab.shot("source");
    },
  },

  otherViews: {
    run: async (page, _expect, tab) => {
      await page.keyboard.press("2");
      await settled(page);
      for (const side of kSides) assert.ok((await pixels(page, `#${side} .timeline canvas`)).colours > 3, side);
      await tab.shot("timeline");
      const prints = () => Promise.all(kSides.map((s) => fingerprint(page, `#${s} .timeline canvas`)));
      const all = await prints();
      await page.keyboard.press("w");
      await settled(page);
      (await prints()).forEach((p, i) => assert.notEqual(p, all[i], "both zoom"));
      await page.keyboard.press("3");
      for (const side of kSides) assert.ok((await page.locator(`#${side} [data-bar]`).count()) > 10, side);
      const limits = await Promise.all(kSides.map((s) => page.textContent(`#${s} .scale`)));
      assert.equal(limits[0], limits[1], "one scale for both");
      await tab.shot("histogram");
      await page.keyboard.press("5");
      for (const side of kSides) assert.ok((await page.locator(`#${side} [data-depth]`).count()) > 0, side);
      await tab.shot("depth");
    },
  },

  addressKeepsBoth: {
    run: async (page, _expect, tab) => {
      const grains = await common(page);
      await hook(page, `e.select(${grains[grains.length >> 1]})`);
      await page.keyboard.press("+");
      await page.keyboard.press("l");
      await page.keyboard.press("d");
      await page.keyboard.press("t");
      await page.keyboard.press("b");
      await page.selectOption("#colour", "thread");
      await settled(page);
      const state = (p) =>
        p.evaluate(() => {
          const e = window.einkorn;
          const near = ({ x, y, zoom }) => [Math.round(x), Math.round(y), zoom.toFixed(3)];
          return {
            hash: location.hash,
            views: [near(e.view()), near(e.before.view())],
            selected: [e.selected(), e.before.selected()],
            colour: document.querySelector("#colour").value,
            theme: document.documentElement.dataset.theme,
            together: document.querySelector("#together").className,
          };
        });
      await tab.shot("dark");
      await opensAgainAsItWas(page, tab, state);
      assert.match(await page.evaluate(() => location.hash), /c=thread.*apart.*stacked/);
    },
  },
};
