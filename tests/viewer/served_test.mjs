// node served_test.mjs EINKORN RECORDING MAX_GRAINS OUT.png [CHECK]: the page of `einkorn view`, of a recording that is too
// large for one page. From the whole to single grains and back: by double click, wheel and keys, by search, by a
// problem; what is highlighted goes along.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { addressed, openTab, settled, until, withBrowser } from "./browser.mjs";
import { hook } from "./tools.mjs";

const kHangs = 120000; // ms: no judgement of speed

const kOfProblems = "aProblemGoesAlong"; // for a recording of valid times: only where it is asked for
const [einkorn, recording, most, picture, only] = process.argv.slice(2);

async function serve() {
  const server = spawn(einkorn, ["view", "--max-grains", most, recording], { stdio: ["ignore", "pipe", "ignore"] });
  const address = await new Promise((resolve, reject) => {
    server.stdout.once("data", (line) => resolve(String(line).trim()));
    server.once("exit", (status) => reject(new Error(`einkorn view ended: ${status}`)));
  });
  return { address, end: () => server.kill("SIGTERM") };
}

// Without the view, which follows a #.
const address = (page) => page.url().replace(/#.*/, "");

// Does what opens another page, and waits until that one is drawn. The act itself is not waited for: the browser
// sometimes never says that it took what opened a page.
async function opens(page, act) {
  const before = address(page);
  let failure = null;
  act().catch((error) => (failure = error));
  for (const start = Date.now(); address(page) === before; ) {
    if (failure) throw failure;
    assert.ok(Date.now() - start < kHangs, `no other page was opened from ${before}`);
    await page.waitForTimeout(20);
  }
  for (const start = Date.now(); !(await page.evaluate(() => window.einkorn?.ready).catch(() => false)); ) {
    assert.ok(Date.now() - start < kHangs, `${page.url()} is not drawn`);
    await page.waitForTimeout(20);
  }
  await settled(page);
}

async function answered(page) {
  await until(page, "the server answers", () => !window.einkorn.asking());
  await settled(page);
}

// Turns the wheel until another page is there; a turn is not waited for, as above.
async function turnUntilItOpens(page, by, most) {
  const before = address(page);
  for (let i = 0; i < most && address(page) === before; i++) {
    page.mouse.wheel(0, by).catch(() => {});
    await page.waitForTimeout(30);
  }
}

// The middle of a node in the window.
async function middleOf(page, node) {
  const place = await hook(page, `e.placeOfNode(${node})`);
  const box = await page.locator(".picture").boundingBox();
  return { x: box.x + place.x + place.width / 2, y: box.y + place.y + place.height / 2 };
}

// The largest aggregate of the page, in the middle of the graph: this one opens with the timeline.
async function toAggregate(page) {
  if (!page.url().includes("part?")) await page.click("#view-graph");
  const node = await page.evaluate(() => {
    let best = 0;
    for (let i = 0; i < window.einkorn.nodes; i++)
      if (window.einkorn.members(i) > window.einkorn.members(best)) best = i;
    return best;
  });
  assert.ok((await hook(page, `e.members(${node})`)) > 10, "there is a large aggregate");
  await hook(page, `e.centre(${node})`);
  await settled(page);
  return node;
}

async function inTheMiddle(page) {
  const { x, y } = await middleOf(page, await hook(page, "e.selectedNode()"));
  const box = await page.locator(".picture").boundingBox();
  assert.ok(
    Math.abs(x - box.x - box.width / 2) < 30 && Math.abs(y - box.y - box.height / 2) < 60,
    "what was asked for is in the middle",
  );
}

// The picture is no empty one: the node's own colour, not the background's, is where it is.
async function isDrawn(page, node) {
  const { x, y } = await middleOf(page, node ?? (await hook(page, "e.selectedNode()")));
  const colours = await page.evaluate(
    ([px, py]) => {
      const canvas = document.querySelector(".picture canvas");
      const r = canvas.getBoundingClientRect();
      const at = Array.from(
        canvas
          .getContext("2d")
          .getImageData(Math.round(px - r.left), Math.round(py - r.top), 1, 1)
          .data.slice(0, 3),
      );
      return [at.join(), getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).join()];
    },
    [x, y],
  );
  assert.notEqual(colours[0], colours[1], "something is drawn where the node is");
}

const checks = {
  doubleClickOpensAndUGoesBack: async (page) => {
    const node = await toAggregate(page);
    const members = await hook(page, `e.members(${node})`);
    const place = await middleOf(page, node);
    await addressed(page);
    const here = { url: page.url(), view: await hook(page, "e.view()") };
    await opens(page, () => page.mouse.dblclick(place.x, place.y));
    const [, at, of] = /part\?first=\d+&count=\d+&at=(\d+)&of=(\d+)/.exec(page.url());
    assert.equal(Number(of), members, "it looks at all that the aggregate stands for");
    const inView = await hook(page, "e.nodesShown()");
    assert.ok(inView >= members, `${inView} nodes in view, of ${members}`);
    await isDrawn(
      page,
      await page.evaluate(
        (first) => [...Array(window.einkorn.nodes).keys()].find((n) => window.einkorn.firstOf(n) === first),
        Number(at),
      ),
    );
    await page.screenshot({ path: picture });
    await page.evaluate(() => document.activeElement?.blur());
    await opens(page, () => page.keyboard.press("u"));
    const view = await hook(page, "e.view()");
    assert.equal(address(page), here.url.replace(/#.*/, ""));
    assert.ok(
      Math.abs(view.x - here.view.x) < 2 &&
        Math.abs(view.y - here.view.y) < 2 &&
        Math.abs(view.zoom - here.view.zoom) < 0.01,
      "at the place that was left",
    );
  },

  theWheelOpensAndLeaves: async (page) => {
    const node = await toAggregate(page);
    const at = await middleOf(page, node);
    await page.mouse.move(at.x, at.y);
    await opens(page, () => turnUntilItOpens(page, -200, 40));
    assert.match(page.url(), /part\?/);
    await opens(page, () => turnUntilItOpens(page, 200, 60));
    assert.ok(!page.url().includes("part?"));
  },

  theBrowsersOwnWayBack: async (page) => {
    const whole = address(page);
    for (let i = 0; i < 2; i++) {
      // the page that is come back to opens parts as before
      const { x, y } = await middleOf(page, await toAggregate(page));
      await opens(page, () => page.mouse.dblclick(x, y));
      await opens(page, () => page.goBack());
      assert.equal(address(page), whole);
    }
  },

  aSilentServerIsSaid: async (page, trouble) => {
    const asked = /\/(find|where)\?/;
    await page.route(asked, (route) => route.abort());
    await page.fill("#search", "task");
    await answered(page);
    assert.equal(await page.textContent("#elsewhere"), "not all counted");
    const node = await toAggregate(page);
    const place = await middleOf(page, node);
    const before = address(page),
      errors = trouble.length;
    await page.mouse.dblclick(place.x, place.y);
    for (const start = Date.now(); trouble.length === errors; ) {
      assert.ok(Date.now() - start < kHangs, "nothing was asked");
      await page.waitForTimeout(20);
    }
    await settled(page);
    assert.equal(address(page), before);
    assert.equal(await page.evaluate(() => document.documentElement.style.cursor), "", "it waits no longer");
    assert.ok(
      trouble.every((t) => t.includes("ERR_FAILED")),
      trouble.join("; "),
    );
    trouble.length = 0;
    // It answers again.
    await page.unroute(asked);
    await page.fill("#search", "");
    await page.fill("#search", "task");
    await answered(page);
    assert.doesNotMatch(await page.textContent("#elsewhere"), /not all/);
    await opens(page, () => page.mouse.dblclick(place.x, place.y));
  },

  neighboursFollowEachOther: async (page) => {
    const node = await toAggregate(page);
    await hook(page, `e.selectNode(${node})`);
    await page.evaluate(() => document.activeElement?.blur());
    await opens(page, () => page.keyboard.press("Enter"));
    const [, first, count] = /first=(\d+)&count=(\d+)/.exec(page.url()).map(Number);
    await opens(page, () => page.click("#part-after"));
    const [, nextFirst, nextCount] = /first=(\d+)&count=(\d+)/.exec(page.url()).map(Number);
    assert.ok(
      nextFirst <= first + count && nextFirst + nextCount > first + count,
      `${first}+${count}, then ${nextFirst}+${nextCount}`,
    );
    await isDrawn(page);
    await opens(page, () => page.click("#part-before"));
    await opens(page, () => page.click("#part a"));
    assert.ok(!page.url().includes("part?"));
  },

  everyGrainIsFound: async (page) => {
    await page.fill("#search", "task");
    await answered(page);
    const tasks = Number(/([\d,]+) tasks/.exec(await page.textContent(".counts"))[1].replace(/,/g, ""));
    assert.match(await page.textContent("#found"), new RegExp(`^${tasks.toLocaleString("en-US")} grains found`));
    // Into a part: the search goes along, and counts that part's.
    await opens(page, () => page.click("#elsewhere"));
    await answered(page);
    assert.equal(await page.inputValue("#search"), "task");
    const found = Number(/^([\d,]+) grains? found/.exec(await page.textContent("#found"))[1].replace(/,/g, ""));
    assert.ok(found > 3 && found < tasks, `${found} of ${tasks}`);
    assert.match(
      await page.textContent("#elsewhere"),
      new RegExp(`^${tasks.toLocaleString("en-US")} in the recording`),
    );
    // One of them by its name, from the whole.
    const node = await page.evaluate(() => {
      for (let n = window.einkorn.nodes - 1; n > 0; n--)
        if (window.einkorn.members(n) === 1 && window.einkorn.grainOfNode(n) !== 0xffffffff) return n;
      return -1;
    });
    const id = await hook(page, `e.idOf(e.grainOfNode(${node}))`);
    await opens(page, () => page.click("#part a"));
    await page.fill("#search", id);
    await answered(page);
    assert.match(await page.textContent("#found"), /^1 grain found/);
    if (await page.locator("#elsewhere").count()) await opens(page, () => page.click("#elsewhere"));
    else await page.press("#search", "Enter");
    await settled(page);
    assert.equal(await hook(page, "e.idOf(e.selected())"), id);
    await inTheMiddle(page);
    await isDrawn(page);
  },

  [kOfProblems]: async (page) => {
    assert.ok((await hook(page, "e.problems")) > 0, "so many small tasks are a problem");
    await page.locator("#problems .head", { hasText: "tasks too fine" }).first().click(); // others are about no grains
    await answered(page);
    const of = Number(/([\d,]+) grains? found/.exec(await page.textContent("#found"))[1].replace(/,/g, ""));
    assert.ok(
      of > (await hook(page, "e.grains")),
      `the problem's grains are counted where they are not drawn, too: ${of}`,
    );
    await opens(page, () => page.click("#elsewhere"));
    await answered(page);
    assert.ok((await hook(page, "e.lit()")) > 0);
    assert.ok(await page.locator("#problems .problem.on").count());
  },
};

const server = await serve();
let failures = 0;
try {
  await withBrowser(
    async (context) => {
      const { page, trouble, open } = await openTab(context);
      for (const [name, check] of Object.entries(checks)) {
        if (only ? name !== only : name === kOfProblems) continue;
        const began = performance.now();
        try {
          await open(server.address);
          await settled(page);
          assert.match(await page.textContent(".status .cut"), /more than a page can draw/);
          await check(page, trouble);
          if (trouble.length) throw new Error(trouble.join("; "));
          console.log(`ok    ${name} (${(performance.now() - began).toFixed()} ms)`);
        } catch (error) {
          failures++;
          console.log(`FAIL  ${name}: ${error.message}`);
          await page.screenshot({ path: picture.replace(/\.png$/, `.${name}.png`) }).catch(() => {});
        }
        trouble.length = 0;
      }
    },
    { served: true },
  );
} finally {
  server.end();
}
process.exit(failures === 0 ? 0 : 1);
