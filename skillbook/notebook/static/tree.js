// The page's nodes as a collapsible tree with refs and a filter.
import { h, onKeydown, scrollWithin, targetOf } from "./dom.js";
import { shorten, showHidden } from "./text.js";

const [REF, ROLE, NAME, DEPTH, STATES, ACTIONABLE] = [0, 1, 2, 3, 4, 5];
const INDENT_PX = 13;

/** Make the tree. Callbacks: `hovered(ref or null)`, `picked(ref)`. */
export function makeTree({ hovered, picked }) {
  let rows = [];
  let items = [];
  let key = "";
  const byRef = new Map();
  const folded = new Set();
  const filter = h("input", {
    class: "sbp-input sbp-filter",
    type: "search",
    placeholder: "Filter by role, name or ref",
    "aria-label": "Filter the page's elements",
  });
  const onlyActions = h("input", { type: "checkbox" });
  const count = h("span", { class: "sbp-count", "aria-live": "polite" });
  const list = h("div", { class: "sbp-tree", role: "tree", "aria-label": "Elements of the page" });
  const node = h(
    "section",
    { class: "sbp-pane", "aria-label": "Page elements" },
    h(
      "div",
      { class: "sbp-bar" },
      filter,
      h("label", { class: "sbp-check" }, onlyActions, "actions only"),
    ),
    list,
    count,
  );

  const refOf = (event) => event.target.closest?.("[data-index]");
  list.addEventListener("mouseover", (event) => hovered(rows[refOf(event)?.dataset.index]?.[REF] ?? null));
  list.addEventListener("mouseleave", () => hovered(null));
  list.addEventListener("focusin", (event) => hovered(rows[refOf(event)?.dataset.index]?.[REF] ?? null));
  list.addEventListener("click", (event) => {
    const item = refOf(event);
    if (!item) return;
    focusItem(item);
    if (event.target.closest(".sbp-fold")) toggle(Number(item.dataset.index));
    else if (rows[item.dataset.index][REF]) picked(rows[item.dataset.index][REF]);
  });
  onKeydown(list, (event) => {
    const item = targetOf(event).closest("[data-index]");
    if (!item) return;
    const index = Number(item.dataset.index);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") move(item, event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "ArrowLeft" && hasChildren(index) && !isFolded(index)) toggle(index);
    else if (event.key === "ArrowRight" && hasChildren(index) && isFolded(index)) toggle(index);
    else if (
      (event.key === "Enter" || event.key === " ") &&
      !event.ctrlKey &&
      !event.metaKey &&
      rows[index][REF]
    )
      picked(rows[index][REF]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  filter.addEventListener("input", layOut);
  onlyActions.addEventListener("change", layOut);

  const foldKey = (index) => rows[index][REF] || `#${index}`;
  const isFolded = (index) => folded.has(foldKey(index));
  const hasChildren = (index) => index + 1 < rows.length && rows[index + 1][DEPTH] > rows[index][DEPTH];

  function toggle(index) {
    if (!hasChildren(index)) return;
    if (!folded.delete(foldKey(index))) folded.add(foldKey(index));
    layOut();
  }

  function move(item, step) {
    let next = items.indexOf(item) + step;
    while (items[next]?.hidden) next += step;
    if (items[next]) focusItem(items[next]);
  }

  function focusItem(item) {
    list.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    item.setAttribute("tabindex", "0");
    item.focus({ preventScroll: true });
    scrollWithin(list, item);
  }

  function makeItem(row, index) {
    const name = showHidden(row[NAME]);
    return h(
      "div",
      {
        class: row[ACTIONABLE] & 1 ? "sbp-item sbp-act" : "sbp-item",
        role: "treeitem",
        "aria-level": row[DEPTH] + 1,
        "data-index": index,
        "data-ref": row[REF] || null,
        tabindex: index ? "-1" : "0",
        style: `padding-left: ${6 + INDENT_PX * Math.min(row[DEPTH], 24)}px`,
      },
      h("span", { class: "sbp-fold", "aria-hidden": "true", text: hasChildren(index) ? "▾" : "" }),
      row[ROLE] !== "text" && h("span", { class: "sbp-role", text: row[ROLE] }),
      name !== "" &&
        h("span", {
          class: row[ROLE] === "text" ? "sbp-text" : "sbp-name",
          dir: "auto",
          text: shorten(name, 160),
          title: name.length > 160 ? shorten(name, 2000) : null,
        }),
      row[STATES] && h("span", { class: "sbp-dim", text: showHidden(row[STATES]) }),
      row[REF] && h("span", { class: "sbp-ref", text: row[REF] }),
    );
  }

  /** Decide which rows show: those that match with their ancestors, without what is folded away. */
  function layOut() {
    const words = filter.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const searching = words.length > 0 || onlyActions.checked;
    const wanted = rows.map((row) => {
      const text = `${row[ROLE]} ${row[NAME]} ${row[REF]} ${row[STATES]}`.toLowerCase();
      return (!onlyActions.checked || row[ACTIONABLE] & 1) && words.every((word) => text.includes(word));
    });
    const shown = wanted.slice();
    if (searching) {
      let depth = Number.POSITIVE_INFINITY;
      for (let index = rows.length - 1; index >= 0; index -= 1) {
        if (rows[index][DEPTH] < depth && (shown[index] || depth !== Number.POSITIVE_INFINITY)) {
          shown[index] = true;
          depth = rows[index][DEPTH] || Number.POSITIVE_INFINITY;
        } else if (shown[index]) {
          depth = Math.min(depth, rows[index][DEPTH]);
        }
      }
    }
    let foldedAt = Number.POSITIVE_INFINITY;
    rows.forEach((row, index) => {
      if (row[DEPTH] <= foldedAt) foldedAt = Number.POSITIVE_INFINITY;
      items[index].hidden = !shown[index] || (!searching && row[DEPTH] > foldedAt);
      const closed = !searching && isFolded(index) && hasChildren(index);
      if (hasChildren(index)) {
        items[index].setAttribute("aria-expanded", String(!closed));
        items[index].classList.toggle("sbp-folded", closed);
      }
      if (closed && row[DEPTH] < foldedAt) foldedAt = row[DEPTH];
    });
    count.textContent = searching
      ? `${wanted.filter(Boolean).length} of ${rows.length} elements`
      : `${rows.length} elements`;
  }

  return {
    node,
    update(view) {
      const fresh = JSON.stringify([view.rows, view.omitted]);
      if (fresh === key) return;
      key = fresh;
      rows = view.rows ?? [];
      const top = list.scrollTop;
      items = rows.map(makeItem);
      byRef.clear();
      for (const [index, row] of rows.entries()) if (row[REF]) byRef.set(row[REF], index);
      list.replaceChildren(...items);
      if (view.omitted)
        list.append(
          h("div", {
            class: "sbp-item sbp-dim",
            text: `… and ${view.omitted.toLocaleString()} more: snapshot.find(…) reaches them`,
          }),
        );
      layOut();
      list.scrollTop = top;
    },
    /** A ref's role and name in words, or "" where the page has no such ref. */
    describe(ref) {
      const row = rows[byRef.get(ref)];
      return row ? `${row[ROLE]}${row[NAME] ? ` “${shorten(showHidden(row[NAME]), 100)}”` : ""}` : "";
    },
    /** Whether text can be put in an element, as far as is known. */
    takesText: (ref) => !(rows[byRef.get(ref)]?.[ACTIONABLE] & 2),
    mark(name, ref, scroll) {
      list.querySelector(`.${name}`)?.classList.remove(name);
      const item = items[byRef.get(ref)];
      item?.classList.add(name);
      if (item && scroll && !item.hidden) scrollWithin(list, item);
    },
  };
}
