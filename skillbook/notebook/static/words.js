// A call in plain words: "Click the link 'Dusk Bedside Lamp' in the list item 'Oakline'".
import { showHidden } from "./text.js";

const PHRASES = {
  click: "Click",
  dblclick: "Double-click",
  hover: "Point at",
  focus: "Put the focus on",
  fill: "Fill in",
  clear: "Empty",
  type: "Type into",
  press: "Press a key on",
  select: "Choose in",
  check: "Tick",
  uncheck: "Untick",
  drag: "Drag",
  scroll: "Scroll",
  submit: "Submit the form of",
  upload: "Give files to",
  download: "Download by",
  goto: "Go to",
  tabs_open: "Open",
  explore: "Look through this site in background tabs for",
  run_skill: "Run the saved skill",
  send_request: "Send",
  request_assistance: "Ask you for help",
  plan: "Work by these tasks",
};
const ROLES = {
  searchbox: "search field",
  textbox: "text field",
  combobox: "list field",
  spinbutton: "number field",
  listitem: "list item",
  menuitem: "menu item",
  treeitem: "tree item",
  gridcell: "cell",
  columnheader: "column header",
  rowheader: "row header",
  img: "image",
  generic: "element",
};

/** What a tool does, as the beginning of a sentence. */
export const phraseOf = (tool) => PHRASES[tool] ?? showHidden(tool);

/** A call such as `click button 'Save'` in a sentence. */
export function inWords(call) {
  const [, tool, element] = /^(\S+) ?(.*)$/su.exec(call) ?? [];
  return tool ? `${phraseOf(tool)} ${plain(showHidden(element))}`.trim() : "";
}

/** How a step ended: done, declined by the person, or failed. */
export const signOf = (step) => (step.ok ? "✓" : step.declined ? "–" : "✕");

/** An element as `role 'name'` in a sentence: `the list item 'Oakline'`. */
export function plain(element) {
  const [, role, rest] = /^([a-z]+)(.*)$/su.exec(element) ?? [];
  return role ? `the ${ROLES[role] ?? role}${rest}` : element;
}
