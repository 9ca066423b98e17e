// What the engine reads of the DevTools protocol: DOMSnapshot.captureSnapshot and Accessibility.getFullAXTree.

/** Runs a command in one session of the protocol: the tab's own, or that of a frame in another process. */
export type Send = <T>(method: string, params?: object) => Promise<T>;

/** Values of the few nodes that have any; strings are numbers in the capture's table of strings. */
interface Rare<T> {
  index: number[];
  value: T[];
}

/** The nodes of one document in the order of its flat tree, shadow roots of either kind included. */
interface CapturedNodes {
  parentIndex: number[];
  nodeType: number[];
  nodeName: number[];
  nodeValue: number[];
  backendNodeId: number[];
  /** Names and values in turn. */
  attributes: number[][];
  textValue?: Rare<number>;
  inputValue?: Rare<number>;
  inputChecked?: { index: number[] };
  optionSelected?: { index: number[] };
  contentDocumentIndex?: Rare<number>;
  currentSourceURL?: Rare<number>;
}

interface CapturedLayout {
  nodeIndex: number[];
  styles: number[][];
  /** In the document's own coordinates. */
  bounds: number[][];
  /** Of what scrolls: how far it is scrolled, and the size of its content. */
  scrollRects?: number[][];
  /** The width of the left and top border, and the size inside of the borders. */
  clientRects?: number[][];
}

export interface CapturedDocument {
  documentURL: number;
  title: number;
  baseURL: number;
  frameId: number;
  nodes: CapturedNodes;
  layout: CapturedLayout;
  scrollOffsetX?: number;
  scrollOffsetY?: number;
  contentWidth?: number;
  contentHeight?: number;
}

export interface Captured {
  documents: CapturedDocument[];
  strings: string[];
}

/** The computed styles that the engine requests, in this order. */
export const STYLES = [
  "display",
  "visibility",
  "cursor",
  "content-visibility",
  "overflow-y",
  "pointer-events",
  "-webkit-text-security",
] as const;

interface AxProperty {
  name: string;
  value: { value?: unknown; relatedNodes?: { backendDOMNodeId?: number }[] };
}

export interface AxNode {
  ignored: boolean;
  backendDOMNodeId?: number;
  role?: { value?: string };
  name?: {
    value?: string;
    sources?: { type: string; attribute?: string; superseded?: boolean; value?: { value?: unknown } }[];
  };
  description?: { value?: string };
  value?: { value?: unknown };
  properties?: AxProperty[];
}
