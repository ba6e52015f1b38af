// node unit.mjs OUT [NAME...]: the tests beside the page's source (src/**/NAME.test.ts), with Node's own test runner.
// Node 18 reads no TypeScript: vite, which builds the page, makes scripts of them in OUT first.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const [out, ...only] = process.argv.slice(2);
if (!out) {
  console.error("usage: node unit.mjs OUT [NAME...]");
  process.exit(2);
}
const viewer = dirname(fileURLToPath(import.meta.url));
const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((e) =>
    e.isDirectory() ? filesIn(join(folder, e.name)) : [join(folder, e.name)],
  );
const source = join(viewer, "src");
const tests = filesIn(source).filter(
  (f) => f.endsWith(".test.ts") && (only.length === 0 || only.some((name) => f.endsWith(`/${name}.test.ts`))),
);
if (tests.length === 0) {
  console.error(`there is no test in ${source}`);
  process.exit(1);
}

const name = (file) => relative(source, file).replace(/\.ts$/, "");
rmSync(out, { recursive: true, force: true });
await build({
  root: viewer,
  configFile: false,
  logLevel: "warn",
  build: {
    ssr: true,
    outDir: resolve(out),
    emptyOutDir: false,
    minify: false,
    target: "node18",
    rollupOptions: {
      input: Object.fromEntries(tests.map((f) => [name(f), f])),
      output: { entryFileNames: "[name].mjs", chunkFileNames: "shared/[name]-[hash].mjs" },
    },
  },
});
// One process for all: starting them takes longer than they do.
const all = join(resolve(out), "all.mjs");
writeFileSync(all, tests.map((f) => `import "./${name(f)}.mjs";\n`).join(""));
const { status } = spawnSync(process.execPath, ["--test", all], { stdio: "inherit" });
process.exit(status ?? 1);
