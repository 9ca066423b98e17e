import { describe, expect, it, vi } from "vitest";
import { Listeners } from "../../../src/background/reading/listeners";
import { lookAhead } from "../../../src/background/reading/look_ahead";
import { Failure } from "../../../src/shared/errors";

describe("lookAhead", () => {
  it("does nothing in tabs that nobody asked about, and attaches nothing", async () => {
    const open = vi.fn();
    const listeners = new Listeners({ open }, { isAttached: () => true });
    const list = vi.fn(async () => []);
    await lookAhead({ documents: { list }, listeners }, 1);
    expect(list).not.toHaveBeenCalled();
    expect(open).not.toHaveBeenCalled();
  });

  it("leaves a tab alone whose debugger was taken away, until somebody asks", async () => {
    let attached = true;
    const open = vi.fn(async () => []);
    const listeners = new Listeners({ open }, { isAttached: () => attached });
    const list = vi.fn(async () => []);
    const deadline = { left: () => 100, signal: new AbortController().signal } as never;
    await listeners.refresh({ tab: 1, input: "trusted", deadline }, []);
    expect(listeners.isWatched(1)).toBe(true);
    open.mockClear();
    attached = false;
    await lookAhead({ documents: { list }, listeners }, 1);
    expect(list).not.toHaveBeenCalled();
    expect(open).not.toHaveBeenCalled();
    attached = true;
    await lookAhead({ documents: { list }, listeners }, 1);
    expect(list).toHaveBeenCalledOnce();
  });

  it("keeps quiet about pages that went away", async () => {
    const listeners = { isWatched: () => true, refresh: vi.fn() };
    const list = async (): Promise<never> => {
      throw new Failure("page_unreachable", "gone");
    };
    await expect(lookAhead({ documents: { list }, listeners }, 1)).resolves.toBeUndefined();
    expect(listeners.refresh).not.toHaveBeenCalled();
  });
});
