import { expect, test, vi } from "vitest";
import { KernelClient } from "../../src/ui/side_panel/kernel_client";

type Take = (reply: unknown) => void;

test("a worker that came back counts once its first state is there, since reports in between were lost", () => {
  vi.useFakeTimers();
  const takes: Take[] = [];
  const drops: (() => void)[] = [];
  const connect = () => ({
    onMessage: { addListener: (take: Take) => takes.push(take) },
    onDisconnect: { addListener: (drop: () => void) => drops.push(drop) },
    postMessage: () => undefined,
    disconnect: () => undefined,
  });
  const client = new KernelClient(connect as never, { ui: "watch" });
  const seen: number[] = [];
  client.onState(() => seen.push(client.returns));
  takes[0]?.({ ui: "state", state: {} });
  drops[0]?.();
  expect(client.returns).toBe(0);
  vi.runAllTimers();
  takes[1]?.({ ui: "state", state: {} });
  takes[1]?.({ ui: "state", state: {} });
  expect(seen).toEqual([0, 1, 1]);
  client.close();
  vi.useRealTimers();
});
