// One handler a command. A command that the kernel knows and this table doesn't is a type error.

import type { CommandName, Commands, PauseRequestsResult } from "../../protocol/generated";
import { COMMANDS } from "../../protocol/generated";
import * as mouse from "../input/click";
import { drag } from "../input/drag";
import * as keyboard from "../input/keyboard";
import * as page from "../input/page_actions";
import { passRemoteInput } from "../input/remote_input";
import { upload } from "../input/upload";
import { findElements } from "../reading/element_search";
import { describe, findElementAt, get, is } from "../reading/reads";
import { savePage } from "../reading/save_page";
import { takeScreenshot } from "../reading/screenshot";
import { readShownDocuments } from "../reading/shown_documents";
import { takeSnapshot } from "../reading/snapshot";
import type { CommandContext, RawJson } from "./context";
import { download } from "./download";
import { evaluate } from "./evaluate";
import { fetchAlike } from "./fetch_alike";
import * as navigation from "./goto";
import { handleDialog } from "./handle_dialog";
import { measurePage } from "./metrics";
import { callPageTool, listPageTools } from "./page_tools";
import { pick } from "./pick";
import { record } from "./record";
import { waitSettled } from "./settled";
import { readOrSetCookies, readOrWriteDatabases, readOrWriteStorage } from "./site_state";
import * as tabs from "./tabs";
import { waitFor } from "./wait";

export type Handlers = {
  [C in CommandName]: (
    context: CommandContext,
    params: Commands[C]["params"],
  ) => Promise<Commands[C]["result"] | RawJson<Commands[C]["result"]>>;
};

/** The windows that can script a tab; of those that aren't this kernel's only how many. */
async function relatedTo({
  services,
  tab,
  kernel,
}: CommandContext): Promise<Pick<PauseRequestsResult, "related" | "unshared">> {
  const isShared = (each: number): boolean => services.shares.get(each)?.kernel === kernel;
  const windows = await services.related.of(tab, isShared);
  const related = windows.filter(isShared);
  return { related, unshared: windows.length - related.length };
}

export const handlers = {
  snapshot: (context, params) => takeSnapshot(context, params),
  get,
  is,
  describe,
  element_at: findElementAt,
  find_elements: findElements,
  screenshot: takeScreenshot,
  markdown: readShownDocuments,
  save_page: savePage,
  console: async ({ services, tab, deadline }, { level = "all" }) => {
    await deadline.race(services.debuggers.ensure(tab));
    return { messages: services.console.list(tab, level) };
  },
  evaluate,
  page_tools: listPageTools,
  call_page_tool: callPageTool,
  click: (context, params) => mouse.click(context, params),
  dblclick: (context, params) => mouse.click(context, params, 2),
  fill: keyboard.fill,
  clear: keyboard.clear,
  type: keyboard.type,
  press: keyboard.press,
  hover: mouse.hover,
  focus: (context, params) => page.actInPage(context, "focus", params),
  check: (context, params) => mouse.setChecked(context, params, true),
  uncheck: (context, params) => mouse.setChecked(context, params, false),
  select: (context, params) => page.actInPage(context, "select", params),
  submit: (context, params) => page.actInPage(context, "submit", params),
  drag,
  scroll: page.scroll,
  upload,
  download,
  handle_dialog: handleDialog,
  highlight: page.highlight,
  record,
  pick,
  remote_input: passRemoteInput,
  goto: navigation.go,
  back: (context, params) => navigation.goInHistory(context, "back", params.wait),
  forward: (context, params) => navigation.goInHistory(context, "forward", params.wait),
  reload: (context, params) => navigation.goInHistory(context, "reload", params.wait),
  wait_for: waitFor,
  pause_requests: async (context, { on, unless_waiting: unless, filled_origins: filled, ...settings }) => {
    const { services, tab, deadline } = context;
    if (filled) await services.requests.fill(tab, filled, deadline);
    if (on) {
      const [frames, windows] = await Promise.all([
        services.requests.hold(tab, settings, deadline),
        deadline.race(relatedTo(context)),
      ]);
      return { frames, ...windows };
    }
    const waiting = unless ? services.requests.undecided(tab) : 0;
    if (waiting === 0) await services.requests.letGo(tab, deadline);
    return { frames: 0, waiting };
  },
  release_request: async ({ services, tab }, params) => ({
    released: await services.requests.release(params, tab),
  }),
  set_cassette: async ({ services, tab, deadline }, { mode }) => {
    await services.requests.setCassette(tab, mode === "off" ? undefined : mode, deadline);
    return {};
  },
  page_settled: waitSettled,
  answer_request: async ({ services, tab }, params) => ({
    answered: await services.requests.cassettes.answer(params, tab),
  }),
  watch_network: async ({ services, tab, deadline }, params) => {
    await services.network.watch(tab, params, deadline);
    return {};
  },
  network_rules: async ({ services, tab, deadline }, params) => {
    await services.requests.setRules(tab, params, deadline);
    return {};
  },
  response_body: ({ services, tab }, { id }) => services.network.body(tab, id),
  fetch_alike: fetchAlike,
  emulate: async ({ services, tab, deadline }, params) => {
    await services.emulations.set(tab, params, deadline);
    return {};
  },
  metrics: measurePage,
  site_cookies: readOrSetCookies,
  site_storage: readOrWriteStorage,
  site_databases: readOrWriteDatabases,
  tabs_open: tabs.openTab,
  tabs_list: async ({ services, kernel }) => ({ tabs: await tabs.viewTabs(services, kernel) }),
  tabs_switch: tabs.switchTab,
  tabs_close: tabs.closeTab,
} satisfies Handlers as Handlers;

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
