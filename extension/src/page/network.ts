// Requests of the page, what is read of their answers, streams of events and sockets.

import { LONGEST_MS, SHOWN_MS, STANDING_MS } from "../shared/limits";
import { type Causing, withArgument } from "./causing";
import type { Effect } from "./graph";
import { hrefOf, requestMethod, requestUrl } from "./natives";
import { apply, plainValue, SafeWeakMap } from "./safe";

export function wrapNetwork(causing: Causing): void {
  wrapFetch(causing);
  wrapRequests(causing);
  wrapReaders(causing);
  wrapOwnPromises(causing);
  wrapSockets(causing);
}

const { Request: NativeRequest, Response: NativeResponse, URL: NativeURL } = globalThis;

/** The address of what is requested, as far as it is known without running code of the page. */
function addressOf(input: unknown): string {
  try {
    if (typeof input === "string") return input;
    if (input instanceof NativeURL) return String(hrefOf(input));
    if (NativeRequest && input instanceof NativeRequest) return String(requestUrl(input));
  } catch {
    // What the page made look like one.
  }
  return "";
}

function wrapFetch(causing: Causing): void {
  const { graph } = causing;
  causing.wrapping.method(globalThis, "fetch", (native, self, args) => {
    const { act } = causing;
    const promise = apply(native, self, args);
    if (!act) return promise;
    const url = addressOf(args[0]);
    const given = plainValue(args[1], "method");
    const isRequest = typeof args[0] === "object" && !(args[0] instanceof NativeURL);
    const method =
      typeof given === "string" ? given : isRequest && url ? requestMethod(args[0] as object) : "GET";
    causing.follow(
      promise,
      () => graph.hold(act, "request", `${method} ${pathOf(url)}`, STANDING_MS, url),
      (value) => {
        if (NativeResponse && value instanceof NativeResponse) causing.owners.set(value, act);
      },
    );
    return promise;
  });
}

const BODIES = "arrayBuffer blob bytes formData json text".split(" ");
/** What else answers by a promise, in a task of its own. */
const PROMISED: readonly [string, string][] = [
  ["Blob", "arrayBuffer bytes text"],
  ["Cache", "add addAll delete keys match matchAll put"],
  ["CacheStorage", "delete has keys match open"],
  ["Clipboard", "read readText write writeText"],
  ["CookieStore", "delete get getAll set"],
  ["BaseAudioContext", "decodeAudioData"],
  ["FontFace", "load"],
  ["FontFaceSet", "load"],
  ["HTMLImageElement", "decode"],
  ["HTMLMediaElement", "play"],
  ["LockManager", "query"],
  ["OfflineAudioContext", "startRendering"],
  ["OffscreenCanvas", "convertToBlob"],
  ["Permissions", "query"],
  ["ReadableStreamDefaultReader", "read"],
  ["Scheduler", "yield"],
  ["ServiceWorkerContainer", "getRegistration register"],
  ["StorageManager", "estimate getDirectory"],
  ["SubtleCrypto", "decrypt deriveBits deriveKey digest encrypt generateKey importKey sign verify"],
  ["FileSystemDirectoryHandle", "getDirectoryHandle getFileHandle removeEntry"],
  ["FileSystemFileHandle", "createWritable getFile"],
  ["FileSystemWritableFileStream", "write close"],
];

function wrapReaders(causing: Causing): void {
  const { graph, wrapping } = causing;
  const wrap = (owner: object | undefined, name: string, kind: string): void =>
    wrapping.method(owner, name, (native, self, args) => {
      const owned = typeof self === "object" && self !== null ? causing.owners.get(self) : 0;
      const act = causing.act || owned || 0;
      const promise = apply(native, self, args);
      if (act) causing.follow(promise, () => graph.hold(act, kind, `an answer of ${name}`, STANDING_MS));
      return promise;
    });
  for (const name of BODIES) wrap(globalThis.Response?.prototype, name, "request");
  for (const [owner, names] of PROMISED) {
    const { prototype } = (globalThis as unknown as Record<string, { prototype?: object }>)[owner] ?? {};
    for (const name of names.split(" ")) wrap(prototype, name, "answer");
  }
  wrap(globalThis, "createImageBitmap", "answer");
  for (const name of ["compile", "compileStreaming", "instantiate", "instantiateStreaming"])
    wrap(globalThis.WebAssembly, name, "answer");
  // `for await` over a body reads by an iterator that has no name.
  wrap(Object.getPrototypeOf(new ReadableStream().values()), "next", "answer");
}

/** Promises that the page's own code settles, which is waited for as any other: of themselves nothing is pending. */
function wrapOwnPromises(causing: Causing): void {
  const { graph, wrapping } = causing;
  const enter = (act: number, promise: unknown): unknown => {
    if (act)
      causing.follow(
        promise,
        () => null,
        () => graph.enter(act),
      );
    return promise;
  };
  wrapping.method(globalThis.CustomElementRegistry?.prototype, "whenDefined", (native, self, args) =>
    enter(causing.act, apply(native, self, args)),
  );
  // A tab may hold a lock as long as it is open, and another one wait for it; one that nobody holds is given at once.
  wrapping.method(globalThis.LockManager?.prototype, "request", (native, self, args) => {
    const { act } = causing;
    const given = graph.hold(act, "answer", "a lock", LONGEST_MS);
    const task = causing.callback(args[args.length - 1], () => graph.end(given));
    return enter(act, apply(native, self, withArgument(args, args.length - 1, task)));
  });
}

const STEPS = ["readystatechange", "progress", "load", "error", "abort", "timeout"];
const ENDS = ["loadend"];
const EVENTS = [...STEPS, ...ENDS];

function wrapRequests(causing: Causing): void {
  const { graph, wrapping } = causing;
  const opened = new SafeWeakMap<object, { method: string; url: string }>();
  const { prototype } = XMLHttpRequest;
  wrapping.constructor_("XMLHttpRequest", (made) => causing.attend(made as EventTarget, EVENTS));
  wrapping.method(prototype, "open", (native, self, args) => {
    const result = apply(native, self, args);
    const method = typeof args[0] === "string" ? args[0] : "GET";
    opened.set(self as object, { method, url: addressOf(args[1]) });
    return result;
  });
  wrapping.method(prototype, "send", (native, self, args) => {
    const { act } = causing;
    const { method = "GET", url = "" } = (act && opened.get(self as object)) || {};
    if (!act) return apply(native, self, args);
    const effect = graph.hold(act, "request", `${method} ${pathOf(url)}`, STANDING_MS, url);
    causing.followEvents(self as EventTarget, effect, STEPS, ENDS);
    try {
      return apply(native, self, args);
    } catch (error) {
      graph.release(effect);
      throw error;
    }
  });
}

function wrapSockets(causing: Causing): void {
  const { graph, wrapping } = causing;
  const closing = new SafeWeakMap<object, () => void>();
  const begin = (target: object, kind: string, url: string): void => {
    const { act } = causing;
    causing.attend(target as EventTarget, ["open", "message", "error", "close"]);
    if (!act) return;
    const effect: Effect | null = graph.hold(act, kind, `a ${kind} at ${pathOf(url)}`, LONGEST_MS, url);
    causing.followEvents(target as EventTarget, effect, ["open"], ["close"]);
    const close = causing.followMessages(target as EventTarget, effect, SHOWN_MS);
    closing.set(target, close);
    graph.goesOn(`${kind} ${url}`, kind, `a ${kind} at ${pathOf(url)}`, url);
  };
  wrapping.constructor_("EventSource", (made, args) => begin(made, "stream", addressOf(args[0])));
  wrapping.constructor_("WebSocket", (made, args) => begin(made, "socket", addressOf(args[0])));
  for (const owner of [globalThis.EventSource?.prototype, globalThis.WebSocket?.prototype])
    wrapping.method(owner, "close", (native, self, args) => {
      closing.get(self as object)?.();
      return apply(native, self, args);
    });
  wrapping.method(globalThis.WebSocket?.prototype, "send", (native, self, args) => {
    const { act } = causing;
    const result = apply(native, self, args);
    if (act) {
      const effect = graph.hold(act, "socket", "an answer of a socket");
      closing.set(self as object, causing.followMessages(self as EventTarget, effect, SHOWN_MS));
      causing.followEvents(self as EventTarget, effect, [], ["close"]);
    }
    return result;
  });
}

/** A path to show. */
function pathOf(url: string): string {
  for (let index = 0; index < url.length; index++)
    if (url[index] === "?" || url[index] === "#") return cut(url, index);
  return cut(url, url.length);
}

function cut(url: string, length: number): string {
  let text = "";
  for (let index = 0; index < length && index < 70; index++) text += url[index];
  return text;
}
