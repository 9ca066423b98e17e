// What the extension may send to the debugger is in one table, and it sends nothing else.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { METHODS, onlyListed } from "../src/background/tabs/cdp_methods";

const SOURCE = join(import.meta.dirname, "..", "src");
const TABLE = "cdp_methods.ts";
const NAME = /["'`]([A-Z][A-Za-z]+\.[a-z][A-Za-z]+)["'`]/g;
/** What the protocol reports, and a property that looks like a command. */
const EVENTS = new Set(
  `Fetch.requestPaused Input.dragIntercepted Log.entryAdded Network.loadingFailed Network.loadingFinished
  Network.requestWillBeSent Network.requestServedFromCache Network.responseReceived Network.dataReceived
  Network.webSocketClosed Network.webSocketCreated Network.webSocketFrameSent
  Page.downloadWillBegin Page.fileChooserOpened Page.frameDetached Page.frameNavigated Page.frameRequestedNavigation
  Page.javascriptDialogClosed Page.javascriptDialogOpening Page.windowOpen Runtime.bindingCalled
  Runtime.consoleAPICalled Runtime.exceptionThrown Runtime.executionContextCreated
  Runtime.executionContextDestroyed Runtime.executionContextsCleared Target.attachedToTarget
  Target.detachedFromTarget WebMCP.toolResponded PerformanceNavigationTiming.responseStatus`.split(/\s+/),
);

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(TABLE) && !name.endsWith("generated.ts"))
  .map((name) => ({ name, text: readFileSync(join(SOURCE, name), "utf8") }));
const named = new Set(
  files.flatMap(({ text }) => [...text.matchAll(NAME)].map(([, name]) => name as string)),
);

describe("commands of the DevTools protocol", () => {
  it("are all in the table, with a reason", () => {
    expect([...named].filter((name) => !(name in METHODS) && !EVENTS.has(name))).toEqual([]);
    expect(Object.values(METHODS).filter((reason) => !reason)).toEqual([]);
  });

  it("are in the table only if they are sent", () => {
    expect(Object.keys(METHODS).filter((name) => !named.has(name))).toEqual([]);
  });

  it("reach the browser only through the table", () => {
    const uses = files.flatMap(
      ({ text }) => text.match(/.*\bchrome\.debugger\b(?!\.on(Event|Detach)).*/g) ?? [],
    );
    const open = uses.filter(
      (line) => !/typeof chrome\.debugger|onlyListed\(chrome\.debugger\)|^\s*(\/\/|\/?\*)/.test(line),
    );
    expect(open).toEqual([]);
  });

  it("that aren't in the table are refused", async () => {
    const sent: string[] = [];
    const api = {
      attach: async () => {},
      detach: async () => {},
      sendCommand: async (_: object, method: string) => void sent.push(method),
    };
    const listed = onlyListed(api as never);
    await expect(listed.sendCommand({ tabId: 1 }, "Storage.getCookies")).rejects.toThrow(/may not send/);
    await listed.sendCommand({ tabId: 1 }, "Fetch.disable");
    expect(sent).toEqual(["Fetch.disable"]);
  });
});
