// The content script: one a document, injected into shared tabs only. It listens to the extension and to nothing else,
// but for the one message by which the document in a frame sends its secret key.

import { Engine } from "../engine/dom/engine";
import { keyOf, windowOf } from "../engine/dom/tree/frames";
import { elementOf } from "../hit_safety/find_element";
import {
  type ContentGlobal,
  type ContentReport,
  type ContentRequest,
  type InputBlockerOrder,
  KEEPALIVE,
} from "../shared/messages";
import { factsFor } from "./debugger_facts";
import { RequestHandlers } from "./handlers";
import { Keepalive } from "./keepalive";
import { PageCausesClient } from "./page_causes";

interface Instance extends ContentGlobal {
  alive(): boolean;
  stop(): void;
}

/** The isolated world's global: pages have another one. */
const world = globalThis as { skillbook?: Instance; skillbookBlocker?: InputBlockerOrder };
/** What was put there; an element whose id is of that name is found there too. */
const ofWorld = <Name extends keyof typeof world>(name: Name): (typeof world)[Name] =>
  Object.hasOwn(globalThis, name) ? world[name] : undefined;

const isAlive = (): boolean => chrome.runtime?.id !== undefined;

function install(): Instance {
  // It is called for every element, and what looks like members of objects are calls into the browser.
  const openShadow = chrome.dom.openOrClosedShadowRoot;
  const engine = new Engine(document, {
    openShadow: (element) => openShadow(element as HTMLElement) as ShadowRoot | null,
    alive: isAlive,
  });
  const keepalive = new Keepalive(
    window,
    isAlive,
    "connect" in chrome.runtime ? () => chrome.runtime.connect({ name: KEEPALIVE }) : null,
  );
  const blocker = ofWorld("skillbookBlocker");
  const causes = new PageCausesClient(window, blocker?.causes ?? "");
  const handlers = new RequestHandlers(engine, send, keepalive, causes, blocker?.liftedBy ?? "");
  if (blocker?.stillBlocked) handlers.blockInput();
  if (blocker) window.dispatchEvent(new Event(blocker.liftedBy));

  const onRequest = (
    request: ContentRequest,
    sender: chrome.runtime.MessageSender,
    reply: (answer: unknown) => void,
  ): true | undefined => {
    if (sender.id !== chrome.runtime.id || sender.tab) return undefined;
    handlers.answer(request).then(reply);
    return true;
  };

  const onMessage = (event: MessageEvent): void => {
    if (!isAlive()) {
      stop();
      return;
    }
    const key = keyOf(event, window);
    if (key === null) return;
    event.stopImmediatePropagation();
    send({ report: "frame_key", key, nonce: engine.frames.of(event.source as Window) });
  };

  function stop(): void {
    if (isAlive()) chrome.runtime.onMessage.removeListener(onRequest);
    handlers.stop();
    keepalive.stop();
  }

  chrome.runtime.onMessage.addListener(onRequest);
  engine.listening.add(window, ["message"], onMessage as (event: Event) => void, {});
  send({ report: "ready" });
  return {
    ...factsFor(engine),
    element: (number) => elementOf(engine, number),
    nonceOf: (frame) => engine.frames.of(windowOf(frame) ?? frame),
    ...{ key: engine.key, alive: isAlive, stop },
  };
}

/** Report to the worker; one that starts anew may miss it, and queries the document by itself then. */
function send(report: ContentReport): void {
  chrome.runtime.sendMessage(report).catch(() => undefined);
}

if (!ofWorld("skillbook")?.alive()) {
  ofWorld("skillbook")?.stop();
  world.skillbook = install();
}
