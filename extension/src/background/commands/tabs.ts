// The commands that open, list, show and close tabs.

import type { Acknowledged, Tab, TabResult, TabsOpenParams } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { TICK_MS } from "../../shared/limits";
import { checkUrl } from "../tabs/navigations";
import { type CommandContext, type Services, sendCdp } from "./context";
import { go } from "./goto";

export function viewTab(tab: chrome.tabs.Tab): Tab {
  const status = tab.status === "complete" ? "complete" : "loading";
  const url = tab.url || tab.pendingUrl || "";
  return { id: tab.id ?? -1, url, title: tab.title ?? "", status, active: tab.active };
}

export async function openTab(context: CommandContext, params: TabsOpenParams): Promise<TabResult> {
  const { services, deadline, kernel } = context;
  const url = checkUrl(params.url);
  const tab = await deadline.race(createTab(services, params.active ?? true));
  services.shares.add(tab, kernel, "kernel");
  await deadline.race(services.requests.newTabs.leaveAlone(tab));
  await deadline.race(services.groups.put(tab, kernel));
  if (params.cassette && params.cassette !== "off")
    await services.requests.setCassette(tab, params.cassette, deadline).catch(async (error) => {
      await services.tabs.remove(tab).catch(() => undefined);
      throw error;
    });
  // A tab without a debugger is opened all the same; the kernel learns why it can't be watched when it asks for it.
  if (params.watch_bytes)
    await services.network
      .watch(tab, { on: true, limit_bytes: params.watch_bytes }, deadline)
      .catch(() => undefined);
  if (url !== "about:blank") {
    // A page that never ends loading is reported in time as the page that it is.
    const part = deadline.part(deadline.left() - TICK_MS);
    await go({ ...context, tab, deadline: part }, { url, wait: params.wait ?? "load" }).catch(
      async (error) => {
        // The page is there, only a dialog blocks it: the kernel got its event, and can answer it.
        if (error instanceof Failure && error.code === "dialog_blocked") return;
        if (error instanceof Failure && error.data.loading && !deadline.signal.aborted) return;
        // Nobody gets this tab's id, so nobody could close it.
        await services.tabs.remove(tab).catch(() => undefined);
        throw error;
      },
    );
  }
  return { tab: viewTab(await services.tabs.get(tab)) };
}

async function createTab({ tabs, windows }: Services, active: boolean): Promise<number> {
  const url = "about:blank";
  // No window that can have tabs may be open.
  const inWindow = async (): Promise<chrome.tabs.Tab | undefined> =>
    (await windows.create({ url }))?.tabs?.[0];
  const tab = await tabs.create({ url, active }).catch(inWindow);
  if (tab?.id === undefined) throw new Failure("command", "The browser opened no tab.");
  return tab.id;
}

export async function viewTabs({ shares, tabs }: Services, kernel: string): Promise<Tab[]> {
  const found = await Promise.allSettled(shares.tabs(kernel).map((tab) => tabs.get(tab)));
  return found.flatMap((each) => (each.status === "fulfilled" ? [viewTab(each.value)] : []));
}

export async function switchTab({ services, tab, deadline }: CommandContext): Promise<TabResult> {
  const shown = await deadline.race(services.tabs.update(tab, { active: true }));
  if (!shown) throw new Failure("page_closed", "The tab is gone.");
  await services.windows.update(shown.windowId, { focused: true }).catch(() => undefined);
  return { tab: viewTab(shown) };
}

export async function closeTab(context: CommandContext): Promise<Acknowledged> {
  const { services, tab, deadline } = context;
  // Whoever closes the tab has decided already.
  const stop = services.dialogs.opened.on((opened) => {
    if (opened.tab !== tab || opened.dialog.kind !== "beforeunload") return;
    sendCdp(context, "Page.handleJavaScriptDialog", { accept: true }).catch(() => undefined);
  });
  await deadline.race(services.requests.closing(tab));
  await deadline.race(services.tabs.remove(tab)).finally(stop);
  services.shares.remove(tab, "closed");
  return {};
}
