// Trusted mouse and keyboard input through the DevTools protocol.

import type { Point } from "../../shared/messages";
import {
  type KeyStroke,
  MODIFIER_BITS,
  type ModifierName,
  parseKeys,
  strokeOf,
} from "../../shared/us_keyboard";
import { type CommandContext, sendCdp } from "../commands/context";
import { pause } from "../deadline";

type Button = "left" | "middle" | "right";

const BUTTON_BITS: Record<Button, number> = { left: 1, right: 2, middle: 4 };

export class TrustedInput {
  constructor(private readonly context: CommandContext) {}

  /** Move the mouse; `down` is the button that is pressed meanwhile. */
  async move(point: Point, modifiers = 0, down?: Button): Promise<void> {
    const buttons = down ? BUTTON_BITS[down] : 0;
    await this.#mouse("mouseMoved", point, { button: down ?? "none", buttons, modifiers });
  }

  /** Press and release at a point, `count` times. */
  async click(point: Point, button: Button, count: number, modifiers: number): Promise<void> {
    const sent: Promise<void>[] = [];
    for (let clickCount = 1; clickCount <= count; clickCount++) {
      sent.push(
        this.press(point, button, clickCount, modifiers),
        this.release(point, button, clickCount, modifiers),
      );
    }
    await Promise.all(sent);
  }

  async press(point: Point, button: Button, clickCount = 1, modifiers = 0): Promise<void> {
    const buttons = BUTTON_BITS[button];
    await this.#mouse("mousePressed", point, { button, buttons, clickCount, modifiers });
  }

  async release(point: Point, button: Button, clickCount = 1, modifiers = 0): Promise<void> {
    await this.#mouse("mouseReleased", point, { button, buttons: 0, clickCount, modifiers });
  }

  /** Turn the wheel by so many pixels. */
  async wheel(point: Point, deltaX: number, deltaY: number, modifiers: number): Promise<void> {
    await this.#mouse("mouseWheel", point, { deltaX, deltaY, modifiers });
  }

  /** Insert text as an input method would: one event, no key events. */
  async insert(text: string): Promise<void> {
    await this.#send("Input.insertText", { text });
  }

  /** Type text key by key; before keys that end a word, wait until the page has `rendered` what came before them. */
  async type(text: string, delayMs: number, rendered?: () => Promise<unknown>): Promise<void> {
    const { deadline } = this.context;
    let sent: Promise<unknown>[] = [];
    for (const character of text.replace(/\r\n/g, "\n")) {
      deadline.check();
      // What a page makes of a text it has rendered is another thing than of one that it hasn't: tags, lists of matches.
      if (/[\n\t]/.test(character) && sent.length) {
        await Promise.all(sent);
        sent = [];
        await rendered?.();
      }
      const found = strokeOf(character);
      sent.push(
        found ? this.#stroke(found.stroke, found.shift ? MODIFIER_BITS.Shift : 0) : this.insert(character),
      );
      if (delayMs > 0 || sent.length > 50) {
        await Promise.all(sent);
        sent = [];
        if (delayMs > 0) await pause(delayMs, deadline);
      }
    }
    await Promise.all(sent);
  }

  /** Press a key or a combination such as Control+A. */
  async keys(text: string): Promise<void> {
    const { modifiers, stroke } = parseKeys(text);
    let bits = 0;
    const sent: Promise<void>[] = [];
    for (const name of modifiers) {
      bits |= MODIFIER_BITS[name];
      sent.push(this.#key("rawKeyDown", parseKeys(name).stroke, bits));
    }
    sent.push(this.#stroke(stroke, bits));
    for (const name of [...modifiers].reverse()) {
      bits &= ~MODIFIER_BITS[name];
      sent.push(this.#key("keyUp", parseKeys(name).stroke, bits));
    }
    await Promise.all(sent);
  }

  async drag(
    type: "dragEnter" | "dragOver" | "drop" | "dragCancel",
    point: Point,
    data: unknown,
  ): Promise<void> {
    await this.#send("Input.dispatchDragEvent", { type, x: point.x, y: point.y, data });
  }

  async interceptDrags(enabled: boolean): Promise<void> {
    await sendCdp(this.context, "Input.setInterceptDrags", { enabled });
  }

  async #stroke(stroke: KeyStroke, modifiers: number): Promise<void> {
    const down = this.#key(stroke.text ? "keyDown" : "rawKeyDown", stroke, modifiers);
    await Promise.all([down, this.#key("keyUp", stroke, modifiers)]);
  }

  async #key(type: "keyDown" | "rawKeyDown" | "keyUp", stroke: KeyStroke, modifiers: number): Promise<void> {
    const { key, code, keyCode, location } = stroke;
    const text = type === "keyDown" ? { text: stroke.text, unmodifiedText: stroke.text } : {};
    const event = { type, key, code, location, modifiers, windowsVirtualKeyCode: keyCode, ...text };
    await this.#send("Input.dispatchKeyEvent", event);
  }

  async #mouse(type: string, point: Point, rest: object): Promise<void> {
    if (this.context.effects && type !== "mouseReleased") this.#show(point, type === "mousePressed");
    await this.#send("Input.dispatchMouseEvent", { type, ...point, pointerType: "mouse", ...rest });
  }

  /** Show the user where the mouse is, and where it presses. */
  #show(point: Point, press: boolean): void {
    const { services, tab } = this.context;
    const main = services.documents.knownMain(tab);
    if (main) services.documents.post(main, { op: "effect", point, press });
  }

  async #send(method: string, params: object): Promise<void> {
    const { services, tab, deadline } = this.context;
    await services.delivery.send(tab, method, params, deadline);
  }
}

export function modifierBits(names: readonly ModifierName[] = []): number {
  return names.reduce((bits, name) => bits | MODIFIER_BITS[name], 0);
}
