// First pass: one node for each, in tiers, joined by backend id.
import { describe, expect, it } from "vitest";
import { factsOf } from "../../../src/engine/cdp/ax";
import { listens } from "../../../src/engine/cdp/tree";
import { facts, rowsOf, type Spec, treeOf } from "./captured";

describe("tiers", () => {
  it("are told by accessibility, then by heuristics, else structural", () => {
    const page = treeOf(
      [
        { tag: "div", id: 5, children: [{ tag: "button", id: 6 }] },
        { tag: "div", id: 7, clickable: true },
        { tag: "div", id: 8, cursor: "pointer" },
        { tag: "div", id: 9, attributes: { "data-testid": "x" } },
      ],
      new Map([
        [5, facts("generic")],
        [6, facts("button", "Go")],
      ]),
    );
    const tier = (id: number) => page.elements.get(id)?.tier;
    expect([5, 6, 7, 8, 9].map(tier)).toEqual([
      "structural",
      "semantic",
      "interactive",
      "interactive",
      "interactive",
    ]);
    // html and body beside the outer div.
    expect(page.tiers).toEqual({ semantic: 1, interactive: 3, structural: 3 });
    expect(Object.isFrozen(page)).toBe(true);
  });
});

describe("listeners", () => {
  const buttons = (count: number): Spec[] =>
    Array.from({ length: count }, (_, i) => ({
      tag: "button",
      id: 20 + i,
      clickable: true,
      box: [0, 0, 9, 9],
    }));

  it("make an element actionable, and say so", () => {
    const [row] = rowsOf(treeOf([{ tag: "div", clickable: true, children: ["Open"] }]));
    expect(row?.extra.why).toEqual(["listener"]);
    expect(row?.name).toBe("Open");
  });

  it("on what holds many controls are for those", () => {
    const page = treeOf([{ tag: "div", id: 5, clickable: true, children: buttons(3) }]);
    const outer = page.elements.get(5);
    expect(outer && listens(outer)).toBe(false);
    const card = treeOf([{ tag: "div", id: 5, clickable: true, children: buttons(1) }]).elements.get(5);
    expect(card && listens(card)).toBe(true);
  });

  it("don't count where everything can be edited", () => {
    const inner: Spec = { tag: "p", id: 6, clickable: true };
    const page = treeOf([{ tag: "div", attributes: { contenteditable: "" }, children: [inner] }]);
    const element = page.elements.get(6);
    expect(element && listens(element)).toBe(false);
  });
});

describe("shadow roots", () => {
  it("open or closed take the place of children, which go to their slots", () => {
    const host: Spec = {
      tag: "x-card",
      mode: "closed",
      shadow: [
        { tag: "slot", attributes: { name: "title" }, unlaid: true },
        { tag: "button", attributes: { "aria-label": "inside" } },
      ],
      children: ["unassigned", { tag: "h2", id: 5, attributes: { slot: "title" }, children: ["Card"] }],
    };
    const rows = rowsOf(treeOf([host], new Map([[5, facts("heading", "Card")]])));
    expect(rows.map(({ role, name }) => [role, name])).toEqual([
      ["generic", ""],
      ["heading", "Card"],
      ["button", "inside"],
    ]);
  });

  it("of the browser's own controls are not looked into", () => {
    const field: Spec = { tag: "input", mode: "user-agent", shadow: [{ tag: "div", children: ["typed"] }] };
    expect(rowsOf(treeOf([field])).map((row) => row.role)).toEqual(["textbox"]);
  });
});

describe("accessibility facts", () => {
  const value = (text: string) => ({ value: text });

  it("leave out what is ignored", () => {
    expect(factsOf([{ ignored: true, backendDOMNodeId: 5, role: value("none") }]).size).toBe(0);
  });

  it("name roles as ARIA does, or not at all", () => {
    const role = (name: string) =>
      factsOf([{ ignored: false, backendDOMNodeId: 5, role: value(name) }]).get(5)?.role;
    expect([
      role("image"),
      role("DisclosureTriangle"),
      role("Date"),
      role("LabelText"),
      role("link"),
    ]).toEqual(["img", "button", "textbox", null, "link"]);
  });

  it("know where a name came from", () => {
    const sources = [
      { type: "relatedElement", attribute: "aria-labelledby" },
      { type: "attribute", attribute: "title", superseded: true, value: value("tip") },
      {
        type: "relatedElement",
        value: value("Mail"),
        nativeSourceValue: { relatedNodes: [{ backendDOMNodeId: 9 }] },
      },
    ];
    const found = factsOf([
      { ignored: false, backendDOMNodeId: 5, role: value("textbox"), name: { value: " Mail ", sources } },
    ]).get(5);
    expect(found).toMatchObject({ name: "Mail", from: "native", named: [9] });
  });
});
