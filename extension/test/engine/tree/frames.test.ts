import { describe, expect, it } from "vitest";
import { FrameNonces, keyOf, postKey, randomKey } from "../../../src/engine/dom/tree/frames";

const KEY = "0123456789abcdef0123456789abcdef";

const message = (data: unknown, source: unknown): MessageEvent => ({ data, source }) as MessageEvent;
const framed = (parent: object): Window => ({ parent }) as unknown as Window;

describe("the frame handshake", () => {
  it("takes a key from a child's window only", () => {
    const here = {} as Window;
    expect(keyOf(message({ skillbook: KEY }, framed(here)), here)).toBe(KEY);
    expect(keyOf(message({ skillbook: KEY }, framed(framed(here))), here)).toBeNull();
    expect(keyOf(message({ skillbook: KEY }, null), here)).toBeNull();
  });

  it("takes nothing that a top window, whose parent is itself, sends itself", () => {
    const top = {} as { parent?: object };
    top.parent = top;
    expect(keyOf(message({ skillbook: KEY }, top), top as unknown as Window)).toBeNull();
  });

  it.each([null, "text", 5, {}, { skillbook: 5 }, { skillbook: "short" }, { skillbook: `${KEY}"` }])(
    "ignores %j",
    (data) => {
      const here = {} as Window;
      expect(keyOf(message(data, framed(here)), here)).toBeNull();
    },
  );

  it("posts a key to the document around it, where there is one", () => {
    const posted: unknown[] = [];
    const parent = { postMessage: (data: unknown) => posted.push(data) } as { parent?: object };
    parent.parent = parent;
    postKey(framed(parent), KEY);
    postKey(parent as unknown as Window, KEY);
    expect(posted).toEqual([{ skillbook: KEY }]);
  });

  it("keeps one number a window", () => {
    const nonces = new FrameNonces();
    const frame = {};
    const nonce = nonces.of(frame);
    expect(nonces.of(frame)).toBe(nonce);
    expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(randomKey()).not.toBe(randomKey());
  });
});
