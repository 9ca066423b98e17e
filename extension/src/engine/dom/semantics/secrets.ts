// Fields whose values are never read: passwords, card numbers, one-time codes.

import { marksSecret } from "../../../shared/attributes";

/** Fields that were secret once stay secret: "show password" turns them into plain text fields. */
const everSecret = new WeakSet<Element>();

/** Whether a field's value must not be read. */
export function isSecret(element: Element): boolean {
  if (everSecret.has(element)) return true;
  const { type } = element as HTMLInputElement;
  const secret = marksSecret(element.localName, type, element.getAttribute("autocomplete"));
  if (secret) everSecret.add(element);
  return secret;
}
