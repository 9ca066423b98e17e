// What controls hold.

import { fold } from "../naming/text";
import type { FlatTree } from "../tree/flat_tree";
import { RANGES } from "./aria";
import { isEditingHost } from "./roles";
import { isSecret } from "./secrets";

/** The text that a control contributes to the name of what it is embedded in; null if it isn't such a control. */
export function controlText(element: Element, role: string, flat: Pick<FlatTree, "shadow">): string | null {
  if (role === "textbox" || role === "searchbox" || role === "combobox" || role === "listbox") {
    return shownValue(element, role, flat) ?? null;
  }
  if (role !== "separator" && RANGES.has(role)) {
    return (
      element.getAttribute("aria-valuetext") ??
      element.getAttribute("aria-valuenow") ??
      shownValue(element, role, flat)
    );
  }
  return null;
}

/** A control's value as people see it; null where there is none, or where it is a secret. */
export function shownValue(element: Element, role: string, flat: Pick<FlatTree, "shadow">): string | null {
  if (isSecret(element)) return null;
  switch (element.localName) {
    case "input":
      return inputValue(element as HTMLInputElement);
    case "textarea":
      return (element as HTMLTextAreaElement).value;
    case "select":
      return [...(element as HTMLSelectElement).selectedOptions]
        .map((option) => fold(option.label))
        .join(", ");
    case "progress":
      return element.hasAttribute("value") ? String((element as HTMLProgressElement).value) : null;
    case "meter":
      return String((element as HTMLMeterElement).value);
  }
  if (RANGES.has(role))
    return element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow");
  if (role === "listbox" || role === "combobox") {
    const field = element.querySelector("input");
    if (field) return isSecret(field) ? null : field.value;
    const chosen = [...element.querySelectorAll("[role=option][aria-selected=true]")];
    if (chosen.length) return chosen.map((one) => fold(one.textContent ?? "")).join(", ");
    return role === "combobox" ? fold(visibleText(element, flat)) : null;
  }
  if (role === "textbox" || role === "searchbox" || isEditingHost(element))
    return fold(visibleText(element, flat));
  return null;
}

function inputValue(input: HTMLInputElement): string | null {
  switch (input.type) {
    case "button":
    case "checkbox":
    case "hidden":
    case "image":
    case "radio":
    case "reset":
    case "submit":
      return null;
    case "file":
      return [...(input.files ?? [])].map((file) => file.name).join(", ");
    default:
      return input.value;
  }
}

function visibleText(element: Element, flat: Pick<FlatTree, "shadow">): string {
  return flat.shadow(element) ? "" : ((element as HTMLElement).innerText ?? element.textContent ?? "");
}
