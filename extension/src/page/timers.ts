// Timers, intervals, frames, idle callbacks and tasks of the scheduler.

import { LONGEST_MS, STANDING_MS } from "../shared/limits";
import { type Causing, withArgument } from "./causing";
import type { Effect } from "./graph";
import { clock, nextFrame, setTimer } from "./natives";
import { apply, plainValue, SafeMap } from "./safe";

type Timers = SafeMap<unknown, Effect>;

export function wrapTimers(causing: Causing): void {
  const timers: Timers = new SafeMap();
  wrapTimeouts(causing, timers);
  wrapIntervals(causing, timers);
  for (const name of ["clearTimeout", "clearInterval"])
    causing.wrapping.method(globalThis, name, (native, self, args) => {
      forget(causing, timers, args[0]);
      return apply(native, self, args);
    });
  wrapFrames(causing);
  wrapIdle(causing);
  wrapScheduler(causing);
  wrapTimedSignals(causing);
}

/** What ends the waiting for ticks of intervals. */
const stops = new SafeMap<unknown, () => void>();

function forget(causing: Causing, timers: Timers, id: unknown): void {
  if (typeof id !== "number") return;
  stops.get(id)?.();
  stops.delete(id);
  const effect = timers.get(id);
  if (!effect) return;
  timers.delete(id);
  causing.graph.release(effect);
}

/** A delay in milliseconds; null for one that only the page's own code could turn into a number. */
function delayOf(value: unknown): number | null {
  if (value === undefined || value === null) return 0;
  return typeof value === "number" || typeof value === "string" ? +value || 0 : null;
}

const inSeconds = (ms: number): string => `${ms / 1000} s`;

function wrapTimeouts(causing: Causing, timers: Timers): void {
  const { graph } = causing;
  causing.wrapping.method(globalThis, "setTimeout", (native, self, args) => {
    const { act } = causing;
    const callback = args[0];
    const isText = typeof callback === "string";
    const ms = act && (isText || typeof callback === "function") ? delayOf(args[1]) : null;
    if (ms === null || ms > LONGEST_MS) return apply(native, self, args);
    const source = isText ? callback : causing.sourceOf(`timer ${ms} `, callback as object);
    const effect = graph.holdAgain(act, "timer", `a timer of ${inSeconds(ms)}`, ms + LONGEST_MS, source);
    if (!effect) return apply(native, self, args);
    const begin = (): void => {
      timers.delete(id);
      graph.end(effect);
    };
    const id = apply(native, self, isText ? args : withArgument(args, 0, causing.callback(callback, begin)));
    timers.set(id, effect);
    // Code that is text can't be wrapped; a timer of the same time comes right after it.
    if (isText) setTimer(begin, ms);
    return id;
  });
}

function wrapIntervals(causing: Causing, timers: Timers): void {
  const { graph } = causing;
  causing.wrapping.method(globalThis, "setInterval", (native, self, args) => {
    const { act } = causing;
    const callback = args[0];
    const ms = act && typeof callback === "function" ? delayOf(args[1]) : null;
    if (ms === null || ms > LONGEST_MS) return apply(native, self, args);
    const text = `an interval of ${inSeconds(ms)}`;
    const effect = graph.hold(act, "interval", text, ms + LONGEST_MS);
    if (!effect) return apply(native, self, args);
    const began = clock();
    const next = causing.tick(ms, text);
    let ticks = 0;
    const tick = (): void => {
      next.ticks();
      if (!effect.isOpen) return;
      graph.enter(act, effect);
      graph.extend(effect, ms + LONGEST_MS);
      if (!graph.isClock("interval", ticks++, began)) return;
      graph.end(effect);
      graph.goesOn(causing.sourceOf(text, callback as object), "interval", text, null, began);
    };
    const id = apply(native, self, withArgument(args, 0, causing.callback(callback, tick)));
    timers.set(id, effect);
    stops.set(id, next.stop);
    return id;
  });
}

/** Frames run in one task, in the order in which they were requested: ours stand around the page's. */
function wrapFrames(causing: Causing): void {
  const { graph, wrapping } = causing;
  const frames: Timers = new SafeMap();
  wrapping.method(globalThis, "requestAnimationFrame", (native, self, args) => {
    const { act } = causing;
    const callback = args[0];
    if (!act || typeof callback !== "function") return apply(native, self, args);
    const source = causing.sourceOf("frame ", callback);
    const effect = graph.holdAgain(act, "frame", "a frame", LONGEST_MS, source);
    if (!effect) return apply(native, self, args);
    nextFrame(() => graph.end(effect));
    const id = apply(native, self, args);
    nextFrame(() => {
      frames.delete(id);
      if (graph.now === act) graph.now = 0;
    });
    frames.set(id, effect);
    return id;
  });
  wrapping.method(globalThis, "cancelAnimationFrame", (native, self, args) => {
    forget(causing, frames, args[0]);
    return apply(native, self, args);
  });
}

function wrapIdle(causing: Causing): void {
  const { graph, wrapping } = causing;
  const callbacks: Timers = new SafeMap();
  wrapping.method(globalThis, "requestIdleCallback", (native, self, args) => {
    const { act } = causing;
    const callback = args[0];
    if (!act || typeof callback !== "function") return apply(native, self, args);
    const source = causing.sourceOf("idle ", callback);
    const effect = graph.holdAgain(act, "idle", "an idle callback", STANDING_MS, source);
    if (!effect) return apply(native, self, args);
    const begin = (): void => {
      callbacks.delete(id);
      graph.end(effect);
    };
    const id = apply(native, self, withArgument(args, 0, causing.callback(callback, begin)));
    callbacks.set(id, effect);
    return id;
  });
  wrapping.method(globalThis, "cancelIdleCallback", (native, self, args) => {
    forget(causing, callbacks, args[0]);
    return apply(native, self, args);
  });
}

/** A signal that aborts by time is a timer, too. */
function wrapTimedSignals(causing: Causing): void {
  const { graph, wrapping } = causing;
  wrapping.method(globalThis.AbortSignal, "timeout", (native, self, args) => {
    const { act } = causing;
    const ms = act ? delayOf(args[0]) : null;
    const signal = apply(native, self, args);
    if (ms === null || ms > LONGEST_MS) return signal;
    causing.followEvents(
      signal,
      graph.hold(act, "timer", `a timer of ${inSeconds(ms)}`, ms + LONGEST_MS),
      [],
      ["abort"],
    );
    return signal;
  });
}

interface Scheduling {
  Scheduler?: { prototype: object };
}

function wrapScheduler(causing: Causing): void {
  const { graph, wrapping } = causing;
  const owner = (globalThis as Scheduling).Scheduler?.prototype;
  wrapping.method(owner, "postTask", (native, self, args) => {
    const { act } = causing;
    const callback = args[0];
    const delay = plainValue(args[1], "delay");
    const ms = typeof delay === "number" ? delay : 0;
    if (!act || typeof callback !== "function" || ms > LONGEST_MS) return apply(native, self, args);
    const source = causing.sourceOf(`task ${ms} `, callback);
    const effect = graph.holdAgain(act, "task", "a task of the scheduler", ms + LONGEST_MS, source);
    if (!effect) return apply(native, self, args);
    const promise = apply(
      native,
      self,
      withArgument(
        args,
        0,
        causing.callback(callback, () => graph.end(effect)),
      ),
    );
    causing.follow(promise, () => graph.hold(act, "task", "a task of the scheduler", ms + LONGEST_MS));
    return promise;
  });
}
