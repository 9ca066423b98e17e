import { beforeEach, describe, expect, it } from "vitest";
import { selectorOf } from "../../src/content/css_selector";

const find = (selector: string): Element => document.querySelector(selector) as Element;

describe("selectors", () => {
  beforeEach(() => {
    document.body.innerHTML = `<main id=shop><ul class=items><li><b>1</b></li><li><b class=on>2</b></li></ul></main>
      <form><input name=mail><input name=mail2 data-testid=second></form><p id=a12345678>x</p><p>y</p>`;
  });

  it.each([
    ["#shop", "#shop"],
    ["[name=mail]", 'input[name="mail"]'],
    ["[data-testid]", 'input[data-testid="second"]'],
    [".on", "b.on"],
    ["ul", "ul.items"],
  ])("%s by %s", (query, selector) => {
    expect(selectorOf(find(query))).toBe(selector);
  });

  it("is unique for every element, and leaves out generated ids", () => {
    for (const element of document.body.querySelectorAll("*")) {
      const selector = selectorOf(element);
      expect([...document.querySelectorAll(selector)]).toEqual([element]);
      expect(selector).not.toContain("12345678");
    }
  });
});
