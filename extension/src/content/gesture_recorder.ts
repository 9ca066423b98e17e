// What a person does in the document, as steps of a recording. What the page makes itself is no input and no step. Each
// is reported with the document as it was before the page could answer. Typed secrets never leave the page.

import type { Engine } from "../engine/dom/engine";
import { proxyOf } from "../engine/dom/layout/hit_test";
import { isSecret } from "../engine/dom/semantics/values";
import * as dom from "../engine/dom/tree/dom";
import type { Gesture } from "../protocol/generated";
import { ALIVE_MS, TICK_MS } from "../shared/limits";
import type { ContentReport } from "../shared/messages";
import { Badge } from "./badge";
import { choiceOf } from "./options";
import { isInput } from "./scripted_events";

const DRAGGED_PX = 10;
/** What is so many times as large as what was pressed has something else in its middle. */
const WIDE = 4;
const TEXT_TYPES = /^(text|search|email|url|tel|password|number|)$/;
const SET_BY_CHANGE = /^(checkbox|radio|file|range|color|date|datetime-local|month|time|week)$/;
const EDITING_KEYS = /^(Backspace|Delete|Arrow\w+|Home|End|Page\w+)$/;
const SCROLLING_KEYS = /^(Arrow\w+|Home|End|Page\w+| )$/;
const EDITING_COMBINATIONS = /^[acvxyz]$/i;
const MODIFIERS = /^(Shift|Control|Alt|AltGraph|Meta|CapsLock|Dead|Process|Unidentified)$/;
const BOX = "input[type=checkbox],input[type=radio]";
const PRESSED_BY_SPACE =
  "button,summary,input,select,[role=button],[role=checkbox],[role=switch],[role=radio]";

type Params = Gesture["params"];

/** Whether a box is checked, and what the page says of that. */
type Checked = readonly [is: string, stated: string | null];

interface Press {
  path: Element[];
  tree: string;
  x: number;
  y: number;
  /** Its click came, and was a step or not. */
  clicked: boolean;
  /** The checkbox or radio button that it is on, on the label of, or on what shows in its place; was it checked? */
  box: HTMLInputElement | null;
  checked: Checked;
  /** A `change` of that box came. */
  changed: boolean;
}

export class GestureRecorder {
  #on = false;
  /** Nothing is recorded by name: the last acts are kept, and what a kernel does here is none of the person's. */
  #quiet = false;
  #press: Press | null = null;
  /** What a drag started on; null between drags. */
  #dragged: Press | null = null;
  /** The field whose text was reported last: its document was sent with it. */
  #typingIn: Element | null = null;
  /** Enter is down in a field: the form's button gets a click that nobody made. */
  #submits = false;
  /** What the person did last that scrolls, unless the page took it for something else. */
  #mover: Event | null = null;
  #moved = Number.NEGATIVE_INFINITY;
  #scroll: { element: Element | null; x: number; y: number; timer: ReturnType<typeof setTimeout> } | null =
    null;
  readonly #badge: Badge;
  readonly #from = new WeakMap<Node, { x: number; y: number }>();

  constructor(
    private readonly engine: Engine,
    private readonly window: Window,
    private readonly send: (report: ContentReport) => void,
    private readonly isActing: () => boolean,
  ) {
    this.#badge = new Badge(engine);
  }

  /** Record from now on, or no more; the text is shown in the page. Without one the last acts are kept, and no more. */
  record(on: boolean, text: string): void {
    if (this.window.parent === this.window && text) this.#badge.show(text, on ? "recording" : "paused");
    else this.#badge.clear();
    this.#quiet = !text;
    if (on === this.#on) return;
    this.#on = on;
    const change = on ? this.window.addEventListener : this.window.removeEventListener;
    for (const [type, listener] of Object.entries(this.#listeners))
      change.call(this.window, type, listener as (event: Event) => void, { capture: true, passive: true });
    this.#press = this.#dragged = this.#typingIn = null;
  }

  stop(): void {
    this.record(false, "");
  }

  /** The slider that keys are pressed in, and its value before them. */
  #slid: { field: HTMLInputElement; from: string } | null = null;

  readonly #listeners = {
    pointerdown: (event: PointerEvent) => this.#ifInput(event, () => this.#pressed(event)),
    pointerup: (event: PointerEvent) => this.#ifInput(event, () => this.#released(event)),
    click: (event: MouseEvent) => this.#ifInput(event, () => this.#clicked(event)),
    dblclick: (event: MouseEvent) => this.#ifInput(event, () => this.#clickedTwice(event)),
    input: (event: Event) => this.#ifInput(event, () => this.#typed(event)),
    change: (event: Event) => this.#ifInput(event, () => this.#changed(event)),
    focusout: (event: Event) => this.#ifInput(event, () => this.#left(event)),
    keydown: (event: KeyboardEvent) => this.#ifInput(event, () => this.#keyDown(event)),
    keyup: (event: KeyboardEvent) => this.#ifInput(event, () => this.#keyUp(event)),
    dragstart: (event: DragEvent) => this.#ifInput(event, () => this.#dragStarted()),
    drop: (event: DragEvent) => this.#ifInput(event, () => this.#dropped(event)),
    pointercancel: (event: PointerEvent) => this.#ifInput(event, () => this.#moves(event)),
    wheel: (event: WheelEvent) => this.#ifInput(event, () => this.#moves(event)),
    scroll: (event: Event) => this.#ifInput(event, () => this.#scrolled(event)),
  };

  #ifInput(event: Event, take: () => void): void {
    if (!this.#on || !isInput(event)) return;
    if (!this.#quiet || (event.isTrusted && !this.isActing())) take();
  }

  #moves(event: Event): void {
    this.#mover = event;
    this.#moved = performance.now();
  }

  #pressed(event: PointerEvent): void {
    this.#mover = null;
    if (isOnScrollbar(event)) this.#moves(event);
    this.#submits = false;
    this.#endScroll();
    if (event.button !== 0) return;
    const { clientX: x, clientY: y } = event;
    const path = pathOf(event);
    const box = path[0] ? this.#boxOf(path[0]) : null;
    const checked: Checked = box ? checkedOf(box) : ["", null];
    this.#press = { path, tree: this.#takeTree(), x, y, clicked: false, box, checked, changed: false };
  }

  /** A press that ends elsewhere moved something, unless it marked text. */
  #released(event: PointerEvent): void {
    const press = this.#press;
    if (!press || event.button !== 0) return;
    const dx = Math.round(event.clientX - press.x);
    const dy = Math.round(event.clientY - press.y);
    // The click, if one comes, comes with the release.
    setTimeout(() => this.#withoutClick(press, event.pointerType));
    if (Math.hypot(dx, dy) < DRAGGED_PX || isTextField(press.path[0]) || setsByChange(press.path[0])) return;
    if (dom.call(this.engine.document, "getSelection")?.type === "Range") return;
    const under = dom.call(this.engine.document, "elementFromPoint", event.clientX, event.clientY);
    this.#press = null;
    if (under && this.#around(under).includes(press.path[0] as Element))
      this.#report("drag", { dx, dy }, press.path, press.tree);
    else this.#report("drag", {}, press.path, press.tree, under ? this.#around(under) : []);
  }

  /**
   * What goes away or is put elsewhere while it is pressed, as options of many lists are, gets no click: the press was the
   * choice. A mouse's click comes with its release, a finger's may come later.
   */
  #withoutClick(press: Press, pointer: string): void {
    const [element] = press.path;
    if (!this.#on || press.clicked || this.#press !== press || !element) return;
    if (isTextField(element) || setsByChange(element)) return;
    if (this.#isShown(element) && (pointer !== "mouse" || dom.closest(element, ":disabled"))) return;
    press.clicked = true;
    this.#report("click", {}, press.path, press.tree);
  }

  #isShown(element: Element): boolean {
    return dom.isConnected(element) && dom.call(element, "getClientRects").length > 0;
  }

  #clicked(event: MouseEvent): void {
    if (this.#press) this.#press.clicked = true;
    if (event.detail === 0 && this.#submits) return;
    const path = pathOf(event);
    const [element] = path;
    if (!element || event.button !== 0) return;
    const press = this.#press;
    const isOwn = setsByChange(element) || setsByChange(controlOf(element));
    if (press?.box && this.#boxOf(element) === press.box) {
      setTimeout(() => this.#setByPage(event, path, press, isOwn));
      return;
    }
    if (isOwn || (event.detail > 0 && !press)) return;
    const pressed = press?.path.some((one) => path.includes(one)) ? press : null;
    this.#reportClick(event, path, pressed);
  }

  #reportClick(event: MouseEvent, path: Element[], press: Press | null): void {
    const modifiers = modifiersOf(event);
    const params: Params = modifiers.length ? { modifiers } : {};
    const where = event.detail > 0 ? this.#whereOn(path, event) : {};
    this.#report("click", params, press?.path ?? path, press?.tree ?? this.#takeTree(), [], where);
  }

  /**
   * A page sets a box itself, and no `change` comes, where it prevents the click on the box or its label, or where what
   * was pressed only shows in the place of the box. What the press changed says what it was.
   */
  #setByPage(event: MouseEvent, path: Element[], press: Press, isOwn: boolean): void {
    const { box, checked, changed, tree } = press;
    if (!box || changed || !this.#on || (isOwn && !event.defaultPrevented)) return;
    const now = checkedOf(box);
    // One that the page sets while it prevents the click on it is put back by the browser: what the page says counts.
    const changes = [1, 0].find((which) => now[which] !== checked[which]);
    if (changes !== undefined)
      this.#report(now[changes] === "true" ? "check" : "uncheck", {}, this.#around(box), tree);
    else if (isOwn) this.#report("click", {}, this.#around(box), tree);
    else this.#reportClick(event, path, press);
  }

  #clickedTwice(event: MouseEvent): void {
    const press = this.#press;
    if (isTextField(pathOf(event)[0])) return; // it marks a word
    this.#report("dblclick", {}, press?.path ?? pathOf(event), press?.tree ?? this.#takeTree(), [], {
      replaces: 2,
      ...this.#whereOn(pathOf(event), event),
    });
  }

  /** The checkbox or radio button that an element is, is the label of, or shows in the place of. */
  #boxOf(element: Element): HTMLInputElement | null {
    const control = setsByChange(element) ? element : controlOf(element);
    if (control) return dom.matches(control, BOX) ? (control as HTMLInputElement) : null;
    const { flat } = this.engine;
    for (let at: Element | null = element; at && !dom.matches(at, PRESSED_BY_SPACE); at = flat.parent(at)) {
      const box = dom.querySelector(at, BOX);
      const proxy = box && proxyOf(flat, box);
      if (box) return proxy && flat.isInside(element, proxy) ? (box as HTMLInputElement) : null;
    }
    return null;
  }

  /** What a name can't say of a press: the place on an image, and what around a wordless thing is much larger than it. */
  #whereOn(path: readonly Element[], event: MouseEvent): Partial<Gesture> {
    const [element] = path;
    if (!element || dom.textContent(element).trim()) return {};
    const box = dom.getBoundingClientRect(element);
    const isImage = /^(canvas|img)$/.test(dom.localName(element));
    const size = Math.max(box.width * box.height, 1);
    const wide = path.filter((around) => {
      const { width, height } = dom.getBoundingClientRect(around);
      return width * height > WIDE * size;
    });
    const { refs } = this.engine;
    return {
      at: isImage ? [event.clientX - box.left, event.clientY - box.top] : null,
      wide: wide.map((around) => refs.numberOf(around)).filter(Boolean),
    };
  }

  #typed(event: Event): void {
    const [element] = pathOf(event);
    if (!element) return;
    // A `change` doesn't leave its shadow root, an `input` does.
    if (setsByChange(element) && dom.call(element, "getRootNode") !== this.engine.document) {
      this.#changed(event);
      return;
    }
    const field = element as HTMLInputElement;
    const host = hostOf(element);
    if (isTextField(element) || field.type === "range") this.#fill(element, field.value);
    else if (host) this.#fill(host, dom.get(host, "innerText"));
  }

  #fill(element: Element, value: string): void {
    const first = this.#typingIn !== element;
    const tree = first ? this.#takeTree() : null;
    const isHidden = isSecret(element);
    this.#report("fill", isHidden ? {} : { value }, this.#around(element), tree, [], { secret: isHidden });
    this.#typingIn = element;
  }

  /**
   * Many pages take a text only when its field is left, however that is: by Tab, a press beside it, another window. What is
   * done to another element next makes this step needless. Tab in a field that suggests may choose.
   */
  #left(event: Event): void {
    const [element] = pathOf(event);
    if (!element || this.#typingIn !== element || dom.localName(element) !== "input" || suggests(element))
      return;
    this.#report("press", { key: "Tab" }, this.#around(element), null);
  }

  #changed(event: Event): void {
    const [element] = pathOf(event);
    if (!element) return;
    const path = this.#around(element);
    const press = this.#press;
    if (press?.box === element) press.changed = true;
    const isPressed = press?.path.includes(element) || press?.changed;
    const tree = press && isPressed ? press.tree : this.#takeTree();
    const field = element as HTMLInputElement;
    if (dom.localName(element) === "select") {
      this.#report("select", choiceOf(element as HTMLSelectElement), path, tree);
    } else if (dom.localName(element) !== "input") return;
    else if (field.type === "checkbox" || field.type === "radio")
      this.#report(field.checked ? "check" : "uncheck", {}, path, tree);
    else if (field.type === "file")
      this.#report("upload", { files: [...(field.files ?? [])].map((file) => file.name) }, path, tree);
    else if (SET_BY_CHANGE.test(field.type)) this.#fill(element, field.value);
  }

  #keyDown(event: KeyboardEvent): void {
    if (SCROLLING_KEYS.test(event.key)) this.#moves(event);
    const [element] = pathOf(event);
    if (isRange(element) && this.#slid?.field !== element)
      this.#slid = { field: element, from: element.value };
    if (!element || event.isComposing || MODIFIERS.test(event.key) || !this.#isAStep(event, element)) return;
    const isField = isTextField(element) && dom.localName(element) !== "textarea";
    const path = this.#around(element);
    const tree = this.#takeTree();
    const key = [...modifiersOf(event, event.key.length > 1), event.key === " " ? "Space" : event.key].join(
      "+",
    );
    if (event.key !== "Enter" || isField || !(isTextField(element) || hostOf(element))) {
      this.#submits = event.key === "Enter";
      this.#report("press", { key }, path, tree);
      return;
    }
    // Where many lines fit, Enter begins a new one, unless the page takes it to send them.
    setTimeout(() => {
      if (event.defaultPrevented) this.#report("press", { key }, path, tree);
    });
  }

  #keyUp(event: KeyboardEvent): void {
    this.#submits = false;
    const [element] = pathOf(event);
    const slid = this.#slid;
    this.#slid = null;
    // A page that moves a slider itself reports no input.
    if (slid && slid.field === element && slid.field.value !== slid.from)
      this.#fill(element, slid.field.value);
  }

  /** Whether a key does something that no other event reports. */
  #isAStep(event: KeyboardEvent, element: Element): boolean {
    const { key } = event;
    const isTyping = isTextField(element) || hostOf(element) !== null;
    if (event.ctrlKey || event.metaKey || (event.altKey && key.length > 1))
      return !(EDITING_COMBINATIONS.test(key) || (isTyping && EDITING_KEYS.test(key)));
    if (key === "Tab") return false;
    if (key === "Enter" || key === " ") {
      if (isTyping) return key === "Enter";
      return !dom.closest(element, "a[href],[role=link]") && !dom.closest(element, PRESSED_BY_SPACE);
    }
    if (isTyping) {
      return key === "Escape" || (suggests(element) && /^Arrow(Up|Down)$/.test(key)) || /^F\d+$/.test(key);
    }
    if (element === dom.get(this.engine.document, "body")) return !EDITING_KEYS.test(key);
    return !setsByChange(element) && dom.localName(element) !== "select";
  }

  #dragStarted(): void {
    this.#dragged = this.#press;
    this.#press = null;
  }

  #dropped(event: DragEvent): void {
    const dragged = this.#dragged;
    this.#dragged = null;
    if (dragged) this.#report("drag", {}, dragged.path, dragged.tree, pathOf(event));
  }

  #scrolled(event: Event): void {
    const { document } = this.engine;
    const isPage = event.target === document;
    const scroller = isPage ? dom.get(document, "scrollingElement") : (event.target as Element);
    if (!scroller) return;
    const place = { x: dom.get(scroller, "scrollLeft"), y: dom.get(scroller, "scrollTop") };
    const before = this.#from.get(scroller) ?? { x: 0, y: 0 };
    this.#from.set(scroller, place);
    const now = performance.now();
    // A scroll within this after a wheel, a key, a touch or a press of a scrollbar that may cause it is the person's.
    if (!this.#mover || this.#mover.defaultPrevented || now - this.#moved > ALIVE_MS) return;
    this.#moved = now;
    const element = isPage ? null : scroller;
    if (this.#scroll && this.#scroll.element !== element) this.#endScroll();
    this.#scroll ??= { element, ...before, timer: 0 as unknown as ReturnType<typeof setTimeout> };
    clearTimeout(this.#scroll.timer);
    this.#scroll.timer = setTimeout(() => this.#endScroll(), TICK_MS);
  }

  #endScroll(): void {
    const scroll = this.#scroll;
    if (!scroll) return;
    clearTimeout(scroll.timer);
    this.#scroll = null;
    const scroller = scroll.element ?? dom.get(this.engine.document, "scrollingElement");
    if (!scroller || !this.#on) return;
    const dx = Math.round(dom.get(scroller, "scrollLeft") - scroll.x);
    const dy = Math.round(dom.get(scroller, "scrollTop") - scroll.y);
    const path = scroll.element ? this.#around(scroll.element) : [];
    if (dx || dy) this.#report("scroll", { dx, dy }, path, this.#takeTree());
  }

  #report(
    command: Gesture["command"],
    params: Params,
    path: readonly Element[],
    tree: string | null,
    onto: readonly Element[] = [],
    more: Partial<Gesture> = {},
  ): void {
    const { refs, key, frame, document } = this.engine;
    const numbers = (elements: readonly Element[]): number[] =>
      elements.map((element) => refs.numberOf(element)).filter(Boolean);
    this.#typingIn = null;
    const place = {
      key,
      frame,
      url: dom.get(document, "URL"),
      replaces: 0,
      secret: false,
      at: null,
      wide: [],
    };
    const gesture = { command, params, path: numbers(path), to_path: numbers(onto), ...place, ...more, tree };
    this.send({ report: "gesture", gesture, highest: refs.highest });
  }

  /** An element and all that it is in. */
  #around(element: Element): Element[] {
    const path: Element[] = [];
    for (let at: Element | null = element; at; at = this.engine.flat.parent(at)) path.push(at);
    return path;
  }

  /** The document as it is now; the kernel's own chain of snapshots doesn't notice. */
  #takeTree(): string {
    const { tree } = this.engine.takeSnapshot();
    return JSON.stringify(tree);
  }
}

function pathOf(event: Event): Element[] {
  return event.composedPath().filter((target): target is Element => target instanceof Element);
}

/** Whether a press is beside what its element shows, where the scrollbars are. */
function isOnScrollbar(event: PointerEvent): boolean {
  const [element] = pathOf(event);
  if (!element) return false;
  const box = dom.call(element, "getBoundingClientRect");
  const [left, top] = [dom.get(element, "clientLeft"), dom.get(element, "clientTop")];
  const isPage = dom.localName(element) === "html";
  const x = event.clientX - (isPage ? 0 : box.left + left);
  const y = event.clientY - (isPage ? 0 : box.top + top);
  return x >= dom.get(element, "clientWidth") || y >= dom.get(element, "clientHeight");
}

function isTextField(element: Element | undefined): boolean {
  if (!element) return false;
  if (dom.localName(element) === "textarea") return true;
  return dom.localName(element) === "input" && TEXT_TYPES.test((element as HTMLInputElement).type);
}

/** Whether a field offers what may be chosen with the keyboard. */
function suggests(element: Element): boolean {
  return dom.matches(element, "[role=combobox],[aria-autocomplete],[aria-controls],[list]");
}

function isRange(element: Element | null | undefined): element is HTMLInputElement {
  return (
    element != null && dom.localName(element) === "input" && (element as HTMLInputElement).type === "range"
  );
}

/** Whether what is done to an element comes as a `change`, so that the click on it is no step. */
function setsByChange(element: Element | null | undefined): boolean {
  if (!element) return false;
  if (dom.localName(element) === "select" || dom.localName(element) === "option") return true;
  return dom.localName(element) === "input" && SET_BY_CHANGE.test((element as HTMLInputElement).type);
}

/** The control of the label that an element is in. */
function controlOf(element: Element): Element | null {
  return (dom.closest(element, "label") as HTMLLabelElement | null)?.control ?? null;
}

function checkedOf(box: HTMLInputElement): Checked {
  return [String(box.checked), dom.getAttribute(box, "aria-checked")];
}

/** The editable element that an element's text belongs to. */
function hostOf(element: Element): HTMLElement | null {
  if (!dom.get(element as HTMLElement, "isContentEditable")) return null;
  return dom.closest(element, "[contenteditable]:not([contenteditable=false])") as HTMLElement | null;
}

function modifiersOf(event: MouseEvent | KeyboardEvent, shiftCounts = true): string[] {
  const { ctrlKey, altKey, metaKey, shiftKey } = event;
  const down = { Control: ctrlKey, Alt: altKey, Meta: metaKey, Shift: shiftKey && shiftCounts };
  return Object.entries(down).flatMap(([name, isDown]) => (isDown ? [name] : []));
}
