// Builds the engine as one page script (dist-test/engine.js, or the file given) for tests in a real browser.
import { basename, dirname, join, resolve } from "node:path";
import { build } from "vite";

const here = import.meta.dirname;
const target = resolve(process.argv[2] ?? join(here, "..", "..", "dist-test", "engine.js"));

await build({
  configFile: false,
  root: here,
  publicDir: false,
  logLevel: "warn",
  build: {
    target: "chrome120",
    outDir: dirname(target),
    emptyOutDir: false,
    modulePreload: false,
    rolldownOptions: {
      input: join(here, "entry.ts"),
      output: { format: "iife", entryFileNames: basename(target), codeSplitting: false },
    },
  },
});
