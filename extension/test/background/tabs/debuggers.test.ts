import { describe, expect, it } from "vitest";
import { Deadline } from "../../../src/background/deadline";
import { type DebuggerApi, Debuggers } from "../../../src/background/tabs/debuggers";
import { InputBlocker } from "../../../src/hit_safety/input_blocker";

/** chrome.debugger of a tab that somebody is attached to already: ourselves before a restart, or somebody else. */
function attachedBy(who: "us" | "another"): DebuggerApi {
  return {
    attach: async () => {
      throw new Error("Another debugger is already attached to the tab with id: 7.");
    },
    detach: async () => undefined,
    sendCommand: async () => {
      if (who === "another") throw new Error("Debugger is not attached to the tab with id: 7.");
      return {};
    },
  } as unknown as DebuggerApi;
}

describe("a tab that is debugged already", () => {
  it("12: is taken over where it was this extension before its worker was restarted", async () => {
    const debuggers = new Debuggers(attachedBy("us"), new InputBlocker());
    await debuggers.ensure(7);
    expect(debuggers.isAttached(7)).toBe(true);
    await debuggers.send(7, "Page.captureScreenshot", {}, new Deadline(1000, "screenshot"));
  });

  it("12: is explained where it is DevTools or another extension", async () => {
    const debuggers = new Debuggers(attachedBy("another"), new InputBlocker());
    const failure = await debuggers.ensure(7).catch((error) => error);
    expect(failure.code).toBe("debugger_unavailable");
    expect(failure.hint).toContain("the other extension that debugs");
    expect(debuggers.isAttached(7)).toBe(false);
  });

  it("14: is not attached again by itself after the user pressed Cancel", async () => {
    const debuggers = new Debuggers(attachedBy("us"), new InputBlocker());
    await debuggers.ensure(7);
    debuggers.detached(7, "canceled_by_user");
    const failure = await debuggers.ensure(7).catch((error) => error);
    expect(failure.message).toContain("The user ended debugging");
    debuggers.forget(7);
    await debuggers.ensure(7);
    expect(debuggers.isAttached(7)).toBe(true);
  });
});
