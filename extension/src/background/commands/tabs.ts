// The commands that open, list, show and close tabs.

import type { Done, Tab, TabResult, TabsOpenParams, TabsResult } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { checkUrl } from "../tabs/navigations";
import type { Call, PageCall, Parts } from "./context";
import { go } from "./goto";

export function viewTab(tab: chrome.tabs.Tab): Tab {
  const status = tab.status === "complete" ? "complete" : "loading";
  return {
    id: tab.id ?? -1,
    url: tab.url || tab.pendingUrl || "",
    title: tab.title ?? "",
    status,
    active: tab.active,
  };
}

export async function openTab(parts: Parts, call: Call, params: TabsOpenParams): Promise<TabResult> {
  const url = checkUrl(params.url);
  const tab = await call.deadline.race(createTab(parts, params.active ?? true));
  parts.shares.add(tab, call.kernel, "kernel");
  await call.deadline.race(parts.groups.put(tab, call.kernel));
  if (url !== "about:blank") {
    await go(parts, { ...call, tab }, { url, wait: params.wait ?? "load" }).catch(async (error) => {
      // The page is there, only a dialog holds it: the event told the kernel, which can answer it.
      if (error instanceof Failure && error.code === "dialog_blocked") return;
      // Nobody gets this tab's id, so nobody could close it.
      await parts.tabs.remove(tab).catch(() => undefined);
      throw error;
    });
  }
  return { tab: viewTab(await parts.tabs.get(tab)) };
}

async function createTab(parts: Parts, active: boolean): Promise<number> {
  const blank = { url: "about:blank", active };
  let tab: chrome.tabs.Tab | undefined;
  try {
    tab = await parts.tabs.create(blank);
  } catch {
    // No window that can have tabs is open.
    tab = (await parts.windows.create({ url: "about:blank" }))?.tabs?.[0];
  }
  if (tab?.id === undefined) throw new Failure("command", "The browser opened no tab.");
  return tab.id;
}

export async function listTabs(parts: Parts, call: Call): Promise<TabsResult> {
  const found = await Promise.allSettled(parts.shares.tabs(call.kernel).map((tab) => parts.tabs.get(tab)));
  return { tabs: found.flatMap((each) => (each.status === "fulfilled" ? [viewTab(each.value)] : [])) };
}

export async function switchTab(parts: Parts, call: PageCall): Promise<TabResult> {
  const tab = await call.deadline.race(parts.tabs.update(call.tab, { active: true }));
  if (!tab) throw new Failure("page_closed", "The tab is gone.");
  await parts.windows.update(tab.windowId, { focused: true }).catch(() => undefined);
  return { tab: viewTab(tab) };
}

export async function closeTab(parts: Parts, call: PageCall): Promise<Done> {
  // Whoever closes the tab has decided already.
  const stop = parts.dialogs.opened.on(({ tab, dialog }) => {
    if (tab !== call.tab || dialog.kind !== "beforeunload") return;
    const send = parts.debuggers.send(tab, "Page.handleJavaScriptDialog", { accept: true }, call.deadline);
    send.catch(() => undefined);
  });
  await call.deadline.race(parts.tabs.remove(call.tab)).finally(stop);
  parts.shares.remove(call.tab, "closed");
  return {};
}
