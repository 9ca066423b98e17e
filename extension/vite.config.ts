import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { type BuildEnvironmentOptions, defineConfig } from "vite";

const src = (path: string): string => resolve(import.meta.dirname, "src", path);

/** A script in one file, without chunks: what `chrome.scripting` and the manifest can load. */
const script = (name: string, entry: string, format: "es" | "iife"): BuildEnvironmentOptions => ({
  modulePreload: false,
  rolldownOptions: {
    input: src(entry),
    output: { format, entryFileNames: `${name}.js`, codeSplitting: false },
  },
});

/** React pages; `build.mjs` lifts each `NAME/index.html` to `NAME.html`. */
const pages = (...names: string[]): BuildEnvironmentOptions => ({
  modulePreload: { polyfill: false },
  rolldownOptions: { input: names.map((name) => src(`ui/${name}/index.html`)) },
});

/** What a notebook's widgets are, as one module with one style sheet; Preact is a tenth of React, and each widget carries it. */
const notebook: BuildEnvironmentOptions = {
  modulePreload: false,
  cssCodeSplit: false,
  rolldownOptions: {
    input: src("ui/notebook/index.tsx"),
    preserveEntrySignatures: "strict",
    output: {
      format: "es",
      entryFileNames: "panel.js",
      assetFileNames: "panel[extname]",
      codeSplitting: false,
    },
  },
};

const PREACT = {
  "react/jsx-runtime": "preact/jsx-runtime",
  "react-dom/client": "preact/compat/client",
  "react-dom": "preact/compat",
  react: "preact/compat",
};

/** One build a mode: `build.mjs` runs them all. */
const builds: Record<string, BuildEnvironmentOptions> = {
  pages: pages("popup", "confirm", "side_panel"),
  background: script("background", "background/index.ts", "es"),
  content: script("content", "content/index.ts", "iife"),
  causes: script("causes", "page/index.ts", "iife"),
  pair: script("pair", "content/pair.ts", "iife"),
  databases: script("databases", "content/databases/index.ts", "iife"),
  notebook,
};

export default defineConfig(({ mode }) => ({
  root: src("ui"),
  publicDir: false,
  logLevel: "warn",
  plugins: mode === "pages" || mode === "notebook" ? [react()] : [],
  resolve: { alias: mode === "notebook" ? PREACT : {} },
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: { target: "chrome120", emptyOutDir: false, ...builds[mode] },
}));
