// A cell that waits, as code with its line marked and the steps into it; and what cells have left.
import { h, scrollWithin } from "./dom.js";
import { makeInsert } from "./lab.js";
import { showHidden } from "./text.js";

/** Make the code. Parameters: the cell, `step(until)` approves it up to there, `edit()` shows its text to change, or null. */
export function makeCode(cell, { step, edit }) {
  const lines = cell.lines.map((pieces, index) => {
    const isHere = index + 1 === cell.line;
    return h(
      "li",
      { class: isHere ? "sbp-code-here" : "", "aria-current": isHere ? "step" : null },
      ...pieces.map(({ kind, text, here }) =>
        h("span", { class: `sbp-code-${kind || "plain"}${here ? " sbp-code-call" : ""}`, text: showHidden(text) }),
      ),
    );
  });
  const where = cell.line ? `line ${cell.line}` : `${lines.length} line${lines.length > 1 ? "s" : ""}`;
  const list = h("ol", { class: "sbp-code", tabindex: "0", "aria-label": `Cell ${cell.number}` }, ...lines);
  const steps = cell.steps.map(({ until, words }) =>
    h("button", { type: "button", class: "sbp-button", on: { click: () => step(until) } }, words),
  );
  const change = edit && h("button", { type: "button", class: "sbp-button", "aria-expanded": "false", on: { click: edit } }, "Edit");
  const node = h(
    "div",
    { class: "sbp-cell" },
    h("p", { class: "sbp-note", text: `Cell ${cell.number}, ${where}` }),
    cell.forecast ? h("p", { class: "sbp-forecast", dir: "auto", text: showHidden(cell.forecast) }) : "",
    h("div", { class: "sbp-steps-into", role: "group", "aria-label": "Step through the cell" }, change, ...steps),
    list,
  );
  return {
    node,
    buttons: steps,
    /** The text is changed below: the code as it was proposed goes. */
    editing(on) {
      list.hidden = on;
      change.setAttribute("aria-expanded", String(on));
      for (const each of steps) each.hidden = on;
    },
    /** The line that waits is in sight. */
    reveal() {
      if (cell.line) scrollWithin(list, lines[cell.line - 1]);
    },
  };
}

/** Make the place of what a run's end offers: cells for the notebook. */
export function makeInserts() {
  const node = h("p", { class: "sbp-insert-all", hidden: true });
  let drawn = "";
  return {
    node,
    update(cells, save) {
      const now = JSON.stringify([cells, save]);
      if (now === drawn) return;
      drawn = now;
      const offered = [save && makeInsert(save, "", "Save as skill…"), cells.length && makeInsert(cells)].filter(Boolean);
      node.hidden = offered.length === 0;
      node.replaceChildren(...offered);
    },
  };
}

/** Make the list of variables; one that is rows opens to a table. */
export function makeVariables() {
  const list = h("div", { class: "sbp-variable-list" });
  const node = h("details", { class: "sbp-variables", hidden: true }, h("summary", { text: "Variables" }), list);
  let drawn = "";
  return {
    node,
    update(variables) {
      const now = JSON.stringify(variables);
      if (now === drawn) return;
      drawn = now;
      node.hidden = variables.length === 0;
      list.replaceChildren(...variables.map(variableLine));
    },
  };
}

function variableLine({ name, type, size, text, columns, rows }) {
  const facts = size === null ? type : `${type}, ${size}`;
  const head = [h("code", { text: showHidden(name) }), h("span", { class: "sbp-note", text: showHidden(facts) })];
  if (!columns.length)
    return h("div", { class: "sbp-variable" }, ...head, h("span", { class: "sbp-value", dir: "auto", text: showHidden(text) }));
  const cells = (tag, row) => h("tr", {}, ...row.map((each) => h(tag, { dir: "auto", text: showHidden(each) })));
  const more = size > rows.length ? h("p", { class: "sbp-note", text: `… and ${size - rows.length} more` }) : "";
  const table = h("table", {}, h("thead", {}, cells("th", columns)), h("tbody", {}, ...rows.map((row) => cells("td", row))));
  return h("div", { class: "sbp-variable" }, ...head, h("div", { class: "sbp-rows", tabindex: "0" }, table, more));
}
