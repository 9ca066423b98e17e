// Files of a run, read in parts and handed to the browser to keep.

import type { Params, Result } from "../../common/asks";
import type { KernelClient } from "../kernel_client";

export type Form = NonNullable<Params<"read_file">["form"]>;

export interface WholeFile {
  name: string;
  blob: Blob;
}

interface Which {
  run: string;
  output: string;
  form: Form;
}

export async function readWhole(client: KernelClient, kernel: string, which: Which): Promise<WholeFile> {
  const parts: BlobPart[] = [];
  let offset: number | null = 0;
  let name = "output";
  let type = "";
  while (offset !== null) {
    const chunk: Result<"read_file"> = await client.ask(kernel, "read_file", { ...which, offset });
    parts.push(Uint8Array.from(atob(chunk.data), (char) => char.charCodeAt(0)));
    name = chunk.name;
    type = chunk.media_type;
    // A kernel that doesn't move on would never end.
    offset = chunk.next !== null && chunk.next > offset ? chunk.next : null;
  }
  return { name, blob: new Blob(parts, { type }) };
}

/** Have the browser save a file, under a name without folders. */
export function save({ name, blob }: WholeFile): void {
  const link = document.createElement("a");
  // What is saved is never opened as a page of ours.
  link.href = URL.createObjectURL(new Blob([blob], { type: "application/octet-stream" }));
  link.download = name.replace(/^.*[\\/]/, "") || "output";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
