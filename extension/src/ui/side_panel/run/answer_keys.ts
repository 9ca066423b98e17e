// One key for each answer, as in the notebook's panel: a button names its key, and a key presses its button.

/** What takes keys for itself. */
const TAKES_KEYS = "input, textarea, select, [contenteditable], [role=grid], [role=tablist]";

/** Press the button of a key, or go to the form that it is about; whether there was one. */
export function pressKey(event: KeyboardEvent, root: ParentNode): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return false;
  if (event.target instanceof Element && event.target.closest(TAKES_KEYS)) return false;
  if (!/^[a-z]$/i.test(event.key)) return false;
  const key = event.key.toUpperCase();
  const buttons = [...root.querySelectorAll<HTMLButtonElement>(`button[aria-keyshortcuts="${key}"]`)];
  const button = buttons.find((each) => !each.disabled);
  if (button) button.click();
  // Nothing is edited yet: the key leads to what can be.
  else if (key === "E" && buttons.length > 0)
    root.querySelector<HTMLElement>(".question .inputs :is(input, textarea, select)")?.focus();
  else return false;
  event.preventDefault();
  return true;
}
