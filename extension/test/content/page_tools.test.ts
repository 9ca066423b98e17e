import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ALIVE_MS } from "../../src/shared/limits";

const LAMP = {
  name: "find_lamp",
  description: "Find a lamp",
  inputSchema: { type: "object", properties: {} },
};

/** The document's tools, as the browser answers; null for never. */
function offer(tools: () => unknown[] | null): void {
  const context = {
    getTools: () => new Promise((resolve) => tools() && resolve(tools())),
    executeTool: () => Promise.resolve("found"),
  };
  Object.defineProperty(document, "modelContext", { value: context, configurable: true });
}

describe("a document's own tools", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.resetModules();
  });
  afterEach(() => {
    Reflect.deleteProperty(document, "modelContext");
    vi.useRealTimers();
  });

  it("are unknown where the browser doesn't say, and known once it does", async () => {
    const { listPageTools } = await import("../../src/content/page_tools");
    let answer: unknown[] | null = null;
    offer(() => answer);
    const first = listPageTools();
    await vi.advanceTimersByTimeAsync(ALIVE_MS);
    expect(await first).toEqual({ supported: true, tools: [], silent: [""] });
    const again = listPageTools();
    await vi.advanceTimersByTimeAsync(100);
    expect(await again).toEqual({ supported: true, tools: [], silent: [""] });
    answer = [LAMP];
    const [tool] = (await listPageTools()).tools;
    expect(tool).toMatchObject({ name: "find_lamp", description: "Find a lamp" });
    expect((await listPageTools()).silent).toEqual([]);
  });

  it("aren't called where the browser doesn't say which there are, and the reason is said", async () => {
    const { findPageTool } = await import("../../src/content/page_tools");
    offer(() => null);
    const call = findPageTool("find_lamp", {});
    const refused = expect(call).rejects.toMatchObject({ message: expect.stringContaining("doesn't say") });
    await vi.advanceTimersByTimeAsync(5_000);
    await refused;
    offer(() => [LAMP]);
    expect((await findPageTool("find_lamp", {})).waits).toBe(false);
  });

  it("aren't there where the browser has none", async () => {
    const { listPageTools } = await import("../../src/content/page_tools");
    expect(await listPageTools()).toEqual({ supported: false, tools: [], silent: [] });
  });
});
