import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { State } from "../../src/shared/state";

const SNAPSHOT = resolve(import.meta.dirname, "../../../skillbook/protocol/snapshot.py");

it("numbers the flags as the kernel does", () => {
  const found = [...readFileSync(SNAPSHOT, "utf8").matchAll(/^ {4}([A-Z]+) = 1 << (\d+)$/gm)];
  const flags = Object.fromEntries(found.map(([, name, bit]) => [name, 1 << Number(bit)]));
  expect(found.length).toBeGreaterThan(20);
  expect(State).toEqual(flags);
});
