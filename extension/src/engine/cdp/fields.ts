// Form controls and what belongs to them, as virtual elements.

import { fold } from "../dom/naming/text";
import { internalsOf } from "./internals";
import { descendants, VirtualElement } from "./nodes";

const LABELABLE = new Set("button input meter output progress select textarea".split(" "));

const INPUT_TYPES = new Set(
  `button checkbox color date datetime-local email file hidden image month number password radio range reset search
  submit tel text time url week`.split(/\s+/),
);

/** Fields, buttons and labels. */
export class VirtualField extends VirtualElement {
  get type(): string {
    const given = (this.getAttribute("type") ?? "").toLowerCase();
    switch (this.localName) {
      case "input":
        return INPUT_TYPES.has(given) ? given : "text";
      case "button":
        return given === "button" || given === "reset" ? given : "submit";
      case "select":
        return this.multiple ? "select-multiple" : "select-one";
      default:
        return this.localName;
    }
  }

  get value(): string | number {
    switch (this.localName) {
      case "option":
        return this.getAttribute("value") ?? fold(this.textContent);
      case "select":
        return this.selectedOptions[0]?.value ?? "";
      case "progress":
      case "meter":
        return Number(this.getAttribute("value") ?? 0);
      default:
        return this.held ?? this.getAttribute("value") ?? "";
    }
  }

  get checked(): boolean {
    return this.on;
  }

  get selected(): boolean {
    return this.on;
  }

  get indeterminate(): boolean {
    return this.type === "checkbox" && this.ax?.properties.get("checked") === "mixed";
  }

  get disabled(): boolean {
    if (this.hasAttribute("disabled")) return true;
    const group = this.localName === "option" ? this.parentElement : null;
    return group?.localName === "optgroup" && group.hasAttribute("disabled");
  }

  get required(): boolean {
    return this.hasAttribute("required");
  }

  get readOnly(): boolean {
    return this.hasAttribute("readonly");
  }

  get multiple(): boolean {
    return this.hasAttribute("multiple");
  }

  get size(): number {
    return Number.parseInt(this.getAttribute("size") ?? "0", 10) || 0;
  }

  get min(): string {
    return this.getAttribute("min") ?? "";
  }

  get max(): string | number {
    const given = this.getAttribute("max");
    return this.localName === "progress" || this.localName === "meter" ? Number(given ?? 1) : (given ?? "");
  }

  get alt(): string {
    return this.getAttribute("alt") ?? "";
  }

  get placeholder(): string | undefined {
    if (this.localName !== "input" && this.localName !== "textarea") return undefined;
    return this.getAttribute("placeholder") ?? "";
  }

  get files(): { name: string }[] {
    const path = this.held ?? "";
    return path ? [{ name: path.slice(path.lastIndexOf("\\") + 1) }] : [];
  }

  get list(): VirtualElement | null {
    const found = this.referred("list");
    return found?.localName === "datalist" ? found : null;
  }

  get options(): VirtualField[] {
    return this.querySelectorAll("option").filter((option) => option instanceof VirtualField);
  }

  get selectedOptions(): VirtualField[] {
    return this.options.filter((option) => option.on);
  }

  get popoverTargetElement(): VirtualElement | null {
    return this.referred("popovertarget");
  }

  /** On a label: the field that it names. */
  get control(): VirtualElement | null {
    if (this.localName !== "label") return null;
    if (this.hasAttribute("for")) {
      const found = this.referred("for");
      return found && isLabelable(found) ? found : null;
    }
    for (const inner of descendants(this)) if (isLabelable(inner)) return inner;
    return null;
  }

  private referred(attribute: string): VirtualElement | null {
    const id = this.getAttribute(attribute);
    return id ? this.getRootNode().getElementById(id, this) : null;
  }
}

function isLabelable(element: VirtualElement): boolean {
  // Custom elements may take part in forms; which do, only they know.
  if (element.localName.includes("-")) return internalsOf(element.ax) !== null;
  return LABELABLE.has(element.localName) && !(element instanceof VirtualField && element.type === "hidden");
}

const FIELDS = new Set([...LABELABLE, "fieldset", "label", "optgroup", "option"]);

/** The right kind of element for a tag. */
export function makeElement(
  backend: number,
  tag: string,
  attributes: ReadonlyMap<string, string>,
): VirtualElement {
  return FIELDS.has(tag)
    ? new VirtualField(backend, tag, attributes)
    : new VirtualElement(backend, tag, attributes);
}
