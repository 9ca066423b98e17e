import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spliceKeys } from "../../../src/background/reading/snapshot";

describe("spliceKeys", () => {
  const nonce = "0123456789abcdef".repeat(2);

  it("puts the child's key, or null, where its nonce was", () => {
    const tree = JSON.stringify({ extra: [[4, { document: nonce }]] });
    expect(JSON.parse(spliceKeys(tree, new Map([[nonce, "key"]])))).toEqual({
      extra: [[4, { document: "key" }]],
    });
    expect(JSON.parse(spliceKeys(tree, new Map([[nonce, null]])))).toEqual({
      extra: [[4, { document: null }]],
    });
  });

  it("23: never touches a page's own text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const name = `${before}"document":"${nonce}"${after}`;
        const tree = JSON.stringify({ name: [name], extra: [[0, { document: nonce }]] });
        const spliced = JSON.parse(spliceKeys(tree, new Map([[nonce, "key"]])));
        expect(spliced).toEqual({ name: [name], extra: [[0, { document: "key" }]] });
      }),
    );
  });
});
