import { describe, expect, it } from "vitest";
import { FrameNonces, nonceOf, randomKey } from "../../../src/engine/dom/tree/frames";

const NONCE = "0123456789abcdef0123456789abcdef";

const child = (parent: object): Window => ({ parent }) as unknown as Window;

const message = (data: unknown, source: unknown): MessageEvent => ({ data, source }) as MessageEvent;

describe("the frame handshake", () => {
  it("takes a number from the parent window only", () => {
    const parent = {};
    const window = child(parent);
    expect(nonceOf(message({ skillbook: NONCE }, parent), window)).toBe(NONCE);
    expect(nonceOf(message({ skillbook: NONCE }, {}), window)).toBeNull();
    expect(nonceOf(message({ skillbook: NONCE }, window), window)).toBeNull();
    expect(nonceOf(message({ skillbook: NONCE }, null), window)).toBeNull();
  });

  it("takes nothing in a top window, whose parent is itself", () => {
    const top = {} as { parent?: object };
    top.parent = top;
    expect(nonceOf(message({ skillbook: NONCE }, top), top as unknown as Window)).toBeNull();
  });

  it.each([null, "text", 5, {}, { skillbook: 5 }, { skillbook: "short" }, { skillbook: `${NONCE}"` }])(
    "ignores %j",
    (data) => {
      const parent = {};
      expect(nonceOf(message(data, parent), child(parent))).toBeNull();
    },
  );

  it("keeps one number an iframe and posts it every time", () => {
    const posted: unknown[] = [];
    const frame = { contentWindow: { postMessage: (data: unknown) => posted.push(data) } };
    const nonces = new FrameNonces();
    const nonce = nonces.greet(frame as unknown as HTMLIFrameElement);
    expect(nonces.greet(frame as unknown as HTMLIFrameElement)).toBe(nonce);
    expect(posted).toEqual([{ skillbook: nonce }, { skillbook: nonce }]);
    expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(randomKey()).not.toBe(randomKey());
  });
});
