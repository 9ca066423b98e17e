// The panel's door in the browser: the worker's port to a kernel.

import type { Draft } from "../../panel/arguments";
import type { Door, Given, Pointed, TaskEdit } from "../../panel/door";
import type { KernelClient } from "../kernel_client";

/** What a person has typed, by run and question: a kernel that was away for a moment shows its question anew. */
const typed = new Map<string, Map<string, Draft>>();

/** A screenshot is nothing but data of an image: nothing is loaded for it. */
const IMAGE = /^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/=]+$/;
const STEERING = { pause: "pause_run", resume: "resume_run", stop: "stop_run" } as const;

export class PortDoor implements Door {
  readonly typed: Map<string, Draft>;

  /** `changed` has the run shown anew. */
  constructor(
    private readonly client: KernelClient,
    private readonly kernel: string,
    private readonly run: string,
    private readonly changed: () => void,
  ) {
    this.typed = typed.get(run) ?? new Map();
    typed.set(run, this.typed);
  }

  async decide(given: Given): Promise<string> {
    const { taken, words } = await this.client.ask(this.kernel, "decide", { run: this.run, ...given });
    this.changed();
    return taken ? "" : words;
  }

  point(question: string, on: boolean): Promise<Pointed> {
    return this.client.ask(this.kernel, "point", { run: this.run, question, on });
  }

  async steer(how: keyof typeof STEERING): Promise<void> {
    await this.client.ask(this.kernel, STEERING[how], { run: this.run });
    this.changed();
  }

  async changeTask(edit: TaskEdit): Promise<void> {
    await this.client.ask(this.kernel, "change_tasks", { run: this.run, edits: [edit] });
    this.changed();
  }

  async thumbnail(step: number): Promise<string> {
    const { image } = await this.client.ask(this.kernel, "read_thumbnail", { run: this.run, step });
    return image && IMAGE.test(image) ? image : "";
  }
}
