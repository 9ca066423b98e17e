// What else of a document an act may set going: images and scripts, databases, files, observers, animations.

import { LONGEST_MS } from "../shared/limits";
import { type Causing, withArgument } from "./causing";
import type { Effect } from "./graph";
import { animationsOf, currentWindow, listen, readyStateOf, targetOf, timingOf } from "./natives";
import { apply, type Func, SafeWeakMap } from "./safe";

export function wrapDocuments(causing: Causing): void {
  wrapSources(causing);
  wrapDatabases(causing);
  wrapFiles(causing);
  wrapObservers(causing);
}

const SOURCES: readonly [string, string, string][] = [
  ["HTMLImageElement", "src", "image"],
  ["HTMLImageElement", "srcset", "image"],
  ["HTMLScriptElement", "src", "script"],
  ["HTMLLinkElement", "href", "style sheet"],
  ["HTMLIFrameElement", "src", "frame"],
  ["HTMLIFrameElement", "srcdoc", "frame"],
];

const INTERFACES: Record<string, Func | undefined> = {
  HTMLImageElement: globalThis.HTMLImageElement,
  HTMLScriptElement: globalThis.HTMLScriptElement,
  HTMLIFrameElement: globalThis.HTMLIFrameElement,
} as unknown as Record<string, Func | undefined>;

function isA(value: unknown, name: string): boolean {
  const found = INTERFACES[name];
  return found !== undefined && value instanceof found;
}

/** A script that is added is its adder's; what is loaded is open until it is there. */
function wrapSources(causing: Causing): void {
  const { graph, wrapping } = causing;
  const begin = (self: unknown, kind: string): void => {
    const { act } = causing;
    if (!act) return;
    causing.owners.set(self as object, act);
    const effect = graph.hold(act, kind, `a ${kind} that loads`);
    causing.followEvents(self as EventTarget, effect, [], ["load", "error"]);
  };
  for (const [owner, name, kind] of SOURCES) {
    const { prototype } = (globalThis as unknown as Record<string, { prototype?: object }>)[owner] ?? {};
    wrapping.setter(prototype, name, (native, self, args) => {
      begin(self, kind);
      return apply(native, self, args);
    });
  }
  wrapping.method(Element.prototype, "setAttribute", (native, self, args) => {
    const name = args[0];
    if (causing.act && (name === "src" || name === "srcset" || name === "srcdoc"))
      for (let index = 0; index < SOURCES.length; index++) {
        const source = SOURCES[index];
        if (source?.[1] === name && isA(self, source[0])) begin(self, source[2]);
      }
    return apply(native, self, args);
  });
  // What an element that nobody of ours set starts when it has loaded: the load's, or an act's of a moment ago.
  for (const type of ["load", "error"])
    listen(
      currentWindow,
      type,
      (event: Event) => {
        const target = targetOf(event);
        const act = target && causing.owners.get(target);
        if (act) graph.enter(act);
      },
      true,
    );
}

const STORES: readonly [string, string][] = [
  ["IDBFactory", "deleteDatabase open"],
  ["IDBObjectStore", "add clear count delete get getAll getAllKeys getKey openCursor openKeyCursor put"],
  ["IDBIndex", "count get getAll getAllKeys getKey openCursor openKeyCursor"],
];

function wrapDatabases(causing: Causing): void {
  const { graph, wrapping } = causing;
  const { IDBFactory, IDBObjectStore, IDBIndex, IDBDatabase } = globalThis;
  const owners: Record<string, { prototype: object } | undefined> = { IDBFactory, IDBObjectStore, IDBIndex };
  const detail = "an answer of a database";
  const steps = ["upgradeneeded", "blocked"];
  for (const [owner, names] of STORES)
    for (const name of names.split(" "))
      wrapping.method(owners[owner]?.prototype, name, (native, self, args) => {
        const { act } = causing;
        const request = apply(native, self, args);
        if (act) {
          const effect = graph.hold(act, "database", detail);
          // A cursor answers again and again.
          causing.followEvents(request, effect, ["success", ...steps], ["success", "error"]);
        }
        return request;
      });
  wrapping.method(IDBDatabase?.prototype, "transaction", (native, self, args) => {
    const { act } = causing;
    const transaction = apply(native, self, args);
    if (act)
      causing.followEvents(
        transaction,
        graph.hold(act, "database", detail),
        [],
        ["complete", "abort", "error"],
      );
    return transaction;
  });
}

function wrapFiles(causing: Causing): void {
  const { graph, wrapping } = causing;
  const types = ["progress", "load", "error", "loadend"];
  wrapping.constructor_("FileReader", (made) => causing.attend(made as EventTarget, types));
  wrapping.method(globalThis.HTMLCanvasElement?.prototype, "toBlob", (native, self, args) => {
    const effect = graph.hold(causing.act, "file", "a picture that is made");
    const made = causing.callback(args[0], () => graph.end(effect));
    try {
      return apply(native, self, withArgument(args, 0, made));
    } catch (error) {
      graph.release(effect);
      throw error;
    }
  });
  for (const name of ["readAsArrayBuffer", "readAsBinaryString", "readAsDataURL", "readAsText"])
    wrapping.method(globalThis.FileReader?.prototype, name, (native, self, args) => {
      const { act } = causing;
      const result = apply(native, self, args);
      const effect = graph.hold(act, "file", "a file that is read");
      causing.followEvents(self as EventTarget, effect, ["progress", "load", "error"], ["loadend"]);
      return result;
    });
}

/** What observers see a frame later is the act's whose code ran a moment ago. Changes of the DOM are seen in the same task. */
function wrapObservers(causing: Causing): void {
  for (const name of ["IntersectionObserver", "ResizeObserver", "PerformanceObserver"]) {
    const before = (args: unknown[]): unknown[] => {
      const maker = causing.act;
      let isFirst = true;
      const begin = (): void => {
        const act = causing.rendered || (isFirst ? maker : 0);
        isFirst = false;
        causing.graph.enter(act || causing.graph.base);
      };
      return args.length ? withArgument(args, 0, causing.callback(args[0], begin)) : args;
    };
    causing.wrapping.constructor_(name, () => undefined, before);
  }
}

const STARTS = ["transitionrun", "animationstart"];
const ENDS = ["transitionend", "transitioncancel", "animationend", "animationcancel", "animationiteration"];

/** Transitions and animations that end, and what their end starts. */
export class Animations {
  /** Which act an animation belongs to; those of nobody were there before any. */
  readonly #acts = new SafeWeakMap<object, number>();
  readonly #ofElements = new SafeWeakMap<object, number>();

  constructor(private readonly causing: Causing) {
    for (const type of STARTS)
      listen(
        currentWindow,
        type,
        (event: Event) => {
          const target = targetOf(event);
          const act = causing.rendered;
          if (target && act && !this.#ofElements.get(target)) this.#ofElements.set(target, act);
        },
        true,
      );
    for (const type of ENDS)
      listen(
        currentWindow,
        type,
        (event: Event) => {
          const target = targetOf(event);
          const act = target && this.#ofElements.get(target);
          if (act) causing.graph.enter(act);
        },
        true,
      );
    causing.wrapping.method(Element.prototype, "animate", (native, self, args) => {
      const { act } = causing;
      const animation = apply(native, self, args);
      if (act && animation) {
        this.#acts.set(animation, act);
        causing.followEvents(animation, this.#holdFor(animation, act), [], ["finish", "cancel", "remove"]);
      }
      return animation;
    });
    this.#followPromises();
  }

  /** What waits for an animation's promise runs before its events. */
  #followPromises(): void {
    const { causing } = this;
    causing.wrapping.getter(Animation.prototype, "finished", (native, self, args) => {
      const { act } = causing;
      const promise = apply(native, self, args);
      if (act) causing.follow(promise, () => this.#holdFor(self as Animation, act));
      return promise;
    });
  }

  /** What runs before an act begins isn't its doing. */
  begin(): void {
    const running = animationsOf(document);
    for (let index = 0; index < running.length; index++) {
      const animation = running[index] as Animation;
      if (!this.#acts.has(animation)) this.#acts.set(animation, 0);
    }
  }

  /** Have what an act has the browser animate by now hold it up. */
  follow(act: number): void {
    if (readyStateOf(document) === "loading") return;
    const running = animationsOf(document);
    for (let index = 0; index < running.length; index++) {
      const animation = running[index] as Animation;
      if (this.#acts.has(animation)) continue;
      const source = timingOf(animation);
      this.#acts.set(animation, act);
      if (!act || !source) continue;
      if (source.target) this.#ofElements.set(source.target, act);
      const effect = this.#holdFor(animation, act);
      this.causing.followEvents(animation, effect, [], ["finish", "cancel", "remove"]);
    }
  }

  #holdFor(animation: Animation, act: number): Effect | null {
    const source = timingOf(animation);
    if (!source || source.left > LONGEST_MS) return null;
    return this.causing.graph.hold(act, "animation", "an animation", source.left + LONGEST_MS);
  }
}
