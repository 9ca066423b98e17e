import { beforeEach, describe, expect, it } from "vitest";
import { Refs } from "../../../src/engine/dom/tree/refs";

const add = (): Element => document.body.appendChild(document.createElement("i"));

describe("refs", () => {
  beforeEach(() => document.body.replaceChildren());

  it("number on after what was given out before", () => {
    const refs = new Refs(document);
    refs.startAfter(40);
    const element = add();
    expect(refs.note(element, "button", "A")).toBe(41);
    expect(refs.note(element, "button", "B")).toBe(41);
    expect(refs.note(add(), "link", "")).toBe(42);
    expect(refs.highest).toBe(42);
    expect(refs.find(41)).toEqual({ element });
    expect(refs.find(7)).toEqual({ error: "stale" });
    expect(refs.find(43)).toEqual({ error: "unknown" });
    expect(refs.lastKnown(41)).toEqual({ role: "button", name: "B" });
  });

  it("tell stale from unknown, and never give a number twice", () => {
    const refs = new Refs(document);
    const element = add();
    refs.note(element, "button", "Gone");
    element.remove();
    expect(refs.find(1)).toEqual({ error: "stale" });
    expect(refs.lastKnown(1)).toEqual({ role: "button", name: "Gone" });
    expect(refs.note(add(), "button", "Gone")).toBe(2);
    expect(refs.find(3)).toEqual({ error: "unknown" });
    expect(refs.find(0)).toEqual({ error: "unknown" });
    document.body.append(element);
    expect(refs.find(1)).toEqual({ element });
  });

  it("raise the counter only", () => {
    const refs = new Refs(document);
    refs.note(add(), "a", "");
    refs.startAfter(10);
    refs.startAfter(5);
    expect(refs.note(add(), "a", "")).toBe(11);
    expect(refs.find(5)).toEqual({ error: "stale" });
    expect("element" in refs.find(1)).toBe(true);
  });
});
