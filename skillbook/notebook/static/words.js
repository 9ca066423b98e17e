// A call in plain words: "Click the link 'Dusk Bedside Lamp' in the list item 'Oakline'".
import { PHRASES, ROLES } from "./spoken.js";
import { showHidden } from "./text.js";

/** What a tool does, as the beginning of a sentence. */
export const phraseOf = (tool) => PHRASES[tool] ?? showHidden(tool);

/** A call such as `click button 'Save'` in a sentence. */
export function inWords(call) {
  const [, tool, element] = /^(\S+) ?(.*)$/su.exec(call) ?? [];
  if (!tool) return "";
  const phrase = element && !element.startsWith("(") ? phraseOf(tool) : phraseOf(tool).replace(/ (?:on|for)$/u, "");
  return `${phrase} ${plain(showHidden(element))}`.trim();
}

/** How a step ended: done, declined by the person, or failed. */
export const signOf = (step) => (step.ok ? "✓" : step.declined ? "–" : "✕");

/** An element as `role 'name'` in a sentence: `the list item 'Oakline'`. */
export function plain(element) {
  const [, role, rest] = /^([a-z]+)(?![a-z]*:)(.*)$/su.exec(element) ?? [];
  return role ? `the ${ROLES[role] ?? role}${rest}` : element;
}
