import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Backoff } from "../../../src/background/connection/backoff";
import { Connection } from "../../../src/background/connection/connection";
import { checkProof, makeNonce, makeProof } from "../../../src/background/connection/proof";
import type { Request } from "../../../src/protocol/generated";
import { FakeSocket } from "../fakes";

const TOKEN = "a-token-of-many-random-bits";
const pairing = {
  base: "http://127.0.0.1:4567",
  token: TOKEN,
  kernel: { id: "k1", name: "demo.ipynb" },
};
const greeting = { profile: "p1", browser: "Chromium 156", extension: "0.1.0" };

let sockets: FakeSocket[];
let connection: Connection;

function dial(memory = { session: null as string | null, lastSeq: 0 }): Connection {
  const open = (url: string): FakeSocket => {
    const socket = new FakeSocket(url);
    sockets.push(socket);
    return socket;
  };
  const backoff = new Backoff(200, 10_000, () => 1);
  return new Connection(pairing, greeting, memory, open, () => undefined, backoff);
}

const socket = (): FakeSocket => sockets.at(-1) as FakeSocket;

async function challenge(token = TOKEN): Promise<string> {
  socket().onopen?.();
  const nonce = makeNonce();
  const hello = socket().last()?.nonce as string;
  const proof = await makeProof(token, "kernel", hello, nonce);
  socket().receive({ v: 1, type: "challenge", protocol: "1.0", nonce, proof });
  return nonce;
}

const welcome = (more: object = {}): object => ({
  v: 1,
  type: "welcome",
  session: "s1",
  resumed: false,
  kernel: pairing.kernel,
  heartbeat_ms: 20_000,
  allow_evaluate: false,
  input: "trusted",
  ...more,
});

async function connect(more: object = {}): Promise<void> {
  await challenge();
  await vi.waitFor(() => expect(socket().last()?.type).toBe("auth"));
  socket().receive(welcome(more));
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance", "Date"],
  });
  sockets = [];
  connection = dial();
  connection.start();
});
afterEach(() => vi.useRealTimers());

describe("greeting", () => {
  it("says hello, proves itself, and is connected after the welcome", async () => {
    expect(socket().url).toBe("ws://127.0.0.1:4567/skillbook/bridge");
    const nonce = await challenge();
    const [hello] = socket().sent;
    expect(hello).toMatchObject({ type: "hello", kernel: "k1", profile: "p1", session: null, last_seq: 0 });
    await vi.waitFor(() => expect(socket().sent).toHaveLength(2));
    const auth = socket().last();
    const right = await checkProof(auth?.proof as string, TOKEN, "extension", hello?.nonce as string, nonce);
    expect(right).toBe(true);
    expect(JSON.stringify(socket().sent)).not.toContain(TOKEN);
    socket().receive(welcome());
    expect(connection.state.phase).toBe("connected");
  });

  it("7: does not obey a server that does not know the token", async () => {
    const ended = vi.fn();
    connection.ended.on(ended);
    await challenge("another-token");
    await vi.waitFor(() => expect(connection.state.phase).toBe("refused"));
    expect(connection.state.code).toBe("auth_failed");
    expect(socket().sent.map((message) => message.type)).toEqual(["hello"]);
    expect(socket().closed).toBe(true);
    expect(ended).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(60_000);
    expect(sockets).toHaveLength(1);
  });

  it.each(["request", "welcome", "ping"])("does not take a %s before the proof", (type) => {
    const requests = vi.fn();
    connection.requests.on(requests);
    socket().onopen?.();
    socket().receive({ ...welcome(), type, id: 1, command: "tabs_list", params: {}, deadline_ms: 100 });
    expect(requests).not.toHaveBeenCalled();
    expect(connection.connected).toBe(false);
    expect(socket().closed).toBe(true);
  });

  it("9: a version that does not fit is shown, not dialled again, until the user tries again", () => {
    socket().onopen?.();
    socket().receive({
      v: 1,
      type: "refused",
      error: { code: "version_mismatch", message: "update the extension" },
    });
    expect(connection.state).toMatchObject({ phase: "refused", reason: "update the extension" });
    vi.advanceTimersByTime(60_000);
    connection.check();
    expect(sockets).toHaveLength(1);
    connection.retry();
    expect(sockets).toHaveLength(2);
  });

  it("gives up on a server that stays silent, and dials again", () => {
    socket().onopen?.();
    vi.advanceTimersByTime(10_000);
    expect(connection.state.phase).toBe("waiting");
    vi.advanceTimersByTime(200);
    expect(sockets).toHaveLength(2);
  });
});

describe("a session", () => {
  it("hands on requests and cancels, answers pings", async () => {
    const requests: Request[] = [];
    const cancels: number[] = [];
    connection.requests.on((request) => requests.push(request));
    connection.cancels.on((id) => cancels.push(id));
    await connect();
    socket().receive({ v: 1, type: "request", id: 7, command: "tabs_list", params: {}, deadline_ms: 100 });
    socket().receive({ v: 1, type: "cancel", id: 7 });
    socket().receive({ v: 1, type: "ping", n: 3 });
    expect(requests.map(({ id }) => id)).toEqual([7]);
    expect(cancels).toEqual([7]);
    expect(socket().last()).toEqual({ v: 1, type: "pong", n: 3 });
  });

  it("is resumed after a drop, with events that happened meanwhile", async () => {
    const dropped = vi.fn();
    connection.dropped.on(dropped);
    await connect();
    connection.emit("tab_updated", 1, {});
    socket().drop();
    expect(dropped).toHaveBeenCalledOnce();
    connection.emit("tab_closed", 1, { reason: "closed" });
    vi.advanceTimersByTime(200);
    await connect({ resumed: true });
    const [hello] = socket().sent;
    expect(hello).toMatchObject({ session: "s1", last_seq: 1 });
    expect(socket().last()).toMatchObject({ type: "event", seq: 2, event: "tab_closed", tab: 1 });
  });

  it("counts from one again where the kernel began a new session", async () => {
    await connect();
    connection.emit("tab_updated", 1, {});
    socket().drop();
    connection.emit("tab_updated", 1, {});
    vi.advanceTimersByTime(200);
    await connect({ session: "s2" });
    expect(socket().last()?.type).toBe("auth");
    connection.emit("tab_updated", 1, {});
    expect(socket().last()).toMatchObject({ seq: 1 });
  });

  it("8: a message that is not one drops the connection, and it comes back", async () => {
    await connect();
    socket().receive("{not json");
    expect(connection.state.phase).toBe("waiting");
    vi.advanceTimersByTime(200);
    expect(sockets).toHaveLength(2);
  });

  it("ends with the kernel's goodbye", async () => {
    await connect();
    socket().receive({ v: 1, type: "bye", reason: "the notebook was closed" });
    expect(connection.state).toMatchObject({ phase: "ended", reason: "the notebook was closed" });
    vi.advanceTimersByTime(60_000);
    expect(sockets).toHaveLength(1);
  });

  it("6: does not fight a newer connection of the same profile", async () => {
    await connect();
    socket().drop(4001, "replaced");
    expect(connection.state.phase).toBe("refused");
    vi.advanceTimersByTime(60_000);
    expect(sockets).toHaveLength(1);
  });
});

describe("heartbeat", () => {
  it("sends an application message every interval", async () => {
    await connect();
    vi.advanceTimersByTime(20_000);
    expect(socket().last()).toEqual({ v: 1, type: "ping", n: 1 });
  });

  it("drops a half-open connection", async () => {
    await connect();
    vi.advanceTimersByTime(40_000);
    expect(connection.connected).toBe(true);
    vi.advanceTimersByTime(20_000);
    expect(connection.connected).toBe(false);
  });

  it("16: after a sleep asks first and then waits five seconds only", async () => {
    await connect();
    connection.check(performance.now() + 3_600_000);
    expect(connection.connected).toBe(true);
    expect(socket().last()?.type).toBe("ping");
    vi.advanceTimersByTime(5_000);
    expect(connection.state.phase).toBe("waiting");
  });

  it("16: keeps dialling while the server is not there, at most ten seconds apart", () => {
    for (let attempt = 0; attempt < 12; attempt++) {
      const before = sockets.length;
      socket().drop();
      vi.advanceTimersByTime(10_000);
      expect(sockets.length).toBeGreaterThan(before);
    }
  });
});

describe("asks", () => {
  it("are answered by their number, out of order", async () => {
    await connect();
    const first = connection.ask("about", {});
    const second = connection.ask("show_run", { run: "r1" });
    expect(socket().last()).toMatchObject({ type: "ask", id: 2, name: "show_run", params: { run: "r1" } });
    socket().receive({ v: 1, type: "answer", id: 2, result: { id: "r1" } });
    socket().receive({ v: 1, type: "answer", id: 1, result: { name: "demo" } });
    expect(await first).toEqual({ name: "demo" });
    expect(await second).toEqual({ id: "r1" });
  });

  it("fail with the kernel's code, words and what to try", async () => {
    await connect();
    const asked = connection.ask("run_skill", { tab: 1, name: "x" });
    const error = { code: "skill_not_found", message: "there is no skill 'x'", hint: "look", data: {} };
    socket().receive({ v: 1, type: "answer", id: 1, error });
    await expect(asked).rejects.toMatchObject({
      code: "skill_not_found",
      message: error.message,
      hint: "look",
    });
  });

  it("fail with the true reason where the kernel is away, before and in the middle", async () => {
    await expect(connection.ask("about", {})).rejects.toMatchObject({ code: "not_connected" });
    await connect();
    const asked = connection.ask("about", {});
    const lost = expect(asked).rejects.toMatchObject({ code: "connection_lost" });
    socket().onclose?.({ code: 1001, reason: "the kernel restarts" });
    await lost;
    await expect(connection.ask("about", {})).rejects.toThrow("the kernel restarts");
  });

  it("an answer to nothing does nothing, and notices come through", async () => {
    const seen: unknown[] = [];
    connection.notices.on((notice) => seen.push(notice));
    await connect();
    socket().receive({ v: 1, type: "answer", id: 9, result: {} });
    socket().receive({
      v: 1,
      type: "notice",
      notice: "rows_came",
      data: { run: "r", output: "o", count: 2 },
    });
    expect(seen).toEqual([{ notice: "rows_came", data: { run: "r", output: "o", count: 2 } }]);
    expect(connection.connected).toBe(true);
  });
});
