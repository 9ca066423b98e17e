// The script in the page's own world: it marks what an act causes. It starts before the page's first line, and the content
// script asks it, by events of a name that no page knows.

import { FRAME_MS, LONGEST_MS, SHOWN_MS, TICK_MS } from "../shared/limits";
import { Causing } from "./causing";
import { Animations, wrapDocuments } from "./documents";
import { type Effect, Graph } from "./graph";
import { AwaitedInView } from "./in_view";
import { wrapMessages } from "./messages";
import {
  afterTask,
  clearTimer,
  clock,
  currentWindow,
  detailOf,
  dispatch,
  listen,
  makeEvent,
  nextFrame,
  readJson,
  readyStateOf,
  resourcesLoaded,
  setTimer,
  stopEvent,
  TextChanges,
  timeOrigin,
  unlisten,
  wallClock,
  writeJson,
} from "./natives";
import { wrapNetwork } from "./network";
import { floor, max } from "./safe";
import { wrapTimers } from "./timers";
import { Wrapping } from "./wrapping";

/** The name that this document's script and ours agree on; put in when the script is. */
declare const SKILLBOOK_CAUSES: string;

type Message =
  | { op: "act"; act: number }
  | { op: "over" }
  | { op: "query"; since: number; watch: boolean; scripts: number; shown: boolean }
  | { op: "open"; since: number }
  | { op: "in_view" }
  | { op: "stop" };

/** By these a person or a command acts. */
const INPUT =
  "pointerdown mousedown pointerup mouseup click dblclick auxclick contextmenu keydown keypress keyup beforeinput " +
  "input change submit reset dragstart dragend drop paste cut copy compositionend";
/** These come of acts, and of much else. */
const ASIDE =
  "focusin focusout focus blur pointerover pointerenter pointermove pointerout mouseover mouseenter mousemove mouseout " +
  "wheel scroll scrollend toggle beforetoggle close cancel invalid popstate hashchange dragenter dragover dragleave " +
  "selectionchange touchstart touchend resize fullscreenchange";

const SCROLL = "scroll";
const nothing = (): void => undefined;

class PageCauses {
  readonly #graph: Graph;
  readonly #causing: Causing;
  readonly #wrapping = new Wrapping();
  readonly #animations: Animations;
  readonly #inView: AwaitedInView;
  readonly #load = floor(timeOrigin);
  /** When the command that acts was over. */
  #overAt = Number.POSITIVE_INFINITY;
  #latest = 0;
  /** When a frame was last rendered whole, as far as one was waited for. */
  #framedAt = 0;
  #name = "";
  /** The act because of which scripts load. */
  #scripts = 0;
  #scroll: Effect | null = null;
  #timer = 0;
  /** The latest act that somebody waits for; who waits for an earlier one as well queries again then. */
  #watched: number | null = null;

  constructor() {
    const taskEnded = (): void => this.#graph.taskEnded();
    const changes = new TextChanges();
    this.#graph = new Graph(
      clock,
      () => afterTask(taskEnded),
      () => changes.within(TICK_MS),
    );
    this.#causing = new Causing(this.#graph, this.#wrapping, clock);
    this.#animations = new Animations(this.#causing);
    this.#inView = new AwaitedInView(this.#wrapping);
    this.#graph.onEnd = () => this.#ended();
    if (readyStateOf(document) !== "complete") this.#load_();
    for (const wrap of [wrapTimers, wrapNetwork, wrapMessages, wrapDocuments]) wrap(this.#causing);
    for (const type of INPUT.split(" "))
      listen(currentWindow, type, (event) => this.#input(event, true), true);
    for (const type of ASIDE.split(" "))
      listen(currentWindow, type, (event) => this.#input(event, false), true);
    for (const type of ["scroll", "scrollend"])
      listen(currentWindow, type, () => this.#scrolls(type === "scrollend"), true);
    listen(currentWindow, SKILLBOOK_CAUSES, this.#greet);
    this.#join();
  }

  /** Frames of one origin share their graphs: an event of the document around gives its own. */
  #join(): void {
    const name = `${SKILLBOOK_CAUSES}+`;
    const graphs: { all?: Graph[] } = {};
    try {
      if (parent !== currentWindow) dispatch(parent, makeEvent(name, graphs));
    } catch {
      // It is of another origin.
    }
    const all = graphs.all ?? [];
    all[all.length] = this.#graph;
    this.#causing.neighbours = all;
    listen(currentWindow, name, (event: CustomEvent) => {
      stopEvent(event);
      const found = detailOf(event) as { all?: Graph[] } | null;
      if (found) found.all = all;
    });
    listen(currentWindow, "pagehide", () => {
      for (let index = 0; index < all.length; index++)
        if (all[index] === this.#graph) all[index] = new Graph(clock, nothing, () => false);
    });
  }

  /** Until its load is over, all code of the document is the load's. */
  #load_(): void {
    const graph = this.#graph;
    graph.base = this.#load;
    const effect = graph.hold(this.#load, "load", "the document", Number.POSITIVE_INFINITY);
    let count = -1;
    const look = (): void => {
      const scripts = scriptsLoaded();
      const isOver = scripts === count;
      count = scripts;
      if (!isOver || this.#scripts) setTimer(look, TICK_MS);
      else if (graph.base === this.#load) graph.base = 0;
    };
    const loaded = (): void => {
      graph.end(effect);
      look();
    };
    listen(currentWindow, "load", loaded);
  }

  #input(event: Event, isAct: boolean): void {
    const graph = this.#graph;
    const isActing = graph.acting !== 0 && clock() - this.#overAt < FRAME_MS;
    if (isActing) graph.enter(graph.acting);
    else if (isAct && event.isTrusted) {
      this.#latest = max(this.#latest + 1, floor(wallClock()));
      this.#causing.announce(this.#latest);
      graph.enter(this.#latest);
    } else if (graph.now === 0 && event.isTrusted) {
      const act = this.#causing.rendered;
      if (act) graph.enter(act);
    }
  }

  /** A scroll that an act's code began is open until the browser reports its end. */
  #scrolls(isOver: boolean): void {
    const graph = this.#graph;
    const known = this.#scroll?.isOpen ? this.#scroll : null;
    if (isOver) graph.end(known);
    else if (!known) this.#scroll = graph.holdAgain(graph.now, SCROLL, "a scroll", TICK_MS, SCROLL);
    else if (clock() - known.at < LONGEST_MS) graph.extend(known, TICK_MS);
    else graph.goesOn(SCROLL, SCROLL, "a scroll", null, known.at);
  }

  readonly #greet = (event: CustomEvent): void => {
    stopEvent(event);
    const name = detailOf(event);
    if (typeof name !== "string" || !name) return;
    if (this.#name) unlisten(currentWindow, this.#name, this.#take);
    this.#name = name;
    listen(currentWindow, name, this.#take);
    this.#say("hello", {});
  };

  readonly #take = (event: CustomEvent): void => {
    stopEvent(event);
    const text = detailOf(event);
    if (typeof text !== "string") return;
    const message = readJson(text) as Message;
    if (message.op === "act") this.#begin(message.act);
    else if (message.op === "over") this.#overAt = clock();
    else if (message.op === "query") {
      this.#scriptsLoad(message.scripts);
      this.#answer(message.since, message.watch, message.shown);
    } else if (message.op === "open") this.#say("state", this.#graph.open(message.since));
    else if (message.op === "in_view") this.#inView.tell(() => makeEvent(`${this.#name}!`, ""));
    else this.#stop();
  };

  #begin(act: number): void {
    this.#animations.begin();
    this.#latest = max(this.#latest, act);
    this.#graph.acting = act;
    this.#overAt = Number.POSITIVE_INFINITY;
    this.#causing.announce(act);
  }

  #answer(since: number, watch: boolean, shown: boolean): void {
    const graph = this.#graph;
    this.#animations.follow(graph.ranWithin(LONGEST_MS));
    let { waiting, never } = graph.open(since);
    // What the browser renders because of the code that ran isn't known before a frame.
    const hasRun = graph.ranAct >= since && graph.ranAt > this.#framedAt;
    const isOver = this.#overAt < Number.POSITIVE_INFINITY;
    const hasActed = isOver && graph.acting >= since && this.#overAt > this.#framedAt;
    if (!waiting.length && (hasRun || hasActed)) {
      // A busy browser is late with a frame, and a tab that isn't shown may get none.
      this.#untilFrame(max(graph.ranAct, graph.acting), shown ? SHOWN_MS : FRAME_MS);
      if (hasRun && graph.ranAct > this.#load) this.#causing.awaitTicks(graph.ranAct);
      ({ waiting, never } = graph.open(since));
    }
    // A browser that renders nothing may give no time to idle callbacks.
    for (let index = 0; index < waiting.length; index++)
      if (waiting[index]?.kind === "idle") nextFrame(() => undefined);
    if (watch && waiting.length) {
      this.#watched = max(this.#watched ?? since, since);
      this.#watch();
    }
    this.#say("state", { waiting, never, runs: graph.runs });
  }

  /** The browser loads scripts because of an act, whose code the page's own world can't tell from other code. */
  #scriptsLoad(act: number): void {
    const graph = this.#graph;
    if (act) this.#scripts = graph.base = act;
    else if (this.#scripts) {
      graph.hold(this.#scripts, "script", "a script that runs", FRAME_MS);
      const loaded = this.#scripts;
      this.#scripts = 0;
      setTimer(() => {
        if (graph.base === loaded && !this.#scripts) graph.base = 0;
      }, TICK_MS);
    }
  }

  #untilFrame(act: number, ms: number): void {
    const graph = this.#graph;
    const from = clock();
    const effect = graph.hold(act, "frame", "a frame", ms);
    setTimer(() => {
      this.#framedAt = max(this.#framedAt, from);
    }, ms);
    nextFrame(() => {
      this.#framedAt = clock();
      // What the frame observed comes after it.
      setTimer(() => setTimer(() => graph.release(effect), 0), 0);
    });
  }

  /** Something ended: report it if nothing is left that is watched. */
  #ended(): void {
    if (this.#watched === null) return;
    if (this.#graph.open(this.#watched).waiting.length) this.#watch();
    else {
      this.#watched = null;
      this.#say("rest", {});
    }
  }

  /** What has an end by time has it. */
  #watch(): void {
    clearTimer(this.#timer);
    const since = this.#watched;
    if (since === null) return;
    const next = this.#graph.nextEnd(since);
    if (next === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimer(() => this.#ended(), max(1, next - clock() + 1));
  }

  #say(what: string, value: object): void {
    dispatch(currentWindow, makeEvent(`${this.#name}<`, writeJson({ what, ...value })));
  }

  #stop(): void {
    this.#watched = null;
    this.#wrapping.stop();
    this.#graph.acting = this.#graph.now = this.#graph.base = 0;
    unlisten(currentWindow, SKILLBOOK_CAUSES, this.#greet);
    unlisten(currentWindow, this.#name, this.#take);
  }
}

function scriptsLoaded(): number {
  const entries = resourcesLoaded();
  let count = 0;
  for (let index = 0; index < entries.length; index++) {
    const kind = entries[index]?.initiatorType;
    if (kind === "script" || kind === "link" || kind === "other") count++;
  }
  return count;
}

/** Put in once: one that is there already keeps the question from coming through. */
function isThere(): boolean {
  let answered = true;
  const came = (): void => {
    answered = false;
  };
  listen(currentWindow, SKILLBOOK_CAUSES, came);
  dispatch(currentWindow, makeEvent(SKILLBOOK_CAUSES, ""));
  unlisten(currentWindow, SKILLBOOK_CAUSES, came);
  return answered;
}

if (!isThere()) new PageCauses();
