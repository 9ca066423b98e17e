// Second pass: what crosses the wire, and what never does.
import { describe, expect, it } from "vitest";
import { State } from "../../../src/protocol/generated";
import { facts, rowsOf, type Spec, treeOf } from "./captured";

const named = (rows: ReturnType<typeof rowsOf>) => rows.map(({ role, name }) => [role, name]);

describe("roles and names", () => {
  it("come from accessibility where it knows them", () => {
    const button: Spec = { tag: "div", id: 5, attributes: { role: "button" }, children: ["Buy"] };
    const rows = rowsOf(treeOf([button], new Map([[5, facts("button", "Buy now")]])));
    expect(named(rows)).toEqual([["button", "Buy now"]]);
    expect((rows[0]?.flags ?? 0) & State.ACTIONABLE).toBe(State.ACTIONABLE);
  });

  it("come from markup where accessibility doesn't know a control", () => {
    const hidden: Spec = {
      tag: "div",
      attributes: { "aria-hidden": "true" },
      children: [
        {
          tag: "button",
          children: [{ tag: "i", attributes: { "aria-hidden": "true" }, children: ["x"] }, "Close"],
        },
      ],
    };
    const [row] = rowsOf(treeOf([hidden]));
    expect(row).toMatchObject({ role: "button", name: "Close", extra: { why: ["aria-hidden"] } });
  });

  it("are generic where neither knows anything", () => {
    const list: Spec = {
      tag: "ul",
      children: [
        { tag: "li", children: ["One"] },
        { tag: "li", children: ["Two"] },
      ],
    };
    expect(named(rowsOf(treeOf([list])))).toEqual([
      ["generic", ""],
      ["text", "One"],
      ["text", "Two"],
    ]);
  });

  it("are none of forms that nobody names", () => {
    const form: Spec = { tag: "form", id: 5, attributes: { "data-testid": "f" }, children: ["Text"] };
    expect(rowsOf(treeOf([form], new Map([[5, facts("form")]])))[0]?.role).toBe("generic");
    expect(
      rowsOf(treeOf([form], new Map([[5, facts("form", "Order", { fromContent: false })]])))[0]?.role,
    ).toBe("form");
  });

  it("of addresses are whole", () => {
    const link: Spec = { tag: "a", id: 5, attributes: { href: "b" }, display: "inline", children: ["Jobs"] };
    const rows = rowsOf(treeOf([link], new Map([[5, facts("link", "Jobs")]])));
    expect(named(rows)).toEqual([["link", "Jobs"]]);
    expect(rows[0]?.extra.href).toBe("https://example.org/a/b");
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
      [5, facts("textbox", "Card", { fromContent: false, labels: [4] })],
      [7, facts("button", "Card 4111 1111", { fromContent: false, labels: [4] })],
    ]);
    const rows = rowsOf(treeOf([label, button], ax));
    expect(JSON.stringify(rows)).not.toContain("4111");
    const field = rows.find((row) => row.role === "textbox");
    expect(field?.name).toBe("Card");
    expect((field?.flags ?? 0) & State.SECRET).toBe(State.SECRET);
    expect(rows.find((row) => row.role === "button")?.name).toBe("Card");
  });

  it("keep the options that are chosen in them, also those in groups", () => {
    const chosen: Spec = { tag: "option", selected: true, children: ["December"] };
    const list: Spec = {
      tag: "select",
      id: 5,
      attributes: { autocomplete: "cc-exp-month" },
      children: [{ tag: "optgroup", attributes: { label: "Winter" }, children: [chosen] }],
    };
    const button: Spec = { tag: "button", id: 7, children: ["Pay"] };
    const ax = new Map([[7, facts("button", "Pay by December")]]);
    const rows = rowsOf(treeOf([list, button], ax));
    expect(rows.find(({ role }) => role === "button")?.name).toBe("Pay");
  });

  it("stay secret when nothing marks them so any more", () => {
    const shown: Spec = { tag: "input", id: 5, attributes: { type: "text" }, value: "hunter2" };
    const ax = new Map([[5, facts("textbox", "Password", { fromContent: false })]]);
    expect(rowsOf(treeOf([shown], ax))[0]?.extra.value).toBe("hunter2");
    expect(JSON.stringify(rowsOf(treeOf([shown], ax, new Set([5]))))).not.toContain("hunter2");
  });
});

describe("states", () => {
  it("are read from what fields hold", () => {
    const ax = new Map([
      [5, facts("checkbox", "On", { fromContent: false, properties: new Map([["focused", true]]) })],
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
  it("are the elements', and texts have none", () => {
    const page = treeOf([
      { tag: "button", id: 5, attributes: { "aria-label": "A" } },
      { tag: "button", id: 6, attributes: { "aria-label": "B" }, children: ["text"] },
    ]);
    expect(rowsOf(page).map(({ number }) => number)).toEqual([5, 6, 0]);
  });
});
