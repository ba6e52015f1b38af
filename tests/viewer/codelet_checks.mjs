// The picture of a program's codelets: page_test.mjs runs this with the checks of checks.mjs.
import assert from "node:assert/strict";
import { settled } from "./browser.mjs";
import { hook } from "./tools.mjs";

const written = (n) => n.toLocaleString("en-US");

export const codeletChecks = {
  codeletsAsAPicture: {
    run: async (page, expect, tab) => {
      assert.ok(expect.codelets.length > 0, "the recording has codelets");
      await page.keyboard.press("6");
      await page.waitForSelector("#codelets");
      assert.equal(await page.locator("#codelet-graph option").count(), expect.codelets.length);
      for (const [i, graph] of expect.codelets.entries()) {
        await page.selectOption("#codelet-graph", String(i));
        const boxes = page.locator("#codelets [data-codelet]");
        assert.equal(await boxes.count(), graph.codelets.length);
        const places = [];
        for (const [c, codelet] of graph.codelets.entries()) {
          const text = await boxes.nth(c).locator("text").allTextContents();
          assert.ok(text.join(" ").includes(`${written(codelet.executed)} x`), `${text}: ${codelet.executed}`);
          if (codelet.line) assert.ok(text[0].endsWith(`:${codelet.line}`), `${text[0]} is line ${codelet.line}`);
          if (codelet.at > 0) assert.ok(text.includes(`at ${codelet.at}`), text.join(" "));
          places.push(await boxes.nth(c).locator(".box").boundingBox());
        }
        // None lies on another.
        for (const [a, one] of places.entries())
          for (const other of places.slice(a + 1))
            assert.ok(Math.abs(one.x - other.x) >= one.width || Math.abs(one.y - other.y) >= one.height);
        const arcs = await page.$$eval("#codelets [data-arc] text", (all) => all.map((t) => t.textContent));
        assert.deepEqual(
          arcs,
          graph.arcs.map((a) => written(a.count)),
        );
      }
      // A click says what it is; the address keeps it; from there to its grains.
      const last = expect.codelets.at(-1);
      const box = page.locator('#codelets [data-codelet="0"]');
      await box.click();
      assert.match(await page.textContent("#codelet"), new RegExp(written(last.codelets[0].executed)));
      await tab.shot("codelets");
      const address = await hook(page, "e.address()");
      await tab.reopen(address);
      await page.waitForSelector('#codelets [data-codelet="0"].on');
      assert.equal(await page.locator("#codelets [data-codelet]").count(), last.codelets.length);
      await page.locator("#codelet-grains").click();
      await settled(page);
      assert.ok((await hook(page, "e.lit()")) > 0, "its grains light up");
      // And from a grain to the picture.
      await page.keyboard.press("n");
      await settled(page);
      await page.locator("#to-codelets").first().click();
      await page.waitForSelector("#codelets");
      // A fragment of a procedure's instance says which stretch it is of.
      if (last.kind === "procedure") {
        await page.keyboard.press("1");
        await settled(page);
        assert.match(await page.textContent("#grain"), /of its stretch \d+: (begins|goes on at \d+)/);
        await page.keyboard.press("6");
      }
      const name = await page.$eval("#codelet-graph", (s) => s.options[s.selectedIndex].textContent);
      assert.equal(name, `${last.kind} ${last.name}`);
    },
  },
};
