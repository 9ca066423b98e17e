// A DataFrame: a click on a cell shows where it came from, below the table and in the page.
import { h, onKeydown, takeKeys, targetOf } from "./dom.js";
import { markWhenGone } from "./gone.js";
import { shorten, showHidden } from "./text.js";

const LONGEST = 160;
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

const SMALL = 10; // rows that need no tools

/** A column's summary: what it holds in words, and a histogram. */
function makeSummary({ kind, blanks, distinct, says, bars }) {
  const counted = [kind, `${distinct.toLocaleString("en")} different`, blanks ? `${blanks.toLocaleString("en")} blank` : ""];
  const words = [counted.filter(Boolean).join(", "), says].filter(Boolean);
  const chart = h("span", { class: "sbp-bars", "aria-hidden": "true" }, ...bars.map((height) => h("i", { style: `height: ${height * 100}%` })));
  return h(
    "div",
    { class: "sbp-summary", title: showHidden(words.join("\n")) },
    bars.length ? chart : null,
    ...words.map((text) => h("div", { dir: "auto", text: shorten(showHidden(text), 60) })),
  );
}

function render({ model, el }) {
  let cells = [];
  let shown = "";
  const table = h("table", { role: "grid", "aria-label": "DataFrame" });
  const search = h("input", {
    class: "sbp-input",
    type: "search",
    "aria-label": "Filter rows",
    placeholder: "Filter rows",
    on: { input: () => model.send({ type: "filter", words: search.value }) },
  });
  const turn = (text, label, by) =>
    h("button", {
      type: "button",
      class: "sbp-button",
      text,
      "aria-label": label,
      on: { click: () => model.send({ type: "page", first: model.get("state").first + by * model.get("state").size }) },
    });
  const [back, on] = [turn("‹", "Rows before", -1), turn("›", "Rows after", 1)];
  const where = h("span", { class: "sbp-dim", role: "status" });
  const tools = h("div", { class: "sbp-tools" }, search, back, where, on);

  /** The page of rows, drawn anew where it is another one. */
  function drawTable(state) {
    const key = JSON.stringify([state.rows, state.sorted, state.descending, state.summaries]);
    if (key === shown) return;
    shown = key;
    const hadFocus = table.contains(table.getRootNode().activeElement);
    cells = state.rows.map((line, row) =>
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
    const heads = state.columns.map((name, column) => {
      const isSorted = state.sorted === column;
      const sorts = h(
        "button",
        { type: "button", class: "sbp-sort", title: "Sort by this column", on: { click: () => model.send({ type: "sort", column }) } },
        h("span", { dir: "auto", text: shorten(showHidden(name), LONGEST) }),
        h("span", { "aria-hidden": "true", text: isSorted ? (state.descending ? " ▼" : " ▲") : "" }),
      );
      const order = isSorted ? (state.descending ? "descending" : "ascending") : "none";
      const summary = state.summaries[column];
      return h("th", { scope: "col", "aria-sort": order, "data-head": column }, sorts, summary ? makeSummary(summary) : null);
    });
    const lines = cells.map((line, row) => h("tr", {}, h("th", { scope: "row", text: showHidden(state.rows[row][0]) }), ...line));
    const focused = hadFocus ? table.getRootNode().activeElement?.closest("[data-head]")?.dataset.head : undefined;
    table.replaceChildren(h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "sbp-hidden", text: "Row" })), ...heads)), h("tbody", {}, ...lines));
    if (focused !== undefined) table.querySelector(`[data-head="${focused}"] button`)?.focus({ preventScroll: true });
  }

  function drawTools({ first, size, count, total, words }) {
    const last = Math.min(first + size, count);
    const number = (each) => each.toLocaleString("en");
    const of = words ? `${number(count)} found in ${number(total)}` : number(count);
    where.textContent = count ? `rows ${number(first + 1)} to ${number(last)} of ${of}` : `no row of ${number(total)} has this`;
    tools.hidden = total <= SMALL;
    back.disabled = first <= 0;
    on.disabled = last >= count;
  }

  const facts = h("dl", { class: "sbp-facts-of" });
  const problem = h("p", { class: "sbp-problem", role: "status" });
  const shot = h("img", { alt: "Screenshot of where the cell came from", class: "sbp-crop", hidden: true });
  const source = h("section", { class: "sbp-source", "aria-label": "Source of the cell", hidden: true }, facts, problem, shot);
  const hint = h("p", { class: "sbp-note" });
  const verdict = h("summary", { class: "sbp-note" });
  const laws = h("ul", { class: "sbp-laws" });
  const checked = h("details", { class: "sbp-checked" }, verdict, laws);
  const root = h(
    "div",
    { class: "sbp sbp-frame", role: "region", "aria-label": "Extracted rows", "data-lm-suppress-shortcuts": "true" },
    tools,
    h("div", { class: "sbp-rows" }, table),
    hint,
    checked,
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

  function drawChecked({ complete, reason, laws: known }) {
    verdict.textContent = showHidden([complete ? "Complete" : "Not complete", reason].filter(Boolean).join(": "));
    laws.replaceChildren(...known.map(({ holds, words }) => h("li", { dir: "auto", text: `${holds ? "✓" : "✗"} ${showHidden(words)}` })));
    checked.hidden = !known.length;
  }

  function drawState() {
    const state = model.get("state");
    drawChecked(state.checked);
    const { picked, facts: said = [], problem: why = "", busy = false } = state;
    drawTable(state);
    drawTools(state);
    for (const marked of table.querySelectorAll("[aria-selected]")) marked.removeAttribute("aria-selected");
    if (picked) cells[picked[0]]?.[picked[1]]?.setAttribute("aria-selected", "true");
    hint.textContent = picked ? "" : "Click a cell to see where it came from.";
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
