// The checks of page_test.mjs: each gets a freshly opened page and throws what is wrong.
import assert from "node:assert/strict";
import { addressed, settled } from "./browser.mjs";
import { fingerprint, hook, press, sample } from "./tools.mjs";

async function clickNode(page, node) {
  const place = await hook(page, `e.placeOfNode(${node})`);
  const box = await page.locator(".picture").boundingBox();
  await page.mouse.click(box.x + place.x + place.width / 2, box.y + place.y + place.height / 2);
}

const words = (n) => n.toLocaleString("en-US");

async function allAreDrawn(page) {
  assert.equal(await hook(page, "e.nodesShown()"), await hook(page, "e.nodes"), "in the picture that shows everything");
}

export const checks = {
  everyNodeIsThere: {
    run: async (page, expect) => {
      assert.equal(
        (await page.textContent("#shown")).trim(),
        `shows ${words(expect.nodes)} of ${words(expect.nodes)} nodes`,
      );
      assert.equal(await hook(page, "e.nodes"), expect.nodes);
      assert.equal(await hook(page, "e.grains"), expect.grains);
      await allAreDrawn(page);
    },
  },

  aCutGraphSaysSo: {
    run: async (page, expect) => {
      const shown = new RegExp(`shows ${words(expect.nodes)} of ${words(expect.nodes)} nodes in `);
      assert.match(await page.textContent("#shown"), shown);
      assert.match(await page.textContent(".status .cut"), /more than a page can draw/);
      assert.ok((await hook(page, "e.nodes")) < expect.nodes);
      await allAreDrawn(page);
    },
  },

  // The graph's size is what the page says it is; its grains are those of the report.
  everyRecordedGrainIsThere: {
    run: async (page, expect) => {
      const text = await page.textContent("#shown");
      const said = /^shows ([\d,]+) of ([\d,]+) nodes$/.exec(text.trim());
      const [, shown, of] = said ?? assert.fail(`the page says "${text}"`);
      assert.equal(shown, of);
      assert.equal(await hook(page, "e.nodes"), Number(of.replace(/,/g, "")));
      assert.equal(await page.locator(".counts b").textContent(), words(expect.grains_counted));
      assert.equal(await hook(page, "e.countedGrains()"), expect.grains_counted, "every grain is in the page");
      await allAreDrawn(page);
    },
  },

  machineHasItsPicture: {
    run: async (page, expect, tab) => {
      const summary = page.locator("details.machine summary");
      assert.ok((await summary.textContent()).includes(expect.machine), "the machine is named");
      await summary.click();
      const image = page.locator("details.machine img");
      await image.evaluate((i) => i.decode()); // throws where it is no picture
      const size = await image.evaluate((i) => [i.naturalWidth, i.naturalHeight, i.clientWidth]);
      assert.ok(
        size.every((n) => n > 100),
        `a picture of ${size}`,
      );
      await tab.shot("machine");
      await summary.click();
    },
  },

  everyNodeCanBeSeen: {
    run: async (page) => {
      const seen = await page.evaluate(
        async (nodes) => {
          const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
          const out = [];
          for (const node of nodes) {
            window.einkorn.centre(node);
            await window.whenSettled();
            const place = window.einkorn.placeOfNode(node);
            const canvas = document.querySelector(".picture canvas").getContext("2d");
            const [x, y] = [place.x + place.width / 2, place.y + place.height / 2].map(Math.round);
            const pixel = canvas.getImageData(x, y, 1, 1).data;
            out.push({ node, place, empty: pixel[0] === r && pixel[1] === g && pixel[2] === b });
          }
          return out;
        },
        sample(await hook(page, "e.nodes"), 24),
      );
      for (const { node, place, empty } of seen) {
        assert.ok(
          place.width >= 3 && place.height >= 1,
          `node ${node} is ${place.width} by ${place.height} pixels after zooming to it`,
        );
        assert.ok(!empty, `nothing is drawn where node ${node} is`);
      }
      await press(page, "0");
    },
  },

  clickSelectsAGrain: {
    run: async (page, expect) => {
      assert.equal(await page.locator("#grain").count(), 0);
      await page.fill("#search", expect.task_source);
      await page.press("#search", "Enter");
      await settled(page);
      const selected = await page.textContent("#grain h2");
      assert.ok(selected.includes(expect.task_source), `the panel says "${selected}"`);
      await page.keyboard.press("Escape"); // leaves the search box
      await page.evaluate(() => document.activeElement?.blur());
      // Now with the mouse, on a grain that is not selected.
      const nodes = await hook(page, "e.nodes");
      for (const node of sample(nodes, 200)) {
        const grain = await hook(page, `e.grainOfNode(${node})`);
        if (grain === 0xffffffff) continue;
        await hook(page, `e.centre(${node})`);
        await settled(page);
        await clickNode(page, node);
        await page.waitForSelector("#grain");
        const clicked = await page.textContent("#grain");
        assert.match(clicked, /execution/);
        if (!(await page.textContent("#grain h2")).includes(expect.task_source)) continue;
        const line = expect.task_source.split(":")[1];
        const cited = await page.locator("#grain .code .cited").allTextContents();
        assert.equal(cited.length, expect.no_source ? 0 : 1);
        for (const text of cited) assert.ok(text.startsWith(line), "the cited source line is marked");
        // The parent is a link, and its own panel opens.
        const parent = page.locator("#grain button[data-grain]").first();
        await parent.click();
        await settled(page);
        assert.notEqual(await page.textContent("#grain"), clicked);
        return;
      }
      assert.fail(`no grain of ${expect.task_source} among the nodes that were clicked`);
    },
  },

  searchFindsByLine: {
    run: async (page, expect) => {
      await press(page, "f");
      assert.equal(await page.evaluate(() => document.activeElement.id), "search", "f goes to the search box");
      const before = await fingerprint(page);
      await page.keyboard.type(expect.task_source);
      await settled(page);
      const found = await page.textContent("#found");
      assert.ok(expect.found > 1);
      assert.match(found, new RegExp(`^${words(expect.found)} grains found`));
      assert.notEqual(await fingerprint(page), before, "what was found is highlighted");
      const start = await hook(page, "e.view()");
      await page.keyboard.press("Enter");
      await settled(page);
      assert.match(await page.textContent("#found"), /^1 of /);
      const first = await page.textContent("#grain code");
      assert.notDeepEqual(await hook(page, "e.view()"), start, "Enter goes there");
      await page.keyboard.press("Enter");
      await settled(page);
      assert.notEqual(await page.textContent("#grain code"), first);
      // By id, as the panel shows it.
      await page.fill("#search", first);
      await settled(page);
      assert.match(await page.textContent("#found"), /^1 grain/);
      await page.fill("#search", "no such place:1");
      assert.match(await page.textContent("#found"), /^0 grains/);
    },
  },

  panAndZoomChangeThePicture: {
    run: async (page) => {
      const seen = new Set([await fingerprint(page)]);
      const fit = [...seen][0];
      const fresh = async (what) => {
        await settled(page);
        const now = await fingerprint(page);
        assert.ok(!seen.has(now), `${what} did not change the picture`);
        seen.add(now);
      };
      const box = await page.locator(".picture").boundingBox();
      const middle = [box.x + box.width / 2, box.y + box.height / 2];
      await page.mouse.move(...middle);
      await page.mouse.wheel(0, -300);
      await fresh("the wheel");
      await page.mouse.down();
      await page.mouse.move(middle[0] + 90, middle[1] + 60, { steps: 4 });
      await page.mouse.up();
      await fresh("dragging");
      for (const key of ["+", "d", "s", "ArrowLeft", "-"]) {
        await page.keyboard.press(key);
        await fresh(`key ${key}`);
      }
      await press(page, "0");
      assert.equal(await fingerprint(page), fit, "0 shows everything again");
    },
  },

  criticalPathIsRed: {
    run: async (page) => {
      const red = async () =>
        page.evaluate(() => {
          const canvas = document.querySelector(".picture canvas");
          const words = new Uint32Array(
            canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer,
          );
          let n = 0;
          for (const w of words) if ((w & 255) > 200 && ((w >> 8) & 255) < 60 && ((w >> 16) & 255) < 70) n++;
          return n;
        });
      assert.ok((await red()) > 20, "no red in the picture");
      await press(page, "c");
      assert.equal(await red(), 0, "still red after c");
      await press(page, "c");
      assert.ok((await red()) > 20, "c again shows it again");
    },
  },

  coloursAndTable: {
    run: async (page) => {
      const source = await fingerprint(page);
      for (const mode of ["kind", "thread", "node", "exec"]) {
        await page.selectOption("#colour", mode);
        await settled(page);
        assert.ok((await page.locator(".legend span").count()) > 1);
      }
      await page.selectOption("#colour", "source");
      await settled(page);
      assert.equal(await fingerprint(page), source);
      const rows = page.locator(".sources tbody tr");
      assert.ok((await rows.count()) > 0);
      await rows.first().click();
      await settled(page);
      assert.match(await page.textContent("#found"), /grains? found/);
      await rows.first().click();
      await settled(page);
      assert.equal(await fingerprint(page), source, "a second click shows everything again");
    },
  },

  addressKeepsTheView: {
    run: async (page, _expect, tab) => {
      await hook(page, `e.select(${Math.min(3, (await hook(page, "e.grains")) - 1)})`);
      await press(page, "+");
      await addressed(page);
      const view = await hook(page, "e.view()");
      const hash = await page.evaluate(() => location.hash);
      const panel = await page.textContent("#grain");
      await tab.reopen(hash);
      const there = await hook(page, "e.view()");
      assert.ok(
        Math.abs(there.x - view.x) <= 1 && Math.abs(there.y - view.y) <= 1 && Math.abs(there.zoom - view.zoom) < 0.01,
        `${JSON.stringify(there)} instead of ${JSON.stringify(view)}`,
      );
      assert.equal(await page.textContent("#grain"), panel);
    },
  },

  hostileNamesDoNothing: {
    run: async (page) => {
      for (let grain = 0; grain < Math.min(40, await hook(page, "e.grains")); grain++) {
        await hook(page, `e.select(${grain})`);
        await settled(page);
      }
      assert.equal(await page.evaluate(() => window.hacked), undefined, "a name ran as script");
      assert.equal(await page.locator("img, svg, iframe").count(), 0, "a name became markup");
      assert.equal(await page.locator("h1").textContent(), "script>", "the program's name is shown as text");
      const rows = await page.locator(".sources tbody").textContent();
      assert.ok(rows.includes("window.hacked=1"), "names are shown as text");
      assert.ok((await page.locator(".warnings li").count()) >= 2, "warnings are shown");
    },
  },

  sourceIsLeftOut: {
    run: async (page) => {
      await hook(page, "e.select(e.longestGrain())");
      assert.equal(await page.locator(".code").count(), 0);
      assert.match(await page.textContent("#grain"), /left out of this page \(--no-source\)/);
      assert.ok(!(await page.content()).includes("p.source(file"), "source text is in the page");
    },
  },
};
