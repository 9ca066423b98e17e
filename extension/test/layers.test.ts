// The layer rules of the extension: who may import whom, and where the `chrome` global may be used.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..", "src");

/** Every folder of `src` and the folders it may import from, besides itself. */
const allowed: Record<string, readonly string[]> = {
  protocol: [],
  shared: ["protocol"],
  engine: ["protocol", "shared"],
  hit_safety: ["protocol", "shared", "engine"],
  page: ["shared"],
  content: ["protocol", "shared", "engine", "hit_safety"],
  background: ["protocol", "shared", "engine", "hit_safety"],
  ui: ["protocol", "shared"],
};

/** Only these get hold of `chrome`; everything else takes what it needs as an argument. */
const entries = /^(background\/index|content\/index|content\/pair|ui\/[a-z_]+\/main)\.tsx?$/;

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((path) => path.split(sep).join("/"))
  .filter((path) => /\.tsx?$/.test(path));

const source = (path: string): string => readFileSync(join(root, path), "utf8");

/** Code without comments and string contents, so that words in prose do not count. */
function codeOf(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(^|[^:])\/\/.*$/gm, "$1")
    .replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
}

function importsOf(text: string): string[] {
  const pattern = /(?:\bfrom\s+|\bimport\s*\(?\s*)["']([^"']+)["']/g;
  return [...text.matchAll(pattern)].map((match) => match[1] as string);
}

function brokenImports(path: string, text: string): string[] {
  const layer = path.split("/")[0] as string;
  return importsOf(text)
    .filter((name) => name.startsWith("."))
    .map((name) =>
      relative(root, resolve(root, dirname(path), name))
        .split(sep)
        .join("/"),
    )
    .filter((target) => {
      const other = target.split("/")[0] as string;
      return other !== layer && !allowed[layer]?.includes(other);
    })
    .map((target) => `${path} imports ${target}`);
}

/** Types (`chrome.tabs.Tab`, `typeof chrome.tabs`) cost nothing; values must arrive as arguments. */
function usesChrome(text: string): boolean {
  const paths = codeOf(text).matchAll(/(?<![\w.$])(typeof\s+)?(?:globalThis\.)?chrome((?:\??\.\w+)+)/g);
  return [...paths].some((match) => !match[1] && !/\.[A-Z]/.test(match[2] as string));
}

describe("layers", () => {
  it("knows every folder", () => {
    const folders = new Set(files.map((path) => path.split("/")[0]));
    expect([...folders].filter((name) => !((name as string) in allowed))).toEqual([]);
    expect(files.length).toBeGreaterThan(4);
  });

  it("imports downward only", () => {
    expect(files.flatMap((path) => brokenImports(path, source(path)))).toEqual([]);
  });

  it("takes chrome as an argument outside entry files", () => {
    expect(files.filter((path) => !entries.test(path) && usesChrome(source(path)))).toEqual([]);
  });
});

/**
 * What the debugger may be asked for: no cookies, no storage, no security settings, and of traffic only
 * whether there is any, what is held while an agent or a skill acts, and what of it a person watches.
 */
const domains =
  /^(Accessibility|DOM|DOMDebugger|DOMSnapshot|Emulation|Input|Log|Page|Performance|Runtime|Target)$/;
const holding = ["continueRequest", "disable", "enable", "failRequest", "fulfillRequest", "requestPaused"];
const traffic = ["disable", "enable", "getRequestPostData", "requestWillBeSent", "setBypassServiceWorker"];
const messages = ["webSocketClosed", "webSocketCreated", "webSocketFrameSent"];
const watching = [
  "emulateNetworkConditions",
  "dataReceived",
  "getResponseBody",
  "requestServedFromCache",
  "responseReceived",
];
const recording = [
  ...["Fetch.continueResponse", "Fetch.getResponseBody"],
  ...["Network.loadingFailed", "Network.loadingFinished", "Network.setCacheDisabled"],
];
const tools = ["cancelInvocation", "disable", "enable", "invokeTool", "toolResponded"];

function protocolNames(text: string): string[] {
  return [...text.matchAll(/"([A-Z][A-Za-z]+\.[a-z][A-Za-z]+)"/g)].map((match) => match[1] as string);
}

describe("the debugger", () => {
  it("is asked for nothing but what reading and acting take", () => {
    const used = new Set(files.flatMap((path) => protocolNames(source(path))));
    expect(used.size).toBeGreaterThan(30);
    const odd = [...used].filter((name) => !domains.test(name.split(".")[0] as string));
    const known = [
      ...[...traffic, ...messages, ...watching].map((name) => `Network.${name}`),
      ...tools.map((name) => `WebMCP.${name}`),
    ];
    expect(odd.sort()).toEqual([...holding.map((name) => `Fetch.${name}`), ...known, ...recording].sort());
  });
});

describe("the rules themselves", () => {
  it("see an upward import", () => {
    expect(brokenImports("shared/a.ts", 'import { x } from "../engine/b";')).toEqual([
      "shared/a.ts imports engine/b",
    ]);
    expect(brokenImports("ui/popup/main.tsx", 'import "../../background/c";')).toHaveLength(1);
    expect(brokenImports("content/a.ts", 'export * from "../shared/d";')).toEqual([]);
  });

  it("see a use of chrome, but not a type or a word", () => {
    expect(usesChrome("await chrome.tabs.query({})")).toBe(true);
    expect(usesChrome("globalThis.chrome?.runtime")).toBe(true);
    expect(usesChrome('// chrome.tabs\nconst a = "chrome.tabs";')).toBe(false);
    expect(usesChrome("deps.chrome.tabs")).toBe(false);
    expect(usesChrome("function f(tab: chrome.tabs.Tab, api: typeof chrome.tabs) {}")).toBe(false);
  });
});
