// One handler a command. A command that the kernel knows and this table doesn't is a type error.

import type { CommandName, Commands } from "../../protocol/generated";
import { COMMANDS } from "../../protocol/generated";
import * as mouse from "../input/click";
import { drag } from "../input/drag";
import * as actions from "../input/page_actions";
import { upload } from "../input/upload";
import { read } from "../reading/reads";
import { takeScreenshot } from "../reading/screenshot";
import { takeSnapshot } from "../reading/snapshot";
import type { Call, PageCall, Parts } from "./context";
import { download } from "./download";
import { evaluate } from "./evaluate";
import * as navigation from "./goto";
import type { RawJson } from "./raw_json";
import * as tabs from "./tabs";
import { waitFor } from "./wait";

type CallOf<C extends CommandName> = (typeof COMMANDS)[C]["scope"] extends "page" ? PageCall : Call;

export type Handlers = {
  [C in CommandName]: (
    parts: Parts,
    call: CallOf<C>,
    params: Commands[C]["params"],
  ) => Promise<Commands[C]["result"] | RawJson<Commands[C]["result"]>>;
};

export const handlers = {
  snapshot: (parts, call, params) => takeSnapshot(parts, call, params),
  get: (parts, call, params) => read(parts, call, "get", params),
  is: (parts, call, params) => read(parts, call, "is", params),
  describe: (parts, call, params) => read(parts, call, "describe", params),
  screenshot: takeScreenshot,
  console: async (parts, call, params) => {
    await call.deadline.race(parts.debuggers.ensure(call.tab));
    return { messages: parts.console.list(call.tab, params.level ?? "all") };
  },
  evaluate,
  click: (parts, call, params) => mouse.click(parts, call, params, 1),
  dblclick: (parts, call, params) => mouse.click(parts, call, params, 2),
  fill: actions.fill,
  type: actions.type,
  press: actions.press,
  hover: mouse.hover,
  focus: (parts, call, params) => actions.inPageAction(parts, call, "focus", params),
  check: (parts, call, params) => mouse.setChecked(parts, call, params, true),
  uncheck: (parts, call, params) => mouse.setChecked(parts, call, params, false),
  select: (parts, call, params) => actions.inPageAction(parts, call, "select", params),
  submit: (parts, call, params) => actions.inPageAction(parts, call, "submit", params),
  drag,
  scroll: actions.scroll,
  upload,
  download,
  handle_dialog: actions.handleDialog,
  highlight: actions.highlight,
  goto: navigation.go,
  back: (parts, call, params) => navigation.goInHistory(parts, call, "back", params.wait),
  forward: (parts, call, params) => navigation.goInHistory(parts, call, "forward", params.wait),
  reload: (parts, call, params) => navigation.goInHistory(parts, call, "reload", params.wait),
  wait_for: waitFor,
  tabs_open: tabs.openTab,
  tabs_list: tabs.listTabs,
  tabs_switch: tabs.switchTab,
  tabs_close: tabs.closeTab,
} satisfies Handlers as Handlers;

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
