// A DataFrame: a click on a cell shows where it came from, below the table and in the page.
import { h, onKeydown, takeKeys, targetOf } from "./dom.js";
import { markWhenGone } from "./gone.js";
import { shorten, showHidden } from "./text.js";

const LONGEST = 160;
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function render({ model, el }) {
  const state = model.get("state");
  const cells = state.rows.map((line, row) =>
    line.slice(1).map((text, column) =>
      h("td", {
        role: "gridcell",
        tabindex: row || column ? "-1" : "0",
        dir: "auto",
        text: shorten(showHidden(text), LONGEST),
        title: "Show where this came from",
        "data-row": row,
        "data-column": column,
      }),
    ),
  );
  const heads = state.columns.map((name) => h("th", { scope: "col", text: shorten(showHidden(name), LONGEST) }));
  const lines = cells.map((line, row) =>
    h("tr", {}, h("th", { scope: "row", text: showHidden(state.rows[row][0]) }), ...line),
  );
  const table = h(
    "table",
    { role: "grid", "aria-label": "DataFrame" },
    h("thead", {}, h("tr", {}, h("th"), ...heads)),
    h("tbody", {}, ...lines),
  );
  const facts = h("dl", { class: "sbp-facts-of" });
  const problem = h("p", { class: "sbp-problem", role: "status" });
  const shot = h("img", { alt: "Screenshot of where the cell came from", class: "sbp-crop", hidden: true });
  const source = h("section", { class: "sbp-source", "aria-label": "Source of the cell", hidden: true }, facts, problem, shot);
  const hint = h("p", { class: "sbp-note" });
  const root = h(
    "div",
    { class: "sbp sbp-frame", role: "region", "aria-label": "Extracted rows", "data-lm-suppress-shortcuts": "true" },
    h("div", { class: "sbp-rows" }, table),
    hint,
    source,
  );
  let url = "";

  const placeOf = (cell) => [Number(cell.dataset.row), Number(cell.dataset.column)];

  function pick(cell) {
    const [row, column] = placeOf(cell);
    model.send({ type: "source", row, column });
  }

  table.addEventListener("click", (event) => {
    const cell = event.target.closest("td");
    if (!cell) return;
    move(cell);
    pick(cell);
  });
  onKeydown(table, (event) => {
    const cell = targetOf(event).closest("td");
    if (!cell) return;
    const way = MOVES[event.key];
    const [row, column] = placeOf(cell);
    const next = way && cells[row + way[0]]?.[column + way[1]];
    if (next) move(next);
    else if (event.key === "Enter" || event.key === " ") pick(cell);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  function move(cell) {
    for (const other of table.querySelectorAll('td[tabindex="0"]')) other.tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus({ preventScroll: true });
  }

  function drawState() {
    const { picked, facts: said = [], problem: why = "", more = "", busy = false } = model.get("state");
    for (const marked of table.querySelectorAll("[aria-selected]")) marked.removeAttribute("aria-selected");
    if (picked) cells[picked[0]]?.[picked[1]]?.setAttribute("aria-selected", "true");
    const lead = picked ? "" : "Click a cell to see where it came from.";
    hint.textContent = [more, lead].filter(Boolean).join(" · ");
    facts.replaceChildren(
      ...said.flatMap(([name, text]) => [h("dt", { text: name }), h("dd", { dir: "auto", text: showHidden(text) })]),
    );
    problem.textContent = busy ? "" : showHidden(why);
    source.hidden = !picked;
    source.setAttribute("aria-busy", String(busy));
  }

  function drawShot() {
    const bytes = model.get("shot");
    URL.revokeObjectURL(url);
    url = bytes?.byteLength ? URL.createObjectURL(new Blob([bytes], { type: "image/png" })) : "";
    shot.hidden = !url;
    if (url) shot.src = url;
  }

  model.on("change:state", drawState);
  model.on("change:shot", drawShot);
  drawState();
  drawShot();
  el.append(root);
  const unmark = markWhenGone(model, root);
  const giveKeysBack = takeKeys(root);
  return () => {
    giveKeysBack();
    unmark();
    URL.revokeObjectURL(url);
    model.off("change:state", drawState);
    model.off("change:shot", drawShot);
  };
}

export default { render };
