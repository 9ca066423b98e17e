// Captures as DOMSnapshot.captureSnapshot gives them, written as trees.
import type { AxFacts } from "../../../src/engine/cdp/ax";
import { flatten } from "../../../src/engine/cdp/flatten";
import type { Captured, CapturedDocument } from "../../../src/engine/cdp/protocol";
import { elementsIn, snapshotOf } from "../../../src/engine/cdp/snapshot";
import { buildTree, type VirtualDocument } from "../../../src/engine/cdp/tree";

export interface Spec {
  tag: string;
  id?: number;
  attributes?: Record<string, string>;
  children?: (Spec | string)[];
  display?: string;
  visibility?: string;
  cursor?: string;
  content?: string;
  /** Not in the layout. */
  unlaid?: boolean;
  box?: [number, number, number, number];
  listens?: boolean;
  value?: string;
  checked?: boolean;
  selected?: boolean;
}

/** Adds to `listeners` what scripts listen on. */
export function captured(children: (Spec | string)[], listeners = new Set<number>()): Captured {
  const strings: string[] = [];
  const text = (one: string): number => {
    const at = strings.indexOf(one);
    return at >= 0 ? at : strings.push(one) - 1;
  };
  const rare = () => ({ index: [] as number[], value: [] as number[] });
  const nodes = {
    parentIndex: [] as number[],
    nodeType: [] as number[],
    nodeName: [] as number[],
    nodeValue: [] as number[],
    backendNodeId: [] as number[],
    attributes: [] as number[][],
    inputValue: rare(),
    inputChecked: { index: [] as number[] },
    optionSelected: { index: [] as number[] },
  };
  const layout = { nodeIndex: [] as number[], styles: [] as number[][], bounds: [] as number[][] };
  let free = 1000;
  const add = (up: number, type: number, name: string, value: string, id?: number): number => {
    nodes.parentIndex.push(up);
    nodes.nodeType.push(type);
    nodes.nodeName.push(text(name));
    nodes.nodeValue.push(text(value));
    nodes.backendNodeId.push(id ?? free++);
    nodes.attributes.push([]);
    return nodes.nodeType.length - 1;
  };
  const layOut = (at: number, box: number[], styles: string[]): void => {
    layout.nodeIndex.push(at);
    layout.bounds.push(box);
    layout.styles.push(styles.map(text));
  };
  const place = (up: number, spec: Spec | string, hidden: boolean): void => {
    if (typeof spec === "string") {
      const at = add(up, 3, "#text", spec);
      if (!hidden) layOut(at, [10, 10, 40, 20], ["block", "visible", "auto", "visible"]);
      return;
    }
    const at = add(up, 1, spec.tag.toUpperCase(), "", spec.id);
    nodes.attributes[at] = Object.entries(spec.attributes ?? {}).flatMap((pair) => pair.map(text));
    const gone = hidden || spec.unlaid === true;
    const { display = "block", visibility = "visible", cursor = "auto", content = "visible" } = spec;
    if (!gone) layOut(at, spec.box ?? [10, 10, 40, 20], [display, visibility, cursor, content]);
    if (spec.listens) listeners.add(nodes.backendNodeId[at] as number);
    if (spec.selected) nodes.optionSelected.index.push(at);
    if (spec.checked) nodes.inputChecked.index.push(at);
    if (spec.value !== undefined) {
      nodes.inputValue.index.push(at);
      nodes.inputValue.value.push(text(spec.value));
    }
    for (const child of spec.children ?? []) place(at, child, gone && spec.display !== "contents");
  };
  layOut(add(-1, 9, "#document", "", 1), [0, 0, 800, 600], ["block", "visible", "auto", "visible"]);
  place(0, { tag: "html", children: [{ tag: "body", children }] }, false);
  const document: CapturedDocument = {
    documentURL: text("https://example.org/a/"),
    baseURL: text("https://example.org/a/"),
    title: text("Title"),
    frameId: text("FRAME"),
    nodes,
    layout,
    scrollOffsetX: 0,
    scrollOffsetY: 0,
    contentWidth: 800,
    contentHeight: 600,
  };
  return { documents: [document], strings };
}

export function facts(role: string | null, name = "", more: Partial<AxFacts> = {}): AxFacts {
  const rest = { description: "", labels: [], properties: new Map(), labelled: false, value: undefined };
  return { role, name, fromContent: name !== "", ...rest, ...more };
}

export interface Row {
  number: number;
  role: string;
  name: string;
  flags: number;
  extra: Record<string, unknown>;
  box: number[];
}

export function treeOf(
  children: (Spec | string)[],
  ax: ReadonlyMap<number, AxFacts> = new Map(),
  secret: ReadonlySet<number> = new Set(),
): VirtualDocument {
  const listeners = new Set<number>();
  const { documents, strings } = captured(children, listeners);
  const [document] = documents as [CapturedDocument];
  const text = (at: number | undefined): string => strings[at ?? -1] ?? "";
  return buildTree({ document, frameId: "FRAME", text, ax, listeners }, secret);
}

/** The rows that cross the wire; elements have their backend ids as numbers. */
export function rowsOf(document: VirtualDocument): Row[] {
  const rows = flatten(document);
  const numbers = new Map(elementsIn(rows).map(({ node }) => [node.backend, node.backend]));
  const { tree } = snapshotOf(document, rows, numbers, { key: "key", frame: 0, version: 1 });
  const extras = new Map(tree.extra);
  return tree.number.map((number, i) => ({
    number,
    role: tree.roles[tree.role[i] as number] as string,
    name: tree.name[i] as string,
    flags: tree.flags[i] as number,
    extra: (extras.get(i) ?? {}) as Record<string, unknown>,
    box: tree.box.slice(i * 4, i * 4 + 4),
  }));
}
