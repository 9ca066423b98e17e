// Second pass: what crosses the wire, and what never does.
import { describe, expect, it } from "vitest";
import { number, pictureOf } from "../../../src/engine/cdp/picture";
import { State } from "../../../src/shared/state";
import { facts, rowsOf, type Spec, treeOf } from "./captured";

const named = (rows: ReturnType<typeof rowsOf>) => rows.map(({ role, name }) => [role, name]);

describe("roles and names", () => {
  it("come from accessibility where it knows them", () => {
    const button: Spec = { tag: "div", id: 5, attributes: { role: "button" }, children: ["Buy"] };
    const rows = rowsOf(treeOf([button], new Map([[5, facts("button", "Buy now")]])));
    expect(named(rows)).toEqual([["button", "Buy now"]]);
    expect((rows[0]?.flags ?? 0) & State.ACTIONABLE).toBe(State.ACTIONABLE);
  });

  it("come from the tables where accessibility is silent", () => {
    const rows = rowsOf(treeOf([{ tag: "button", attributes: { "aria-label": "Close" } }]));
    expect(named(rows)).toEqual([["button", "Close"]]);
  });

  it("call nameless forms what the dom engine calls them", () => {
    const form: Spec = { tag: "form", id: 5, attributes: { "data-testid": "f" }, children: ["Text"] };
    expect(rowsOf(treeOf([form], new Map([[5, facts("form")]])))[0]?.role).toBe("generic");
    const ax = new Map([[5, facts("form", "Order", { from: "author" })]]);
    expect(rowsOf(treeOf([form], ax))[0]?.role).toBe("form");
  });

  it("are not those of groups where something can be dragged", () => {
    const card: Spec = { tag: "div", id: 5, attributes: { draggable: "true" }, children: ["Card"] };
    const set: Spec = { tag: "fieldset", id: 6, attributes: { draggable: "true" }, children: ["Set"] };
    const ax = new Map([5, 6].map((id) => [id, facts("group")]));
    expect(named(rowsOf(treeOf([card], ax)))[0]).toEqual(["generic", "Card"]);
    expect(rowsOf(treeOf([set], ax))[0]?.role).toBe("group");
  });

  it("have no space where a word may break", () => {
    const link: Spec = {
      tag: "a",
      id: 5,
      attributes: { href: "b" },
      display: "inline",
      children: ["/api", { tag: "wbr", display: "inline" }, "/jobs"],
    };
    const rows = rowsOf(treeOf([link], new Map([[5, facts("link", "/api /jobs")]])));
    expect(named(rows)).toEqual([["link", "/api/jobs"]]);
    expect(rows[0]?.extra.href).toBe("https://example.org/a/b");
  });
});

describe("names of what accessibility ignores", () => {
  const field = (children: (Spec | string)[]): Spec => ({
    tag: "x-field",
    children: ["Same day"],
    shadow: children,
  });

  it("come from labels, also where slots bring their text", () => {
    const label: Spec = {
      tag: "label",
      attributes: { for: "in" },
      children: [{ tag: "slot", unlaid: true, display: "contents" }],
    };
    const input: Spec = { tag: "input", attributes: { id: "in", type: "checkbox" } };
    expect(named(rowsOf(treeOf([field([input, label])])))).toContainEqual(["checkbox", "Same day"]);
  });

  it("come from the label of the same shadow root where several have ids alike", () => {
    const flat = (words: string): Spec => ({
      tag: "x-flat",
      children: [
        { tag: "input", attributes: { id: "in", type: "checkbox" } },
        { tag: "label", attributes: { for: "in" }, children: [{ tag: "slot", children: [words] }] },
      ],
    });
    const rows = named(rowsOf(treeOf([flat("First"), flat("Second")])));
    expect(rows).toContainEqual(["checkbox", "First"]);
    expect(rows).toContainEqual(["checkbox", "Second"]);
  });

  it("don't come from what only has the same id where it is put into a slot", () => {
    const slotted: Spec = {
      tag: "slot",
      children: [{ tag: "p", attributes: { id: "tab" }, children: ["Text"] }],
    };
    const panel: Spec = {
      tag: "div",
      attributes: { role: "tabpanel", "aria-labelledby": "tab" },
      children: [slotted],
    };
    const tab: Spec = { tag: "b", attributes: { id: "tab" }, children: ["Tab"] };
    expect(named(rowsOf(treeOf([{ tag: "x-tabs", children: [panel, tab] }])))).toContainEqual([
      "tabpanel",
      "Tab",
    ]);
  });

  it("come from references, and not from what is hidden in the content", () => {
    const button: Spec = {
      tag: "button",
      children: [{ tag: "i", attributes: { "aria-hidden": "true" }, children: ["Icon"] }, "Send"],
    };
    const list: Spec = { tag: "ul", attributes: { "aria-labelledby": "a b" }, children: [{ tag: "li" }] };
    const words = ["a", "b"].map((id): Spec => ({ tag: "p", attributes: { id }, children: [`Word ${id}`] }));
    const rows = named(rowsOf(treeOf([button, list, ...words])));
    expect(rows).toContainEqual(["button", "Send"]);
    expect(rows).toContainEqual(["list", "Word a Word b"]);
  });

  it("come from the content where it takes a role for none for want of a parent", () => {
    const option: Spec = {
      tag: "div",
      id: 5,
      attributes: { role: "option", tabindex: "0" },
      children: ["Red"],
    };
    const rows = rowsOf(treeOf([option], new Map([[5, facts("generic")]])));
    expect(named(rows)).toContainEqual(["option", "Red"]);
    const item: Spec = { tag: "li", id: 6, attributes: { role: "option" }, children: ["Texas"] };
    const others = rowsOf(treeOf([item], new Map([[6, facts("listitem")]])));
    expect(named(others)).toContainEqual(["option", "Texas"]);
  });
});

describe("what is left out", () => {
  it("is what takes no part in the layout", () => {
    const rows = rowsOf(
      treeOf([
        { tag: "button", attributes: { "aria-label": "gone" }, unlaid: true },
        {
          tag: "div",
          content: "hidden",
          children: [{ tag: "button", attributes: { "aria-label": "skipped" } }],
        },
        {
          tag: "div",
          visibility: "hidden",
          children: [{ tag: "button", attributes: { "aria-label": "seen" } }],
        },
      ]),
    );
    expect(named(rows)).toEqual([["button", "seen"]]);
  });

  it("is not what has no box but shows its children", () => {
    const inner: Spec = { tag: "button", attributes: { "aria-label": "inside" } };
    const rows = rowsOf(treeOf([{ tag: "div", unlaid: true, display: "contents", children: [inner] }]));
    expect(named(rows)).toEqual([["button", "inside"]]);
  });

  it("is what closed details hold back, also where it was laid out before", () => {
    const summary: Spec = { tag: "summary", id: 6, children: ["More"] };
    const body: Spec = { tag: "p", children: ["Hidden"] };
    const ax = new Map([[6, facts("button", "More")]]);
    const shut = rowsOf(treeOf([{ tag: "details", children: [summary, body] }], ax));
    expect(shut.map((row) => row.name)).not.toContain("Hidden");
    const open: Spec = { tag: "details", attributes: { open: "" }, children: [summary, body] };
    expect(rowsOf(treeOf([open], ax)).map((row) => row.name)).toContain("Hidden");
  });
});

describe("secret fields", () => {
  const label: Spec = {
    tag: "label",
    id: 4,
    children: [
      "Card ",
      { tag: "input", id: 5, attributes: { autocomplete: "cc-number" }, value: "4111 1111" },
    ],
  };

  it("keep their values, also from names that quote them", () => {
    const button: Spec = { tag: "button", id: 7, attributes: { "aria-labelledby": "l" }, children: ["Pay"] };
    const ax = new Map([
      [5, facts("textbox", "Card", { from: "native", named: [4] })],
      [7, facts("button", "Card 4111 1111", { from: "author", named: [4] })],
    ]);
    const rows = rowsOf(treeOf([label, button], ax));
    expect(JSON.stringify(rows)).not.toContain("4111");
    const field = rows.find((row) => row.role === "textbox");
    expect(field?.name).toBe("Card");
    expect((field?.flags ?? 0) & State.SECRET).toBe(State.SECRET);
    expect(rows.find((row) => row.role === "button")?.name).toBe("Card");
  });

  it("stay secret when they don't look so any more", () => {
    const shown: Spec = { tag: "input", id: 5, attributes: { type: "text" }, value: "hunter2" };
    const ax = new Map([[5, facts("textbox", "Password", { from: "author" })]]);
    expect(rowsOf(treeOf([shown], ax))[0]?.extra.value).toBe("hunter2");
    expect(JSON.stringify(rowsOf(treeOf([shown], ax, new Set([5]))))).not.toContain("hunter2");
  });
});

describe("states", () => {
  it("are read from what fields hold", () => {
    const ax = new Map([
      [5, facts("checkbox", "On", { from: "author", properties: new Map([["focused", true]]) })],
    ]);
    const [row] = rowsOf(
      treeOf([{ tag: "input", id: 5, attributes: { type: "checkbox" }, checked: true }], ax),
    );
    expect((row?.flags ?? 0) & State.CHECKED).toBe(State.CHECKED);
    expect((row?.flags ?? 0) & State.FOCUSED).toBe(State.FOCUSED);
    expect(row?.box).toEqual([10, 10, 40, 20]);
  });
});

describe("numbers", () => {
  it("take the place of places", () => {
    const page = treeOf([
      { tag: "button", id: 5, attributes: { "aria-label": "A" } },
      { tag: "button", id: 6, attributes: { "aria-label": "B" }, children: ["text"] },
    ]);
    const picture = pictureOf(page, { key: "key", frame: 0, version: 1 }, true);
    expect(picture.shown.map(({ backend }) => backend)).toEqual([5, 6]);
    number(picture, [12, 7]);
    expect(picture.tree.number.filter((each) => each > 0)).toEqual([12, 7]);
  });
});
