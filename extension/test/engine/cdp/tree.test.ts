// First pass: one node for each, in tiers, joined by backend id.
import { describe, expect, it } from "vitest";
import { factsOf } from "../../../src/engine/cdp/ax";
import { facts, rowsOf, type Spec, treeOf } from "./captured";

describe("tiers", () => {
  it("follow accessibility, then heuristics; what is layout alone is left out", () => {
    const page = treeOf(
      [
        { tag: "div", id: 5, children: [{ tag: "button", id: 6 }] },
        { tag: "div", id: 7, listens: true, children: ["Listens"] },
        { tag: "div", id: 8, cursor: "pointer", children: ["Points"] },
        { tag: "div", id: 9, attributes: { "data-testid": "x" }, children: ["Tested"] },
        { tag: "div", id: 10, children: ["Plain"] },
      ],
      new Map([
        [5, facts(null)],
        [6, facts("button", "Go")],
      ]),
    );
    expect(rowsOf(page).map(({ number, role, name }) => [number, role, name])).toEqual([
      [6, "button", "Go"],
      [7, "generic", "Listens"],
      [8, "generic", "Points"],
      [9, "generic", ""],
      [0, "text", "Tested"],
      [0, "text", "Plain"],
    ]);
  });
});

describe("listeners", () => {
  const buttons = (count: number): Spec[] =>
    Array.from({ length: count }, (_, i) => ({
      tag: "button",
      id: 20 + i,
      listens: true,
      box: [0, 0, 9, 9],
    }));

  it("make an element actionable, and say so", () => {
    const [row] = rowsOf(treeOf([{ tag: "div", listens: true, children: ["Open"] }]));
    expect(row?.extra.why).toEqual(["listener"]);
    expect(row?.name).toBe("Open");
  });

  it("on what holds many controls are for those", () => {
    const ax = new Map(buttons(3).map(({ id }) => [id as number, facts("button", "Go")]));
    const why = (count: number) =>
      rowsOf(treeOf([{ tag: "div", id: 5, listens: true, children: ["Card", ...buttons(count)] }], ax))[0]
        ?.extra.why;
    expect(why(3)).toBeUndefined();
    expect(why(1)).toEqual(["listener"]);
  });

  it("don't count where everything can be edited", () => {
    const inner: Spec = { tag: "p", id: 6, listens: true, children: ["Text"] };
    const rows = rowsOf(treeOf([{ tag: "div", attributes: { contenteditable: "" }, children: [inner] }]));
    expect(rows.map(({ extra }) => extra.why)).toEqual([["contenteditable"]]);
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

  it("know what names an element", () => {
    const sources = [
      { type: "relatedElement", attribute: "aria-labelledby" },
      { type: "contents", value: value("Mail") },
    ];
    const properties = [{ name: "labelledby", value: { relatedNodes: [{ backendDOMNodeId: 9 }] } }];
    const node = { ignored: false, backendDOMNodeId: 5, role: value("textbox"), properties };
    const found = factsOf([{ ...node, name: { value: " Mail ", sources } }]).get(5);
    expect(found).toMatchObject({ name: "Mail", fromContent: true, labels: [9] });
  });

  it("say what a tooltip says where the name is but glyphs of an icon font", () => {
    const node = { ignored: false, backendDOMNodeId: 5, role: value("button") };
    const found = factsOf([{ ...node, name: value("\uF104"), description: value("Next") }]).get(5);
    expect(found?.name).toBe("Next");
  });
});
