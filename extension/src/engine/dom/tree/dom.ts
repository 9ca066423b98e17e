// Members of nodes, read past DOM clobbering: a form's fields hide its members of the same names, a document's images, forms and
// frames those of the document, from the scripts of every world (HTML, "[LegacyOverrideBuiltIns]").
//
// Prototypes hide nothing, so every access to a node that may be a form, a frameset or a document goes through here. Others
// (text, inputs, shadow roots, what we create) are read as usual.

/** A member of a node of any kind. */
export function get<T extends object, K extends keyof T>(node: T, name: K): T[K] {
  return Reflect.get(Object.getPrototypeOf(node), name, node);
}

export function set<T extends object, K extends keyof T>(node: T, name: K, value: T[K]): void {
  Reflect.set(Object.getPrototypeOf(node), name, value, node);
}

type Method = (...given: never[]) => unknown;
type MethodOf<T, K extends keyof T> = T[K] extends Method ? T[K] : never;

/** Call a method of a node of any kind. */
export function call<T extends object, K extends keyof T>(
  node: T,
  name: K,
  ...given: Parameters<MethodOf<T, K>>
): ReturnType<MethodOf<T, K>> {
  return Reflect.apply(get(node, name) as Method, node, given) as ReturnType<MethodOf<T, K>>;
}

export const children = (element: Element): HTMLCollection => get(element, "children");
export const isConnected = (node: Node): boolean => get(node, "isConnected");
export const textContent = (node: Node): string => get(node, "textContent") ?? "";
/** The document or the shadow root; of what is in neither, the topmost node. */
export const getRootNode = (node: Node): Node => call(node, "getRootNode");
export const querySelector = (root: ParentNode, selectors: string): Element | null =>
  call(root, "querySelector", selectors);
export const querySelectorAll = (root: ParentNode, selectors: string): NodeListOf<Element> =>
  call(root, "querySelectorAll", selectors);

// What a walk reads of every node is taken from the prototypes once.

const getter = <T, K extends string & keyof T>(kind: { prototype: T }, name: K): (() => T[K]) =>
  Object.getOwnPropertyDescriptor(kind.prototype, name)?.get as () => T[K];

const localNameOf = getter(Element, "localName");
export const localName = (element: Element): string => localNameOf.call(element);
const shadowRootOf = getter(Element, "shadowRoot");
export const shadowRoot = (element: Element): ShadowRoot | null => shadowRootOf.call(element);
const firstElementOf = getter(Element, "firstElementChild");
export const firstElementChild = (parent: Element | ShadowRoot): Element | null =>
  parent instanceof Element ? firstElementOf.call(parent) : parent.firstElementChild;
const lastElementOf = getter(Element, "lastElementChild");
export const lastElementChild = (parent: Element): Element | null => lastElementOf.call(parent);
const nextElementOf = getter(Element, "nextElementSibling");
export const nextElementSibling = (element: Element): Element | null => nextElementOf.call(element);
const previousElementOf = getter(Element, "previousElementSibling");
export const previousElementSibling = (element: Element): Element | null => previousElementOf.call(element);
const childNodesOf = getter(Node, "childNodes");
export const childNodes = (node: Node): NodeListOf<ChildNode> => childNodesOf.call(node);
export const ELEMENT = Node.ELEMENT_NODE;
export const TEXT = Node.TEXT_NODE;
const nodeTypeOf = getter(Node, "nodeType");
export const nodeType = (node: Node): number => nodeTypeOf.call(node);
const parentNodeOf = getter(Node, "parentNode");
export const parentNode = (node: Node): ParentNode | null => parentNodeOf.call(node);
const parentElementOf = getter(Node, "parentElement");
export const parentElement = (node: Node): HTMLElement | null => parentElementOf.call(node);
const firstChildOf = getter(Node, "firstChild");
export const firstChild = (node: Node): ChildNode | null => firstChildOf.call(node);
const nextSiblingOf = getter(Node, "nextSibling");
export const nextSibling = (node: Node): ChildNode | null => nextSiblingOf.call(node);

const of = Element.prototype;
const { getAttribute: attributeOf, hasAttribute: hasAttributeOf, hasAttributes: hasAttributesOf } = of;
const { getAttributeNames: namesOf, checkVisibility: visibilityOf, getBoundingClientRect: rectOf } = of;
const { closest: closestOf, matches: matchesOf } = of;
export const getAttribute = (element: Element, name: string): string | null =>
  attributeOf.call(element, name);
export const hasAttribute = (element: Element, name: string): boolean => hasAttributeOf.call(element, name);
export const hasAttributes = (element: Element): boolean => hasAttributesOf.call(element);
export const getAttributeNames = (element: Element): string[] => namesOf.call(element);
export const getBoundingClientRect = (element: Element): DOMRect => rectOf.call(element);
export const closest = (element: Element, selectors: string): Element | null =>
  closestOf.call(element, selectors);
export const matches = (element: Element, selectors: string): boolean => matchesOf.call(element, selectors);
export const checkVisibility = (element: Element, options?: CheckVisibilityOptions): boolean =>
  visibilityOf.call(element, options);
