// A person's own mouse and keys, from a picture of the page: no element is named, whatever is there gets them.

import type { Acknowledged, InputEvent, RemoteInputParams } from "../../protocol/generated";
import type { CommandContext } from "../commands/context";
import { modifierBits, TrustedInput } from "./trusted_input";

export async function passRemoteInput(
  context: CommandContext,
  { events }: RemoteInputParams,
): Promise<Acknowledged> {
  const { services, tab, deadline } = context;
  await deadline.race(services.debuggers.ensure(tab));
  // The person's own mouse is over the picture: no second one is shown.
  const input = new TrustedInput({ ...context, effects: false });
  for (const event of events) {
    deadline.check();
    await pass(input, event);
  }
  return {};
}

function pass(input: TrustedInput, event: InputEvent): Promise<void> {
  const point = { x: event.x ?? 0, y: event.y ?? 0 };
  const modifiers = modifierBits(event.modifiers);
  const button = event.button ?? "left";
  const count = event.count ?? 1;
  switch (event.kind) {
    case "move":
      return input.move(point, modifiers, event.button ?? undefined);
    case "down":
      return input.press(point, button, count, modifiers);
    case "up":
      return input.release(point, button, count, modifiers);
    case "wheel":
      return input.wheel(point, event.dx ?? 0, event.dy ?? 0, modifiers);
    case "key":
      return input.keys(event.text ?? "");
    case "text":
      return input.type(event.text ?? "", 0);
  }
}
