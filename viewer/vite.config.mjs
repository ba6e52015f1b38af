// One file out: script, worker and style inside index.html, which the einkorn tool fills with a recording's data.
import { createHash } from "node:crypto";
import { defineConfig } from "vite";

// Puts the bundle into the page and allows exactly that script by its hash: text that slips out of the data cannot run.
function oneFile() {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      const only = (kind) => {
        const found = Object.keys(bundle).filter((name) => name.endsWith(kind));
        if (found.length !== 1)
          throw new Error(`expected one ${kind} in the bundle, got: ${found.join(", ") || "none"}`);
        const file = bundle[found[0]];
        delete bundle[found[0]];
        return String(file.type === "chunk" ? file.code : file.source);
      };
      const script =
        "\n" +
        only(".js")
          .replace(/<\/script/gi, "<\\/script")
          .replace(/<!--/g, "<\\!--");
      const style = only(".css").replace(/<\/style/gi, "<\\/style");
      const hash = createHash("sha256").update(script).digest("base64");
      let html = String(page.source)
        .replace(/<script type="module"[^>]*><\/script>\s*/g, "")
        .replace(/<link rel="stylesheet"[^>]*>\s*/g, "");
      const put = (mark, text) => {
        if (!html.includes(mark)) throw new Error(`index.html lacks ${mark}`);
        html = html.replace(mark, () => text);
      };
      put("@SCRIPT_HASH@", `sha256-${hash}`);
      put("<!--style-->", `<style>${style}</style>`);
      put("<!--script-->", `<script type="module">${script}</script>`);
      page.source = html;
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [oneFile()],
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    target: "es2021",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1e8,
    chunkSizeWarningLimit: 1000,
  },
  worker: { format: "iife" },
});
