// The page's nodes as a collapsible tree with refs and a filter.

import { memo, useLayoutEffect, useMemo, useRef, useState } from "react";
import { shorten, showHidden } from "../common/text";
import { scrollWithin, targetOf, useKeydown } from "./keys";
import type { PageView, Row } from "./page_view";

const INDENT_PX = 13;

interface Props {
  view: PageView;
  hovered: (ref: string | null) => void;
  picked: (ref: string) => void;
}

const isAction = (row: Row): boolean => Boolean(row[5] & 1);

interface Layout {
  /** Which rows show. */
  shown: boolean[];
  closed: boolean[];
  /** How many match, where something is searched for. */
  matches: number | null;
}

const foldKey = (rows: readonly Row[], index: number): string => rows[index]?.[0] || `#${index}`;
const hasChildren = (rows: readonly Row[], index: number): boolean =>
  (rows[index + 1]?.[3] ?? -1) > (rows[index]?.[3] ?? 0);

/** Which rows show: those that match with their ancestors, without what is folded away. Pure. */
export function layOut(
  rows: readonly Row[],
  filter: string,
  onlyActions: boolean,
  folded: ReadonlySet<string>,
): Layout {
  const words = filter.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const searching = words.length > 0 || onlyActions;
  const matching = rows.map((row) => {
    const [ref, role, name, , states] = row;
    const text = `${role} ${name} ${ref} ${states}`.toLowerCase();
    return (!onlyActions || isAction(row)) && words.every((word) => text.includes(word));
  });
  const shown = matching.slice();
  if (searching) addAncestors(rows, shown);
  const closed: boolean[] = [];
  let foldedAt = Number.POSITIVE_INFINITY;
  for (const [index, row] of rows.entries()) {
    if (row[3] <= foldedAt) foldedAt = Number.POSITIVE_INFINITY;
    if (!searching && row[3] > foldedAt) shown[index] = false;
    const isClosed = !searching && hasChildren(rows, index) && folded.has(foldKey(rows, index));
    closed.push(isClosed);
    if (isClosed && row[3] < foldedAt) foldedAt = row[3];
  }
  return { shown, closed, matches: searching ? matching.filter(Boolean).length : null };
}

function addAncestors(rows: readonly Row[], shown: boolean[]): void {
  const none = Number.POSITIVE_INFINITY;
  let depth = none;
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const its = rows[index]?.[3] ?? 0;
    if (its < depth && (shown[index] || depth !== none)) {
      shown[index] = true;
      depth = its || none;
    } else if (shown[index]) depth = Math.min(depth, its);
  }
}

export function Tree({ view, hovered, picked }: Props): React.ReactNode {
  const { rows, omitted } = view;
  const [filter, setFilter] = useState("");
  const [onlyActions, setOnlyActions] = useState(false);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const { shown, closed, matches } = useMemo(
    () => layOut(rows, filter, onlyActions, folded),
    [rows, filter, onlyActions, folded],
  );
  return (
    <section className="sbp-pane" aria-label="Page elements">
      <div className="sbp-bar">
        <input
          className="sbp-input sbp-filter"
          type="search"
          placeholder="Filter by role, name or ref"
          aria-label="Filter the page's elements"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <label className="sbp-check">
          <input
            type="checkbox"
            checked={onlyActions}
            onChange={(event) => setOnlyActions(event.target.checked)}
          />
          actions only
        </label>
      </div>
      <Items
        rows={rows}
        shown={shown}
        closed={closed}
        hovered={hovered}
        picked={picked}
        setFolded={setFolded}
      >
        {omitted > 0 && (
          <div className="sbp-item sbp-dim">
            {`… and ${omitted.toLocaleString("en")} more: snapshot.find(…) reaches them`}
          </div>
        )}
      </Items>
      <span className="sbp-count" aria-live="polite">
        {matches === null ? `${rows.length} elements` : `${matches} of ${rows.length} elements`}
      </span>
    </section>
  );
}

interface ItemsProps extends Pick<Layout, "shown" | "closed">, Omit<Props, "view"> {
  rows: readonly Row[];
  setFolded: React.Dispatch<React.SetStateAction<ReadonlySet<string>>>;
  children: React.ReactNode;
}

const indexOf = (target: EventTarget | null): number => {
  const item = target instanceof Element && target.closest<HTMLElement>("[data-index]");
  return item ? Number(item.dataset.index) : -1;
};

/** Turns keys and clicks on items into what they do. */
function useItems({ rows, shown, closed, picked, setFolded }: Omit<ItemsProps, "hovered" | "children">) {
  const list = useRef<HTMLDivElement | null>(null);
  const [focused, setFocused] = useState(0);
  const toggle = (index: number): void => {
    if (!hasChildren(rows, index)) return;
    setFolded((before) => {
      const now = new Set(before);
      const key = foldKey(rows, index);
      if (!now.delete(key)) now.add(key);
      return now;
    });
  };
  const focusItem = (index: number): void => {
    const item = list.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
    if (!item || !list.current) return;
    setFocused(index);
    item.focus({ preventScroll: true });
    scrollWithin(list.current, item);
  };
  const press = ({ key, ctrlKey, metaKey }: KeyboardEvent, index: number): boolean => {
    const isParent = hasChildren(rows, index);
    if (key === "ArrowDown" || key === "ArrowUp") {
      const step = key === "ArrowDown" ? 1 : -1;
      let next = index + step;
      while (next in rows && !shown[next]) next += step;
      if (next in rows) focusItem(next);
    } else if ((key === "ArrowLeft" && isParent && !closed[index]) || (key === "ArrowRight" && closed[index]))
      toggle(index);
    else if ((key === "Enter" || key === " ") && !ctrlKey && !metaKey && rows[index]?.[0])
      picked(rows[index][0]);
    else return false;
    return true;
  };
  const keys = useKeydown<HTMLDivElement>((event) => {
    const index = indexOf(targetOf(event));
    if (index < 0 || !press(event, index)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  const click = (target: EventTarget): void => {
    const index = indexOf(target);
    if (index < 0) return;
    focusItem(index);
    if ((target as Element).closest(".sbp-fold")) toggle(index);
    else if (rows[index]?.[0]) picked(rows[index][0]);
  };
  return { list, keys, click, focused: Math.min(focused, rows.length - 1) };
}

function Items({ hovered, children, ...props }: ItemsProps): React.ReactNode {
  const { rows, shown, closed } = props;
  const { list, keys, click, focused } = useItems(props);
  const refOf = (target: EventTarget | null): string => rows[indexOf(target)]?.[0] ?? "";
  const top = useRef(0);
  // What is read anew stays where it was scrolled to.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for another page's rows
  useLayoutEffect(() => {
    if (list.current) list.current.scrollTop = top.current;
  }, [rows]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: `keys` takes them
    <div
      className="sbp-tree"
      role="tree"
      tabIndex={-1}
      aria-label="Elements of the page"
      ref={(node) => {
        list.current = node;
        keys(node);
      }}
      onScroll={(event) => {
        top.current = event.currentTarget.scrollTop;
      }}
      onMouseOver={(event) => hovered(refOf(event.target) || null)}
      onFocus={(event) => hovered(refOf(event.target) || null)}
      onMouseLeave={() => hovered(null)}
      onClick={(event) => click(event.target)}
    >
      {rows.map((row, index) => (
        <Item
          key={row[0] || index}
          row={row}
          index={index}
          hidden={!shown[index]}
          isOpen={hasChildren(rows, index) ? !closed[index] : null}
          isFocused={index === focused}
        />
      ))}
      {children}
    </div>
  );
}

interface ItemProps {
  row: Row;
  index: number;
  hidden: boolean;
  /** None where nothing is below it. */
  isOpen: boolean | null;
  isFocused: boolean;
}

const isSame = (one: ItemProps, other: ItemProps): boolean =>
  one.index === other.index &&
  one.hidden === other.hidden &&
  one.isOpen === other.isOpen &&
  one.isFocused === other.isFocused &&
  one.row.slice(0, 6).every((part, place) => part === other.row[place]);

const Item = memo(function Item({ row, index, hidden, isOpen, isFocused }: ItemProps): React.ReactNode {
  const [ref, role, , depth, states] = row;
  const name = showHidden(row[2]);
  return (
    <div
      className={isAction(row) ? "sbp-item sbp-act" : "sbp-item"}
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={isOpen ?? undefined}
      data-index={index}
      data-ref={ref || undefined}
      tabIndex={isFocused ? 0 : -1}
      hidden={hidden}
      style={{ paddingLeft: `${6 + INDENT_PX * Math.min(depth, 24)}px` }}
    >
      <span className="sbp-fold" aria-hidden="true">
        {isOpen === null ? "" : "▾"}
      </span>
      {role !== "text" && <span className="sbp-role">{role}</span>}
      {name !== "" && (
        <span
          className={role === "text" ? "sbp-text" : "sbp-name"}
          dir="auto"
          title={name.length > 160 ? shorten(name, 2000) : undefined}
        >
          {shorten(name, 160)}
        </span>
      )}
      {states && <span className="sbp-dim">{showHidden(states)}</span>}
      {ref && <span className="sbp-ref">{ref}</span>}
    </div>
  );
}, isSame);
