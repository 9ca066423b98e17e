// What of the DevTools protocol the engine reads: DOMSnapshot.captureSnapshot and Accessibility.getFullAXTree.

/** Runs a command in one session of the protocol: the tab's own, or that of a frame in another process. */
export type Send = <T>(method: string, params?: object) => Promise<T>;

/** Values of the few nodes that have any. */
export interface Rare<T> {
  index: number[];
  value: T[];
}

export interface CapturedNodes {
  parentIndex: number[];
  nodeType: number[];
  nodeName: number[];
  nodeValue: number[];
  backendNodeId: number[];
  /** Names and values in turn, as numbers of strings. */
  attributes: number[][];
  shadowRootType?: Rare<number>;
  textValue?: Rare<number>;
  inputValue?: Rare<number>;
  inputChecked?: { index: number[] };
  optionSelected?: { index: number[] };
  contentDocumentIndex?: Rare<number>;
  currentSourceURL?: Rare<number>;
}

export interface CapturedDocument {
  documentURL: number;
  title: number;
  baseURL: number;
  frameId: number;
  nodes: CapturedNodes;
  layout: { nodeIndex: number[]; styles: number[][]; bounds: number[][]; text?: number[] };
  scrollOffsetX?: number;
  scrollOffsetY?: number;
  contentWidth?: number;
  contentHeight?: number;
}

export interface Captured {
  documents: CapturedDocument[];
  strings: string[];
}

/** The computed styles to ask for, in this order. */
export const STYLES = [
  "display",
  "visibility",
  "cursor",
  "content-visibility",
  "pointer-events",
  "white-space-collapse",
  "overflow-y",
] as const;

interface AxRelated {
  relatedNodes?: { backendDOMNodeId?: number }[];
}

export interface AxSource {
  type: string;
  attribute?: string;
  superseded?: boolean;
  value?: { value?: unknown };
  attributeValue?: AxRelated;
  nativeSourceValue?: AxRelated;
}

export interface AxNode {
  ignored: boolean;
  backendDOMNodeId?: number;
  role?: { value?: string };
  name?: { value?: string; sources?: AxSource[] };
  description?: { value?: string };
  value?: { value?: unknown };
  properties?: { name: string; value: { value?: unknown } }[];
}
