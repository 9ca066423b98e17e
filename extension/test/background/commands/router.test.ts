import { beforeEach, describe, expect, it, vi } from "vitest";
import { RawJson, type Services } from "../../../src/background/commands/context";
import type { Handlers } from "../../../src/background/commands/handlers";
import { Router, TabQueue } from "../../../src/background/commands/router";
import { Signal } from "../../../src/background/signal";
import { Store } from "../../../src/background/store";
import { Dialogs } from "../../../src/background/tabs/dialogs";
import { Shares } from "../../../src/background/tabs/shares";
import type { Request } from "../../../src/protocol/generated";
import { Failure } from "../../../src/shared/errors";
import { FakeStorage } from "../fakes";

type Handler = (context: { tab: number; deadline: { signal: AbortSignal } }) => Promise<unknown>;

let handlers: Record<string, ReturnType<typeof vi.fn<Handler>>>;
let services: Services;
let router: Router;
let answers: { id: number; result?: unknown; error?: { code: string } | null }[];
let lastId = 0;

const never = (): Promise<never> => new Promise(() => undefined);
/** A handler that stops, as handlers do, when its time is over. */
const endless: Handler = ({ deadline }) =>
  new Promise((_resolve, reject) => {
    deadline.signal.addEventListener("abort", () => reject(deadline.signal.reason));
  });

function send(command: string, more: Partial<Request> = {}): Promise<void> {
  return router.handle({
    v: 1,
    type: "request",
    id: ++lastId,
    command,
    tab: 1,
    params: {},
    deadline_ms: 1_000,
    ...more,
  });
}

const codes = (): unknown[] => answers.map(({ error }) => error?.code ?? "ok");

beforeEach(() => {
  const shares = new Shares(new Store(new FakeStorage()));
  shares.add(1, "k1", "kernel");
  shares.add(2, "k2", "kernel");
  services = {
    shares,
    documents: { crashed: new Signal(), known: () => [], knownMain: () => undefined },
    dialogs: new Dialogs(),
    debuggers: { settleLoss: async () => undefined },
    openRequests: { act: () => ({ id: 5, over: () => undefined }) },
  } as unknown as Services;
  const done = () => vi.fn<Handler>(async () => ({}));
  handlers = { click: done(), fill: done(), snapshot: done(), tabs_list: done(), handle_dialog: done() };
  answers = [];
  const facts = () => ({ kernel: "k1", allowEvaluate: false, input: "trusted" as const, effects: false });
  const respond = (text: string) => void answers.push(JSON.parse(text));
  router = new Router(services, handlers as unknown as Handlers, new TabQueue(), facts, respond);
});

describe("router", () => {
  it("answers with the handler's result, once", async () => {
    handlers.snapshot?.mockResolvedValue(new RawJson('{"documents":[1]}'));
    await send("snapshot");
    expect(answers).toEqual([{ v: 1, type: "response", id: lastId, result: { documents: [1] } }]);
  });

  it.each(["nonsense", "toString", "__proto__", ""])("knows no command %j", async (command) => {
    await send(command);
    expect(codes()).toEqual(["unknown_command"]);
  });

  it.each([{ tab: 2 }, { tab: 99 }, { tab: null }])(
    "hides a tab that is not shared with the kernel: %j",
    async (more) => {
      await send("click", more);
      expect(codes()).toEqual(["page_closed"]);
      expect(handlers.click).not.toHaveBeenCalled();
    },
  );

  it("gives a failure's code, and internal for what nobody foresaw", async () => {
    handlers.click
      ?.mockRejectedValueOnce(new Failure("stale_ref", "gone"))
      .mockRejectedValueOnce(new TypeError("x is not"));
    await send("click");
    await send("click");
    expect(codes()).toEqual(["stale_ref", "internal"]);
  });

  it("13: handles what reads again where the debugger was lost meanwhile, but not for ever, and no write", async () => {
    const lost = new Failure("debugger_unavailable", "lost", "", { detached: true });
    handlers.snapshot?.mockRejectedValueOnce(lost).mockResolvedValueOnce({ again: true });
    handlers.click?.mockRejectedValueOnce(lost);
    await send("snapshot");
    await send("click");
    expect(codes()).toEqual(["ok", "debugger_unavailable"]);
    handlers.snapshot?.mockRejectedValue(lost);
    await send("snapshot");
    expect(codes().at(-1)).toBe("debugger_unavailable");
    expect(handlers.snapshot).toHaveBeenCalledTimes(5);
  });

  it("holds the deadline, also for a handler that does not", async () => {
    handlers.snapshot?.mockImplementation(never);
    await send("snapshot", { deadline_ms: 10 });
    expect(codes()).toEqual(["timeout"]);
  });

  it("cancels, and cancels all when the connection drops", async () => {
    handlers.snapshot?.mockImplementation(endless);
    const first = send("snapshot");
    router.cancel(lastId);
    await first;
    expect(codes()).toEqual(["timeout"]);
    const second = send("snapshot");
    router.cancelAll();
    await second;
    expect(router.activity.at(-1)?.error).toBe("connection_lost");
    expect(codes()).toEqual(["timeout"]);
  });

  it("11: answers what is asked again after a drop once, and not with the first try's end", async () => {
    handlers.snapshot?.mockImplementationOnce(endless).mockResolvedValueOnce({ again: true });
    const first = send("snapshot");
    const id = lastId;
    router.cancelAll();
    await send("snapshot", { id });
    await first;
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatchObject({ id, result: { again: true } });
  });

  it("8: refuses an id that is still worked on, and too many requests", async () => {
    handlers.snapshot?.mockImplementation(endless);
    const first = send("snapshot");
    await send("snapshot", { id: lastId });
    expect(codes()).toEqual(["protocol"]);
    for (let n = 0; n < 250; n++) void send("snapshot");
    expect(codes().filter((code) => code === "protocol").length).toBe(52);
    router.cancelAll();
    await first;
  });

  it("logs what was done", async () => {
    await send("click");
    await send("nonsense");
    expect(router.activity.map(({ command, error }) => [command, error])).toEqual([
      ["click", null],
      ["nonsense", "unknown_command"],
    ]);
  });
});

describe("turns", () => {
  it("never overlap on one tab for actions, and let reads pass", async () => {
    let release = (): void => undefined;
    handlers.click?.mockImplementation(() => new Promise<void>((resolve) => (release = resolve)));
    const click = send("click");
    const fill = send("fill");
    await send("snapshot");
    expect(handlers.fill).not.toHaveBeenCalled();
    release();
    await Promise.all([click, fill]);
    expect(handlers.fill).toHaveBeenCalledOnce();
  });

  it("that come after the deadline never begin, and do not disturb the order", async () => {
    let release = (): void => undefined;
    handlers.click?.mockImplementation(() => new Promise<void>((resolve) => (release = resolve)));
    const click = send("click");
    await send("fill", { deadline_ms: 5 });
    const later = send("fill");
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(handlers.fill).not.toHaveBeenCalled();
    release();
    await Promise.all([click, later]);
    expect(handlers.fill).toHaveBeenCalledOnce();
  });
});

describe("a dialog", () => {
  const open = () =>
    services.dialogs.take({
      tab: 1,
      method: "Page.javascriptDialogOpening",
      params: { type: "alert", message: "hi" },
    });

  it("ends what waits for the page, at once", async () => {
    handlers.snapshot?.mockImplementation(endless);
    const read = send("snapshot");
    open();
    await read;
    expect(codes()).toEqual(["dialog_blocked"]);
  });

  it("leaves an action its own outcome", async () => {
    handlers.click?.mockImplementation((context) => endless(context).catch(() => ({ dialog: "seen" })));
    const click = send("click");
    await vi.waitFor(() => expect(handlers.click).toHaveBeenCalled());
    open();
    await click;
    expect(answers[0]?.result).toEqual({ dialog: "seen" });
  });

  it("refuses everything but its answer while it is open", async () => {
    open();
    await send("click");
    await send("handle_dialog");
    await send("tabs_list", { tab: null });
    expect(codes()).toEqual(["dialog_blocked", "ok", "ok"]);
    expect(handlers.click).not.toHaveBeenCalled();
  });
});

it("a tab that closes ends its commands", async () => {
  handlers.click?.mockImplementation(endless);
  const click = send("click");
  await vi.waitFor(() => expect(handlers.click).toHaveBeenCalled());
  services.shares.remove(1, "closed");
  await click;
  expect(codes()).toEqual(["page_closed"]);
});

describe("stop", () => {
  it("stops what is under way and what waits for its turn", async () => {
    handlers.click?.mockImplementation(endless);
    const sent = [send("click"), send("click"), send("fill")];
    await vi.waitFor(() => expect(handlers.click).toHaveBeenCalled());
    expect(router.stop()).toBe(3);
    await Promise.all(sent);
    expect(codes()).toEqual(["stopped", "stopped", "stopped"]);
    expect(handlers.click).toHaveBeenCalledTimes(1);
    expect(handlers.fill).not.toHaveBeenCalled();
  });
});
