import { describe, expect, it } from "vitest";
import { FlatTree } from "../../../src/engine/dom/tree/flat_tree";

function tree(): {
  flat: FlatTree;
  host: HTMLElement;
  button: HTMLElement;
  slot: HTMLElement;
  text: Element;
} {
  document.body.innerHTML = "<x-card><b>slotted</b></x-card>";
  const host = document.querySelector("x-card") as HTMLElement;
  const root = host.attachShadow({ mode: "closed" });
  root.innerHTML = "<button><slot></slot></button>";
  const flat = new FlatTree((element) => (element === host ? root : null));
  return {
    flat,
    host,
    button: root.querySelector("button") as HTMLElement,
    slot: root.querySelector("slot") as HTMLElement,
    text: host.querySelector("b") as Element,
  };
}

describe("the flat tree", () => {
  it("shows a closed shadow root in place of the host's children", () => {
    const { flat, host, button } = tree();
    expect([...flat.children(host)]).toEqual([button]);
  });

  it("reports each shadow root once", () => {
    const { flat, host } = tree();
    const seen: ShadowRoot[] = [];
    flat.onShadow = (root) => seen.push(root);
    flat.shadow(host);
    flat.shadow(host);
    expect(seen).toHaveLength(1);
  });

  it("goes up from the shadow to the host", () => {
    const { flat, host, button, slot } = tree();
    expect(flat.parent(slot)).toBe(button);
    expect(flat.isInside(slot, host)).toBe(true);
    expect(flat.isInside(host, button)).toBe(false);
  });

  it("queries built-in elements with children once", () => {
    document.body.innerHTML = "<div><i></i></div>";
    const div = document.body.firstElementChild as Element;
    let queries = 0;
    const flat = new FlatTree(() => {
      queries++;
      return null;
    });
    for (let i = 0; i < 3; i++) expect(flat.shadow(div)).toBeNull();
    expect(queries).toBe(1);
  });
});
