import { describe, expect, it } from "vitest";
import { ROLE_TAGS, TABLE_TAGS } from "../../../src/engine/dom/semantics/role_tags";
import { FIXED } from "../../../src/engine/dom/semantics/roles";
import { roleOf } from "../dom";

describe("implicit roles", () => {
  it.each([
    ["<a href='/'>x</a>", "link"],
    ["<a>x</a>", "generic"],
    ["<article></article>", "article"],
    ["<button></button>", "button"],
    ["<details x></details>", "group"],
    ["<details><summary x>s</summary></details>", "button"],
    ["<details><summary>s</summary><summary x>t</summary></details>", "generic"],
    ["<summary>s</summary>", "generic"],
    ["<dialog></dialog>", "dialog"],
    ["<h3>x</h3>", "heading"],
    ["<header></header>", "banner"],
    ["<main><header x></header></main>", "generic"],
    ["<div role=region aria-label=r><footer x></footer></div>", "generic"],
    ["<footer></footer>", "contentinfo"],
    ["<aside></aside>", "complementary"],
    ["<article><aside x></aside></article>", "generic"],
    ["<article><aside x aria-label=a></aside></article>", "complementary"],
    ["<section></section>", "generic"],
    ["<section aria-label=s></section>", "region"],
    ["<form></form>", "generic"],
    ["<form title=f></form>", "form"],
    ["<img src=a alt=''>", "none"],
    ["<img src=a alt='' title=t>", "img"],
    ["<img src=a alt='' tabindex=0>", "img"],
    ["<img src=a>", "img"],
    ["<input>", "textbox"],
    ["<input type=email>", "textbox"],
    ["<input type=search>", "searchbox"],
    ["<input type=number>", "spinbutton"],
    ["<input type=range>", "slider"],
    ["<input type=checkbox>", "checkbox"],
    ["<input type=radio>", "radio"],
    ["<input type=file>", "button"],
    ["<input type=image>", "button"],
    ["<input type=date>", "textbox"],
    ["<input type=hidden>", "none"],
    ["<ul><li x></li></ul>", "listitem"],
    ["<div><li x></li></div>", "generic"],
    ["<select></select>", "combobox"],
    ["<select multiple></select>", "listbox"],
    ["<textarea></textarea>", "textbox"],
    ["<table></table>", "table"],
    ["<table><tr x></tr></table>", "row"],
    ["<table><tr><td x></td></tr></table>", "cell"],
    ["<table role=grid><tr><td x></td></tr></table>", "gridcell"],
    ["<table role=presentation><tr><td x></td></tr></table>", "generic"],
    ["<table role=none><tbody x></tbody></table>", "generic"],
    ["<table><tr><th x></th><th></th></tr></table>", "columnheader"],
    ["<table><tr><th x></th><td></td></tr></table>", "rowheader"],
    ["<table><tr><th x scope=row></th><th></th></tr></table>", "rowheader"],
    ["<table><tr><th x scope=col></th><td></td></tr></table>", "columnheader"],
    ["<search></search>", "search"],
    ["<span></span>", "generic"],
    ["<p></p>", "paragraph"],
    ["<fieldset></fieldset>", "group"],
    ["<output></output>", "status"],
    ["<hr>", "separator"],
    ["<nav></nav>", "navigation"],
  ])("%s is %s", (html, role) => {
    expect(roleOf(html)).toBe(role);
  });
});

describe("explicit roles", () => {
  it.each([
    ["<div role=button></div>", "button"],
    ["<div role='BUTTON'></div>", "button"],
    ["<div role='  switch checkbox'></div>", "switch"],
    ["<div role='unknown link'></div>", "link"],
    ["<div role='widget'></div>", "generic"],
    ["<button role='landmark structure'></button>", "button"],
    ["<div role=image></div>", "img"],
    ["<h1 role=presentation></h1>", "none"],
    ["<h1 role=presentation aria-label=x></h1>", "heading"],
    ["<button role=none></button>", "button"],
    ["<a role=none href='/'></a>", "link"],
    ["<ul role=none tabindex=0></ul>", "list"],
    ["<div role=region></div>", "generic"],
    ["<div role=region aria-label=r></div>", "region"],
    ["<nav role='form'></nav>", "navigation"],
    ["<div role=''></div>", "generic"],
  ])("%s is %s", (html, role) => {
    expect(roleOf(html)).toBe(role);
  });
});

it("a role that the page looks for by itself has all elements that have it without saying so", () => {
  for (const [tag, role] of FIXED) {
    const tags = ROLE_TAGS.get(role) ?? TABLE_TAGS.get(role);
    if (tags) expect(tags, role).toContain(tag);
  }
});
