import { expect, test } from "vitest";
import { listenTo } from "../../../src/background/connection/ui_port";
import type { UiRequest } from "../../../src/shared/ui";

const WATCH: UiRequest = { ui: "watch" };
const STOP: UiRequest = { ui: "stop", kernel: "one" };

test("what a page says before the worker has started is served once it has, in order, once", () => {
  const listeners: ((request: UiRequest) => void)[] = [];
  const onMessage = { addListener: (listener: (request: UiRequest) => void) => listeners.push(listener) };
  const listen = listenTo({ onMessage } as never);
  const say = (request: UiRequest): void => {
    for (const listener of listeners) listener(request);
  };
  say(WATCH);
  const served: UiRequest[] = [];
  listen((request) => served.push(request));
  expect(served).toEqual([WATCH]);
  say(STOP);
  expect(served).toEqual([WATCH, STOP]);
});
