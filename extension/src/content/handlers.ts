// Answers to the service worker: one handler a request.

import type { Engine } from "../engine/dom/engine";
import { coverOf } from "../engine/dom/layout/hit_test";
import * as dom from "../engine/dom/tree/dom";
import { postKey } from "../engine/dom/tree/frames";
import { namedIn } from "../engine/dom/walk/surroundings";
import { elementsInBlocks } from "../engine/dom/walk/table_blocks";
import { WantedElements } from "../engine/dom/walk/wanted_elements";
import { locate, rendered } from "../hit_safety/actionability";
import { Target } from "../hit_safety/expected_target";
import { elementOf, findElement, labelOf } from "../hit_safety/find_element";
import { KeyGuard, PointerGuard } from "../hit_safety/guards";
import { PointerHistory } from "../hit_safety/pointer_history";
import { isSurface, namedAt } from "../hit_safety/surface";
import { changedSince } from "../hit_safety/target_changed";
import type { DescribeResult, ElementQuery, GetResult, IsResult, WantedFact } from "../protocol/generated";
import { Failure, tooLarge, toWireError } from "../shared/errors";
import type {
  ActReply,
  ContentOp,
  ContentReply,
  ContentReport,
  ContentRequest,
  DocumentCauses,
  DocumentHello,
  ElementAt,
  FrameBox,
  Hit,
  KeyVerdict,
  Located,
  PointerVerdict,
  ReplyTo,
  SnapshotReply,
} from "../shared/messages";
import { runAction } from "./act";
import { matching } from "./css_selector";
import { dragsUnseen, requireBeside } from "./drop_check";
import { fetchText } from "./fetch";
import { pasteLines, requireTaken, requireTyped } from "./fill";
import { frameBox } from "./frame_box";
import { GestureRecorder } from "./gesture_recorder";
import type { Keepalive } from "./keepalive";
import { leadsOn } from "./leads_on";
import { Effects, Highlight } from "./overlay";
import type { PageCausesClient } from "./page_causes";
import { callPageTool, findPageTool, listPageTools } from "./page_tools";
import { Picker } from "./picker";
import { describe, get, is } from "./read";
import { replacementOf } from "./replacement";
import { ScreenshotMask } from "./screenshot_mask";
import { type ShownHtml, shownHtml } from "./shown_html";
import { showing } from "./text_search";
import { webVitals } from "./web_vitals";

type Handlers = {
  [Op in ContentOp]: (request: ContentRequest<Op>) => ReplyTo<Op> | Promise<ReplyTo<Op>>;
};

/** The document's side of every request: one method each. */
export class RequestHandlers implements Handlers {
  private readonly outlines: Highlight;
  private readonly effects: Effects;
  private readonly pointerGuard: PointerGuard;
  private readonly keyGuard: KeyGuard;
  private readonly screenshotMask: ScreenshotMask;
  private readonly pointerHistory: PointerHistory;
  private readonly picker: Picker;
  private readonly recorder: GestureRecorder;
  private acting = new AbortController();
  private readonly handlers: Handlers = this;

  constructor(
    private readonly engine: Engine,
    send: (report: ContentReport) => void,
    private readonly keepalive: Keepalive,
    private readonly causes: PageCausesClient,
    /** What the document's input blocker asks by; empty where it has none. */
    asking: string,
  ) {
    const onHit = (): void => send({ report: "pressed" });
    this.outlines = new Highlight(engine);
    this.effects = new Effects(engine);
    this.pointerGuard = new PointerGuard(engine, window, onHit, asking);
    this.keyGuard = new KeyGuard(engine, window, onHit, asking);
    this.screenshotMask = new ScreenshotMask(engine);
    this.pointerHistory = new PointerHistory(engine, window);
    const isActing = (): boolean => this.pointerGuard.isArmed || this.keyGuard.isArmed;
    this.picker = new Picker(engine, window, send, isActing);
    this.recorder = new GestureRecorder(engine, window, send, isActing);
    engine.listening.add(window, ["pointerdown", "keydown"], (event) => {
      if (event.isTrusted && !isActing()) send({ report: "person_input" });
    });
  }

  /** Answer a request; whatever goes wrong is an answer too. */
  async answer<Op extends ContentOp>(request: ContentRequest<Op>): Promise<ContentReply> {
    try {
      const value = await this.handlers[request.op](request);
      const failure = tooLarge(charactersIn(value));
      if (failure) throw failure;
      return { ok: true, value };
    } catch (error) {
      return { ok: false, error: toWireError(error) };
    }
  }

  /** Input on its way is for another document: let none through for a moment. */
  blockInput(): void {
    const none = new Target(this.engine, null);
    this.pointerGuard.arm(none, 0);
    this.keyGuard.arm(none, 0);
  }

  stop(): void {
    this.outlines.clear();
    this.effects.clear();
    this.pointerGuard.disarm();
    this.keyGuard.disarm();
    this.picker.stop();
    this.recorder.stop();
    this.engine.stop();
  }

  hello({ frame, after }: ContentRequest<"hello">): DocumentHello {
    const { engine } = this;
    engine.greet(frame, after);
    this.keepalive.start();
    const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return {
      key: engine.key,
      frame: engine.frame,
      highest: engine.refs.highest,
      type: document.contentType,
      status: navigation?.responseStatus ?? 0,
    };
  }

  meet(): null {
    postKey(window, this.engine.key);
    return null;
  }

  snapshot({ known, rows, elements }: ContentRequest<"snapshot">): SnapshotReply {
    // Of a table that is read in blocks only one is walked.
    const count = this.engine.size - (rows ? elementsInBlocks(this.engine.document, rows) : 0);
    if (count > MOST_ELEMENTS) {
      const text = `The page is too large: it has ${count} elements, and at most ${MOST_ELEMENTS} are read.`;
      throw new Failure(
        "page_unreachable",
        text,
        "filter or page its list, so that it shows less at once",
        {},
        false,
      );
    }
    const wanted = elements ? wantedIn(this.engine, elements) : null;
    const { tree, slots } = this.engine.snapshot(known ?? null, rows ?? null, wanted);
    const { refs, size, internals } = this.engine;
    const population = { elements: size, custom: [...internals.tags] };
    return { tree: JSON.stringify(tree), slots, highest: refs.highest, ...population };
  }

  find({ query, numbers, records, fact = null }: ContentRequest<"find">): ReplyTo<"find"> {
    const { engine } = this;
    const known = numbers.flatMap((number) => elementOf(engine, number) ?? []);
    const tree = query ? engine.findParts(query) : engine.readParts(known);
    const named = tree && query ? namedIn(tree, query) : numbers;
    const around = tree && records ? engine.readAround(named) : null;
    const custom = [...engine.internals.tags];
    const read = tree && fact && named.length === 1 ? this.factOf(named[0] as number, fact) : null;
    return { tree, around, highest: engine.refs.highest, custom, fact: read };
  }

  /** What is wanted of an element; null where that can't be read: reading it by its ref says why. */
  private factOf(number: number, { command, params }: WantedFact): ReplyTo<"find">["fact"] {
    try {
      const request = { op: command, number, params: params as never };
      const { value } = this.handlers[command](request as never) as GetResult;
      return tooLarge(charactersIn({ value })) ? null : { number, value };
    } catch {
      return null;
    }
  }

  async locate(request: ContentRequest<"locate">): Promise<Located> {
    const { engine } = this;
    const { number, needs, timeout_ms, position, dragged, guard_ms, expected, flash } = request;
    const limit = { timeoutMs: timeout_ms, signal: this.begin() };
    const target = new Target(engine, number, expected);
    const located = await locate(engine, number, needs, limit, position, dragged ?? null);
    const changed = target.unseen();
    if (changed) throw changedSince(changed, expected ?? null);
    if (guard_ms != null) this.pointerGuard.arm(target, guard_ms);
    if (flash) this.effects.flash(findElement(engine, number));
    return located;
  }

  guard({ number, ms, expected }: ContentRequest<"guard">): undefined {
    this.pointerGuard.arm(new Target(this.engine, number, expected), ms);
  }

  unguard(): PointerVerdict {
    return this.pointerGuard.disarm();
  }

  guard_keys({ number, ms, expected }: ContentRequest<"guard_keys">): undefined {
    this.keyGuard.arm(new Target(this.engine, number, expected), ms);
  }

  async unguard_keys({ taken = null }: ContentRequest<"unguard_keys">): Promise<KeyVerdict> {
    const { element } = this.keyGuard;
    const verdict = this.keyGuard.disarm();
    const { changed, missed, refused, reached } = verdict;
    if (!taken || !element || changed || missed || refused) return verdict;
    if (!reached && !taken.pasted) return verdict;
    const require = taken.typed ? requireTyped : requireTaken;
    const isOver = (): boolean => this.causes.isOver();
    const refusal = await require(element, taken.value, isOver).then(() => null, toWireError);
    const { version } = this.engine.watch;
    return { ...verdict, held: { refusal, version } };
  }

  rendered(): Promise<undefined> {
    return rendered();
  }

  drags_unseen({ number }: ContentRequest<"drags_unseen">): boolean {
    return dragsUnseen(findElement(this.engine, number));
  }

  async require_beside({ number, dragged, position }: ContentRequest<"require_beside">): Promise<undefined> {
    await requireBeside(this.engine, number, dragged, position);
  }

  paste({ number, text }: ContentRequest<"paste">): boolean {
    return pasteLines(findElement(this.engine, number), text);
  }

  element_at({ point }: ContentRequest<"element_at">): ElementAt {
    const path = namedAt(this.engine, point);
    const [first] = path;
    const numbers = path.map((element) => this.engine.refs.numberOf(element));
    const { x, y } = first ? dom.getBoundingClientRect(first) : point;
    return { numbers, surface: !!first && isSurface(first), at: [point.x - x, point.y - y] };
  }

  hit({ number, point }: ContentRequest<"hit">): Hit {
    const element = findElement(this.engine, number);
    const found = coverOf(this.engine.flat, element, point);
    const nothing = { ref: "", role: "nothing", name: "" };
    const cover = found === "outside" ? nothing : found && labelOf(this.engine, found);
    return { cover, came: this.pointerHistory.cameOver(element) };
  }

  async act(request: ContentRequest<"act">): Promise<ActReply> {
    const { number, synthetic, timeout_ms, flash, expected, guard_ms } = request;
    const { engine } = this;
    const { version } = engine.watch;
    if (expected?.secret && number !== null) this.screenshotMask.add(findElement(engine, number));
    const target = new Target(engine, number, expected);
    const limit = { timeoutMs: timeout_ms, signal: this.begin() };
    const act = { engine, target, synthetic, effects: flash ? this.effects : null, ...limit };
    const reply = await runAction(request.command, request.params, act);
    if (guard_ms != null && !reply.done) this.keyGuard.arm(target, guard_ms);
    return { ...reply, version };
  }

  abort(): undefined {
    this.acting.abort(new Failure("stopped", "The action was ended early."));
    this.pointerGuard.abandon();
    this.keyGuard.abandon();
  }

  get({ number, params }: ContentRequest<"get">): GetResult {
    return get(this.engine, this.elementOrRoot(number), params);
  }

  is({ number, params, expected }: ContentRequest<"is">): IsResult {
    if (expected) new Target(this.engine, number, expected).require();
    const { engine } = this;
    const isGone = params.what === "checked" && number !== null && !expected && !elementOf(engine, number);
    const element = isGone ? replacementOf(engine, number) : null;
    return { value: is(engine, element ?? this.elementOrRoot(number), params.what) };
  }

  describe({ number, expected }: ContentRequest<"describe">): DescribeResult {
    new Target(this.engine, number, expected).require();
    const element = this.elementOrRoot(number);
    return { ...describe(this.engine, element), leads_on: leadsOn(element, this.causes.awaitedInView()) };
  }

  shown_html({ number }: ContentRequest<"shown_html">): ShownHtml {
    return shownHtml(this.engine, this.elementOrRoot(number));
  }

  page_tools(): Promise<ReplyTo<"page_tools">> {
    return listPageTools();
  }

  async find_page_tool({ name, args }: ContentRequest<"find_page_tool">): Promise<ReplyTo<"find_page_tool">> {
    const { waits } = await findPageTool(name, args);
    return { waits };
  }

  call_page_tool(request: ContentRequest<"call_page_tool">): Promise<ReplyTo<"call_page_tool">> {
    return callPageTool(request.name, request.args, request.form_ms, this.begin());
  }

  web_vitals(): Promise<ReplyTo<"web_vitals">> {
    return webVitals();
  }

  fetch(request: ContentRequest<"fetch">): Promise<ReplyTo<"fetch">> {
    return fetchText(request);
  }

  frame_box({ number, through }: ContentRequest<"frame_box">): FrameBox {
    return frameBox(this.engine, number, through);
  }

  async changed({ version, timeout_ms }: ContentRequest<"changed">): Promise<{ version: number }> {
    return { version: await this.engine.watch.changedFrom(version, timeout_ms) };
  }

  acts({ act }: ContentRequest<"acts">): undefined {
    this.causes.tell(act === null ? { op: "over" } : { op: "act", act });
  }

  caused({ since, scripts, shown, timeout_ms }: ContentRequest<"caused">): Promise<DocumentCauses> {
    return this.causes.query({ since, scripts, shown }, timeout_ms);
  }

  let_causes_go(): undefined {
    this.causes.tell({ op: "stop" });
  }

  effect({ point, press }: ContentRequest<"effect">): undefined {
    this.effects.point(point, press);
  }

  highlight({ numbers }: ContentRequest<"highlight">): undefined {
    this.outlines.show(numbers);
  }

  record({ on, text }: ContentRequest<"record">): undefined {
    this.recorder.record(on, text);
  }

  pick({ on, text, timeout_ms }: ContentRequest<"pick">): undefined {
    if (on) this.picker.start(text, timeout_ms);
    else this.picker.stop();
  }

  async mask({ on, texts, forAi, closed }: ContentRequest<"mask">): Promise<undefined> {
    if (on) await this.screenshotMask.show(texts, forAi, closed);
    else this.screenshotMask.hide();
  }

  /** What ends when the worker says so. */
  private begin(): AbortSignal {
    this.acting = new AbortController();
    return this.acting.signal;
  }

  private elementOrRoot(number: number | null): Element {
    return number === null
      ? dom.get(this.engine.document, "documentElement")
      : findElement(this.engine, number);
  }
}

function wantedIn(engine: Engine, { css = [], texts = [], keep = false }: ElementQuery): WantedElements {
  const byCss = new Map<string, Element[]>();
  for (const selector of css) {
    const found = matching(engine, selector);
    if (found) byCss.set(selector, found);
  }
  return new WantedElements(
    engine.flat,
    byCss,
    texts.flatMap((text) => showing(engine, text)),
    keep,
  );
}

/** More would take minutes to read. */
const MOST_ELEMENTS = 120_000;

/** How much text a reply holds: a message that is too large never arrives. */
function charactersIn(reply: unknown): number {
  const { value, tree, html } = (reply ?? {}) as { value?: unknown; tree?: unknown; html?: unknown };
  if (typeof html === "string") return html.length;
  if (typeof tree === "string") return tree.length;
  if (typeof value === "string") return value.length;
  return typeof value === "object" && value !== null ? JSON.stringify(value).length : 0;
}
