// Fields whose values are never read: passwords, card numbers, one-time codes.

const SECRET_AUTOCOMPLETE = /^(cc-.+|one-time-code|current-password|new-password)$/;

/** Fields that were secret once stay secret: "show password" turns them into plain text fields. */
const everSecret = new WeakSet<Element>();

/** Whether a field's value must not be read. */
export function isSecret(element: Element): boolean {
  const tag = element.localName;
  if (tag !== "input" && tag !== "textarea" && tag !== "select") return false;
  if (everSecret.has(element)) return true;
  const tokens = (element.getAttribute("autocomplete") ?? "").toLowerCase().split(/\s+/);
  const secret =
    (tag === "input" && (element as HTMLInputElement).type === "password") ||
    tokens.some((token) => SECRET_AUTOCOMPLETE.test(token));
  if (secret) everSecret.add(element);
  return secret;
}

/** Treat a field as secret from now on: it was one when it was seen before. */
export function keepSecret(element: Element): void {
  everSecret.add(element);
}
