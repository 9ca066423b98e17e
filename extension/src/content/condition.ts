// Whether an element is ready for input: seen, at rest, enabled, editable.

import { rectOf } from "../engine/dom/areas";
import type { Engine } from "../engine/dom/engine";
import { contentRects, controlOf } from "../engine/dom/hit";
import { isEditingHost } from "../engine/dom/roles";
import { isRendered } from "../engine/dom/visibility";

/** The form that a control belongs to, also from inside a component's shadow root. */
export function formOf(engine: Engine, control: Element): HTMLFormElement | null {
  const own = (control as HTMLButtonElement).form;
  if (own instanceof HTMLFormElement) return own;
  for (let at: Element | null = control; at; at = engine.flat.parent(at))
    if (at instanceof HTMLFormElement) return at;
  return null;
}

/** Whether an element takes up room that a person can see. */
export function isVisible(element: Element): boolean {
  if (!isRendered(element) || element.closest("[inert]")) return false;
  const { width, height } = rectOf(element);
  if (width > 0 && height > 0) return true;
  // Code editors keep a field as wide as the caret.
  if (height > 0 && isField(element)) return true;
  for (const rect of contentRects(element)) if (rect.width > 0 && rect.height > 0) return true;
  return false;
}

/** Whether the element, or anything it belongs to, is disabled. */
export function isDisabled(engine: Engine, element: Element): boolean {
  const control = controlOf(element);
  if (control.matches(":disabled")) return true;
  for (let at: Element | null = control; at; at = engine.flat.parent(at)) {
    if (at.getAttribute("aria-disabled") === "true") return true;
  }
  return false;
}

const NOT_TYPED = new Set("button checkbox file hidden image radio reset submit".split(" "));

/** The element that takes what is typed: the element itself, its label's control, or the only field in it. */
export function fieldOf(element: Element): HTMLElement | null {
  const control = controlOf(element);
  if (isField(control)) return control as HTMLElement;
  const inner = [...control.querySelectorAll("input, textarea, [contenteditable]")].filter(isField);
  return inner.length === 1 ? (inner[0] as HTMLElement) : null;
}

function isField(element: Element): boolean {
  if (element.localName === "input") return !NOT_TYPED.has((element as HTMLInputElement).type);
  return (
    element.localName === "textarea" ||
    isEditingHost(element) ||
    (element as HTMLElement).isContentEditable ||
    hasEditContext(element)
  );
}

/** Whether an element is, or holds, an editor that may know more lines than it draws. */
export function isEditor(element: Element): boolean {
  const field = fieldOf(element);
  return field !== null && (hasEditContext(field) || field.getAttribute("aria-multiline") === "true");
}

/** Code editors draw themselves, and take what is typed through this. */
function hasEditContext(element: Element): boolean {
  return (element as HTMLElement & { editContext?: unknown }).editContext != null;
}

export function isReadOnly(element: Element): boolean {
  const field = element as HTMLInputElement;
  return (
    ((element.localName === "input" || element.localName === "textarea") && field.readOnly) ||
    element.getAttribute("aria-readonly") === "true"
  );
}

/** Whether an animation or transition moves the element or what it is in. */
export function mayMove(engine: Engine, element: Element): boolean {
  for (const animation of element.ownerDocument.getAnimations()) {
    if (animation.playState !== "running") continue;
    const target = (animation.effect as KeyframeEffect | null)?.target;
    if (target && engine.flat.isInside(element, target)) return true;
  }
  return false;
}
