// The service worker: puts the services together and hands them the browser's events. Listeners are registered at once,
// since the browser wakes the worker for them; they wait until what was saved is loaded.

import { InputBlocker } from "../hit_safety/input_blocker";
import { InputDelivery } from "../hit_safety/input_delivery";
import type { Gesture } from "../protocol/generated";
import { ALIVE_MS, DOCUMENT_MS } from "../shared/limits";
import { type ContentReport, KEEPALIVE } from "../shared/messages";
import type { PairOutcome, PairPage } from "../shared/ui";
import { ConsoleLog } from "./commands/console";
import type { Services } from "./commands/context";
import { pickInNewDocuments } from "./commands/pick";
import { commandOf, recordNewDocuments } from "./commands/record";
import { announceScripts } from "./commands/settled";
import { viewTab } from "./commands/tabs";
import { Attention, runOf } from "./connection/attention";
import type { Socket } from "./connection/connection";
import { Keepalive } from "./connection/keepalive";
import { Kernels } from "./connection/kernels";
import { PairedKernels, type Pairing } from "./connection/paired_kernels";
import { PairingRequests } from "./connection/pairing_requests";
import { makeNonce } from "./connection/proof";
import { listenTo, UiPorts } from "./connection/ui_port";
import { Deadline, within } from "./deadline";
import { DebuggerFacts } from "./reading/debugger_facts";
import { Cassettes } from "./requests/cassettes";
import { type FirstLoad, HeldRequests } from "./requests/held_requests";
import { NetworkLog } from "./requests/network_log";
import { NewTabs } from "./requests/new_tabs";
import { OpenRequestsOfTabs } from "./requests/open_requests";
import { RetryAfter } from "./requests/retry_after";
import { Signal } from "./signal";
import { Store } from "./store";
import { CausesScript } from "./tabs/causes_script";
import { onlyListed } from "./tabs/cdp_methods";
import { CdpSessions } from "./tabs/cdp_sessions";
import { DebuggerContentScript } from "./tabs/debugger_content_script";
import { Debuggers } from "./tabs/debuggers";
import { Dialogs } from "./tabs/dialogs";
import { Documents } from "./tabs/documents";
import { Emulations } from "./tabs/emulations";
import { Groups } from "./tabs/groups";
import { Menus, PANEL_ITEM } from "./tabs/menus";
import { type Kind, Navigations } from "./tabs/navigations";
import { Picks } from "./tabs/picks";
import { PlacePermissions } from "./tabs/place_permissions";
import { RelatedWindows } from "./tabs/related_windows";
import { Shares } from "./tabs/shares";

const REVIVE = "revive";
const CONFIRM_SIZE = { width: 460, height: 560 };

const store = new Store(chrome.storage.session);
const profileStore = new Store(chrome.storage.local);
const shares = new Shares(store);
const openSocket = (url: string): Socket => new WebSocket(url) as Socket;
const groups: Groups = new Groups(
  chrome,
  store,
  shares,
  (kernel) => running?.kernels.nameOf(kernel) ?? "skillbook",
);

const keepalive = new Keepalive(shares);
const menus = new Menus(chrome.contextMenus, shares);
const blocker = new InputBlocker();
const debuggerApi = onlyListed(chrome.debugger);
const readScript = async (name: string): Promise<string> =>
  (await fetch(chrome.runtime.getURL(`${name}.js`))).text();
const causes = new CausesScript(() => readScript("causes"));
const debuggers = new Debuggers(debuggerApi, blocker, causes);
const navigations = new Navigations();
const sessions = new CdpSessions(debuggers, chrome.runtime.id, blocker, causes);
const debuggerScript = new DebuggerContentScript(debuggers, debuggerApi, () => readScript("content"));

/** Chrome's rules can go by the headers of an answer from 128 on. */
const readsAnswers = Number(/Chrome\/(\d+)/.exec(navigator.userAgent)?.[1]) >= 128;
const newTabs = new NewTabs(chrome.declarativeNetRequest, chrome.tabs, readsAnswers);
const load = async (tab: number, url: string): Promise<unknown> => {
  await newTabs.done();
  return chrome.tabs.update(tab, { url }).catch(() => undefined);
};

/** All that is ever done in a tab that isn't shared, and only if acting in a shared one depends on it. */
async function hasOpener(tab: number): Promise<boolean | undefined> {
  const func = (): boolean => window.opener !== null;
  const script = { target: { tabId: tab }, func, injectImmediately: true };
  const results = within(chrome.scripting.executeScript(script), ALIVE_MS);
  return (await results.catch(() => undefined))?.[0]?.result;
}

async function processOf(tab: number): Promise<number | undefined> {
  const frames = await chrome.webNavigation.getAllFrames({ tabId: tab }).catch(() => null);
  return frames?.find(({ frameId }) => frameId === 0)?.processId;
}

const services: Services = {
  tabs: chrome.tabs,
  windows: chrome.windows,
  shares,
  groups,
  documents: new Documents(chrome, shares, blocker, debuggerScript, causes),
  navigations,
  debuggers,
  delivery: new InputDelivery(debuggers, navigations),
  dialogs: new Dialogs(),
  console: new ConsoleLog(),
  sessions,
  facts: new DebuggerFacts(sessions, debuggers),
  downloads: { created: new Signal(), changed: new Signal(), api: chrome.downloads },
  requests: new HeldRequests(debuggers, sessions, store, newTabs, load, new Cassettes(debuggers, store)),
  network: new NetworkLog(debuggers, sessions, store),
  emulations: new Emulations(
    debuggers,
    sessions,
    store,
    new PlacePermissions(chrome.contentSettings.location, chrome.tabs),
  ),
  picks: new Picks(),
  cookies: () => chrome.cookies as typeof chrome.cookies | undefined,
  retryAfter: new RetryAfter(shares),
  openRequests: new OpenRequestsOfTabs(chrome.webRequest, shares),
  related: new RelatedWindows({ tabs: chrome.tabs, processOf, hasOpener }, store),
  opened: new Signal(),
};

services.requests.isWatched = (tab) => services.network.isOn(tab) || services.emulations.slowsNetwork(tab);
services.requests.ruled.on(({ tab, session, id, source }) =>
  services.network.answered(tab, session, id, source),
);

interface Running {
  kernels: Kernels;
  pairing: PairingRequests;
  ui: UiPorts;
}

let running: Running | undefined;
const started = start();

async function start(): Promise<Running> {
  const pairings = new PairedKernels(store, profileStore);
  const open = chrome.tabs.query({});
  // Each of these is a trip to a browser that has much else to do while it starts: they go together.
  const [, profile, known, tabs] = await Promise.all([
    // Unlike the session's, this area is open to content scripts unless one says otherwise.
    chrome.storage.local.setAccessLevel({ accessLevel: "TRUSTED_CONTEXTS" }),
    profileId(),
    pairings.load(readPaired),
    open,
    services.related.load(open),
    shares.load(),
    groups.load(),
    blocker.load(store, makeNonce()),
    causes.load(store, makeNonce()),
    services.requests.load(),
    services.network.load(),
    services.emulations.load(),
  ]);
  services.openRequests.load();
  const extension = chrome.runtime.getManifest().version;
  const kernels = new Kernels(services, pairings, { profile, browser: browserName(), extension }, openSocket);
  const accept = (pairing: Pairing): void => kernels.pair(pairing);
  const pairing = new PairingRequests(profile, openSocket, showConfirm, accept, injectPairScript);
  const ui = new UiPorts(kernels, shares, pairing, chrome.tabs, services.emulations);
  running = { kernels, pairing, ui };
  const attention = new Attention(
    {
      badge: (text) => void chrome.action.setBadgeText({ text }),
      notify: (id, title, message) =>
        void chrome.notifications.create(id, { type: "basic", iconUrl: "icons/128.png", title, message }),
      clear: (id) => void chrome.notifications.clear(id),
    },
    () => ui.isPanelOpen,
  );
  attention.follow(kernels);
  forgetClosedTabs(tabs);
  for (const { pairing, memory } of known) kernels.add(pairing, memory);
  kernels.changed.on(() => void menus.show(kernels.offered()));
  void menus.show(kernels.offered());
  void chrome.action.setBadgeBackgroundColor({ color: "#b7490a" });
  await chrome.alarms.create(REVIVE, { periodInMinutes: 0.5 });
  return running;
}

/** A launched browser's profile brings the pairing along, as a file of the extension. */
async function readPaired(): Promise<unknown> {
  const response = await fetch(chrome.runtime.getURL("paired.json")).catch(() => null);
  return response?.ok ? response.json() : null;
}

async function profileId(): Promise<string> {
  const { profile } = await chrome.storage.local.get("profile");
  if (typeof profile === "string") return profile;
  const made = crypto.randomUUID();
  await chrome.storage.local.set({ profile: made });
  return made;
}

function browserName(): string {
  const found = /(Edg|OPR|Chrome)\/(\d+)/.exec(navigator.userAgent);
  const names: Record<string, string> = { Edg: "Edge", OPR: "Opera", Chrome: "Chromium" };
  return found ? `${names[found[1] as string]} ${found[2]}` : "unknown browser";
}

function injectPairScript(tab: number): Promise<unknown> {
  return chrome.scripting.executeScript({ target: { tabId: tab }, files: ["pair.js"] });
}

/** Tabs may have closed while the worker was not running. */
function forgetClosedTabs(tabs: readonly chrome.tabs.Tab[]): void {
  const open = new Set(tabs.map((tab) => tab.id));
  for (const tab of shares.tabs()) if (!open.has(tab)) shares.remove(tab, "closed");
}

function showConfirm(id: string): void {
  const url = chrome.runtime.getURL(`confirm.html?request=${id}`);
  chrome.windows
    .create({ url, type: "popup", focused: true, ...CONFIRM_SIZE })
    .catch(() => chrome.tabs.create({ url }));
}

const whenStarted = (task: (running: Running) => void): void => {
  if (running) task(running);
  else void started.then(task);
};

const LOADED: ReadonlySet<Kind> = new Set<Kind>(["committed", "failed"]);

for (const [event, kind] of [
  [chrome.webNavigation.onBeforeNavigate, "before"],
  [chrome.webNavigation.onCommitted, "committed"],
  [chrome.webNavigation.onDOMContentLoaded, "dom"],
  [chrome.webNavigation.onCompleted, "completed"],
  [chrome.webNavigation.onErrorOccurred, "failed"],
  [chrome.webNavigation.onHistoryStateUpdated, "moved"],
  [chrome.webNavigation.onReferenceFragmentUpdated, "moved"],
] as const) {
  event.addListener((details: chrome.webNavigation.WebNavigationBaseCallbackDetails) =>
    whenStarted(() => {
      if (kind === "before" && (details as unknown as FirstLoad).frameId === 0)
        void services.requests.goes(details.tabId, details.url);
      if ((details as unknown as FirstLoad).frameId === 0 && (kind === "before" || kind === "committed"))
        void services.emulations.permitPlaces();
      if (LOADED.has(kind)) {
        if ((details as unknown as FirstLoad).frameId === 0) void newTabs.arrived(details.tabId);
        void services.requests.loaded(details as unknown as FirstLoad);
      }
      if (!shares.get(details.tabId)) return;
      const navigation = details as Parameters<Navigations["take"]>[1];
      if ((kind as Kind) === "committed") services.documents.committed(navigation);
      services.navigations.take(kind, navigation);
      if ((kind as Kind) === "committed") recordNavigation(details as Committed);
    }),
  );
}

type Committed = chrome.webNavigation.WebNavigationTransitionCallbackDetails;

/** Report that a person went somewhere else by the browser's own means, while their steps are recorded. */
function recordNavigation({ tabId, frameId, url, transitionType, transitionQualifiers }: Committed): void {
  if (frameId !== 0 || shares.get(tabId)?.recording === undefined) return;
  const command = commandOf(transitionType, transitionQualifiers);
  if (!command) return;
  const nothing = { path: [], to_path: [], key: "", frame: 0, replaces: 0, secret: false, tree: null };
  const params: Gesture["params"] = command === "goto" ? { url } : {};
  whenStarted(({ kernels }) => kernels.emit(tabId, "gesture", { command, params, url, ...nothing }));
}

chrome.webNavigation.onCreatedNavigationTarget.addListener(({ sourceTabId, tabId }) =>
  whenStarted(() => {
    services.related.opened(sourceTabId, tabId);
    services.requests.openedBy(sourceTabId, tabId);
    const share = shares.get(sourceTabId);
    if (!share) return;
    shares.add(tabId, share.kernel, "page", sourceTabId);
    services.opened.emit({ opener: sourceTabId, tab: tabId });
  }),
);

chrome.tabs.onUpdated.addListener((tab, change, details) =>
  whenStarted(({ kernels }) => {
    if (change.groupId !== undefined) void groups.moved(tab, change.groupId);
    if (!shares.get(tab)) return;
    if (change.status === "complete") services.navigations.complete(tab, details.url ?? "");
    if (change.status || change.title || change.url)
      kernels.emit(tab, "tab_updated", { tab: viewTab(details) });
  }),
);

chrome.webRequest.onBeforeRequest.addListener(
  (request) => {
    whenStarted(() => services.requests.requested(request));
    return undefined;
  },
  { urls: ["http://*/*", "https://*/*"], types: ["main_frame"] },
);

chrome.webRequest.onHeadersReceived.addListener(
  (answer) => {
    whenStarted(() => services.retryAfter.take(answer));
    return undefined;
  },
  { urls: ["http://*/*", "https://*/*"], types: ["main_frame"] },
  ["responseHeaders"],
);

chrome.webRequest.onAuthRequired.addListener(
  ({ tabId, type, url }) => {
    if (type !== "main_frame")
      whenStarted(() => shares.get(tabId) && navigations.take("asks_password", { tabId, frameId: 0, url }));
    return undefined;
  },
  { urls: ["http://*/*", "https://*/*"] },
);

chrome.downloads.onCreated.addListener((item) => services.downloads.created.emit(item));
chrome.downloads.onChanged.addListener((change) => services.downloads.changed.emit(change));

chrome.tabs.onCreated.addListener((tab) => whenStarted(() => services.requests.created(tab)));
chrome.tabs.onRemoved.addListener((tab) =>
  whenStarted(() => {
    shares.remove(tab, "closed");
    services.related.closed(tab);
    void services.emulations.permitPlaces();
  }),
);
chrome.tabs.onReplaced.addListener((added, removed) =>
  whenStarted(() => {
    services.related.replaced(removed, added);
    shares.replace(removed, added);
  }),
);
chrome.tabs.onActivated.addListener(({ windowId }) =>
  whenStarted(async ({ kernels }) => {
    kernels.changed.emit();
    for (const tab of await chrome.tabs.query({ windowId }))
      if (tab.id !== undefined && shares.get(tab.id))
        kernels.emit(tab.id, "tab_updated", { tab: viewTab(tab) });
  }),
);

chrome.debugger.onEvent.addListener(({ tabId, sessionId }, method, params) => {
  if (tabId === undefined) return;
  const event = { tab: tabId, method, params: params ?? {} };
  sessions.take({ ...event, session: sessionId ?? null });
  whenStarted(() => {
    // The log first: a request is known before a rule answers it.
    services.network.take({ ...event, session: sessionId ?? null });
    services.requests.take({ ...event, session: sessionId ?? null });
  });
  if (sessionId === undefined) services.debuggers.events.emit(event);
});
chrome.debugger.onDetach.addListener(({ tabId }, reason) => {
  if (tabId !== undefined) services.debuggers.detached(tabId, reason);
});
// The commands that wait for the page fail with it; nobody else needs to know.
keepalive.left.on((tab) => void services.documents.checkAlive(tab).catch(() => undefined));
services.debuggers.events.on((event) => services.navigations.takeCdp(event));
// The page's own causes are marked in frames of other processes as well, and given up with the debugger.
debuggers.attached.on((tab) => {
  sessions.open(tab, new Deadline(DOCUMENT_MS, "the debugger to attach to frames")).catch(() => undefined);
});
announceScripts(services);
debuggers.leaves.on((tab) => {
  for (const doc of services.documents.known(tab)) services.documents.post(doc, { op: "let_causes_go" });
});
for (const part of [services.dialogs, services.console])
  services.debuggers.events.on((event) => part.take(event));

chrome.runtime.onMessage.addListener((message: ContentReport | PairPage, sender, respond) => {
  if (sender.id !== chrome.runtime.id) return false;
  if (message.report !== "pair_page") {
    whenStarted((running) => take(message, sender.tab?.id ?? -1, sender.documentId, running));
    return false;
  }
  if (sender.frameId !== 0) return false;
  started
    .then(({ pairing }) => pairing.request(message, sender.url, sender.tab?.id))
    .then((outcome: PairOutcome | null) => respond(outcome))
    .catch(() => respond(null));
  return true;
});

debuggerScript.reports.on(({ tab, documentId, report }) =>
  whenStarted((running) => take(report, tab, documentId, running)),
);

/** Take in what a content script reports. */
function take(
  report: ContentReport,
  tab: number,
  documentId: string | undefined,
  { kernels }: Running,
): void {
  const { documents, picks } = services;
  if (report.report === "frame_key") documents.reported(documentId, report);
  else if (report.report === "pressed") documents.pressed.emit(documentId ?? "");
  else if (report.report === "person_input") {
    if (services.requests.isOn(tab)) kernels.emit(tab, "person_input", {});
  } else if (report.report === "ready") {
    for (const begin of [recordNewDocuments, pickInNewDocuments])
      void begin(services, tab).catch(() => undefined);
  } else if (report.report === "picked") {
    documents.numbered(documentId, report.highest);
    picks.picked.emit({ tab, frame: report.frame, path: report.path });
  } else {
    documents.numbered(documentId, report.highest);
    if (shares.get(tab)?.recording !== undefined) kernels.emit(tab, "gesture", report.gesture);
  }
}

chrome.runtime.onConnect.addListener((port) => {
  const tab = port.sender?.tab?.id;
  if (port.name === KEEPALIVE && port.sender?.id === chrome.runtime.id && tab !== undefined) {
    whenStarted(() => keepalive.connect(tab, port));
    return;
  }
  const isOurs =
    port.sender?.url?.startsWith(chrome.runtime.getURL("")) && port.sender.id === chrome.runtime.id;
  if (!isOurs || port.name !== "ui") return port.disconnect();
  const listen = listenTo(port);
  whenStarted(({ ui }) => ui.connect(port, listen));
});

/** The window that had the focus last: what opens the panel must not wait to find out. */
let front: number | undefined;
chrome.windows.onFocusChanged.addListener((window) => {
  if (window !== chrome.windows.WINDOW_ID_NONE) front = window;
});
void chrome.windows.getLastFocused().then(
  ({ id }) => {
    front ??= id;
  },
  () => undefined,
);

/** Open the side panel; a browser lets us only right after a person did something, so at once. */
function openPanel(windowId: number | undefined): void {
  const url = chrome.runtime.getURL("sidepanel.html");
  const opened =
    windowId === undefined ? Promise.reject(new Error("no window")) : chrome.sidePanel.open({ windowId });
  opened.catch(() => chrome.tabs.create({ url }));
}

chrome.commands.onCommand.addListener((command, tab) => {
  if (command === "open_panel") openPanel(tab?.windowId ?? front);
});
chrome.notifications.onClicked.addListener((id) => {
  openPanel(front);
  whenStarted(({ ui }) => ui.show(runOf(id)));
  void chrome.notifications.clear(id);
});

chrome.contextMenus.onClicked.addListener(({ menuItemId }, tab) => {
  if (menuItemId === PANEL_ITEM) openPanel(tab?.windowId ?? front);
  else whenStarted(() => menus.chosen(String(menuItemId), tab?.id));
});

chrome.alarms.onAlarm.addListener(({ name }) => {
  if (name === REVIVE) whenStarted(({ kernels }) => kernels.check());
});
// Registered so that the browser starts the worker of an extension that was reloaded or updated.
chrome.runtime.onInstalled.addListener(() => whenStarted(({ kernels }) => kernels.check()));
chrome.runtime.onStartup.addListener(() => whenStarted(({ kernels }) => kernels.check()));
