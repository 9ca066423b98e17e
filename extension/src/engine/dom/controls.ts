// What form controls hold: no mutation tells of that.

import { isSame } from "./sheets";
import type { StyleFacts } from "./styles";

type Root = Document | ShadowRoot;

const CONTROLS = ["input", "textarea", "select"] as const;
/** After these a control may have come to be known as wrongly filled in. */
export const JUDGED = ["change", "focusout", "invalid", "submit", "reset"];

export class Controls {
  /** Live lists of the document's own controls: asking for them anew would search the document. */
  private readonly lists: HTMLCollectionOf<Element>[];
  private controls: Element[] = [];
  private held: unknown[] = [];
  private wrong: Element[] = [];
  private judged = true;

  constructor(private readonly document: Document) {
    this.lists = CONTROLS.map((tag) => document.getElementsByTagName(tag));
  }

  /** Add the controls that hold something else, and the elements that rules of style sheets see otherwise by that. */
  read(roots: readonly Root[], facts: StyleFacts, elements: Element[], restyled: Element[]): void {
    const controls: Element[] = [];
    for (const list of this.lists) for (let i = 0; i < list.length; i++) controls.push(list[i] as Element);
    for (const root of roots)
      if (root !== this.document) controls.push(...root.querySelectorAll(CONTROLS.join(",")));
    const held = controls.map(heldBy);
    const before = isSame(controls, this.controls)
      ? null
      : new Map(this.controls.map((control, i) => [control, this.held[i]]));
    const changed: Element[] = [];
    for (let i = 0; i < controls.length; i++) {
      const control = controls[i] as Element;
      if (held[i] !== (before ? before.get(control) : this.held[i])) changed.push(control);
    }
    this.controls = controls;
    this.held = held;
    changed.push(...this.readWrong());
    elements.push(...changed);
    if (facts.controls && (changed.length || before)) this.restyle(changed, facts.controls, restyled);
  }

  /** Controls that are known as wrongly filled in since the last call, or no longer. */
  private readWrong(): Element[] {
    if (!this.judged) return [];
    this.judged = false;
    const now = this.controls.filter((control) => control.matches(":user-invalid"));
    const changed = isSame(now, this.wrong) ? [] : [...now, ...this.wrong];
    this.wrong = now;
    return changed;
  }

  /** A control's state is its own, its form's and fieldsets', and that of the radio buttons beside it. */
  private restyle(changed: readonly Element[], selector: string, restyled: Element[]): void {
    const seen = new Set<Element>();
    for (const control of changed) {
      seen.add(control);
      if ((control as HTMLInputElement).type === "radio")
        for (const other of this.controls) if ((other as HTMLInputElement).type === "radio") seen.add(other);
      for (let up = control.parentElement; up; up = up.parentElement)
        if (up.localName === "fieldset" || up.localName === "form") seen.add(up);
      const { form } = control as HTMLInputElement;
      if (form) seen.add(form);
    }
    for (const element of seen) if (element.matches(selector)) restyled.push(element);
  }

  readonly onJudged = (): void => {
    this.judged = true;
  };
}

/** What a control holds, to be compared and for nothing else. */
function heldBy(control: Element): unknown {
  if (control.localName === "select") {
    const select = control as HTMLSelectElement;
    if (!select.multiple) return select.selectedIndex;
    return [...select.selectedOptions].map((option) => option.index).join(",");
  }
  const field = control as HTMLInputElement;
  const type = field.type;
  if (type === "checkbox" || type === "radio") return (field.checked ? 1 : 0) | (field.indeterminate ? 2 : 0);
  return field.value;
}
