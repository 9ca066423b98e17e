// The golden messages that pytest reads as well mean the same on this side.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isCommand } from "../../src/background/commands/handlers";
import { writeResponse } from "../../src/background/commands/router";
import { checkProof, makeProof } from "../../src/background/connection/proof";
import { COMMANDS, type Hello, PROTOCOL_MAJOR, type Response } from "../../src/protocol/generated";

const folder = join(import.meta.dirname, "../../../tests/contract/golden");
const load = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));

interface ProofCase {
  token: string;
  hello_nonce: string;
  challenge_nonce: string;
  kernel: string;
  extension: string;
}

describe("golden messages", () => {
  it("are all of our protocol's version and name their type", () => {
    const names = readdirSync(folder).map((file) => file.replace(".json", ""));
    const envelopes = names.filter((name) => !["commands", "events", "proofs"].includes(name));
    expect(envelopes).toContain("welcome");
    for (const name of envelopes) {
      for (const message of load(name)) expect(message).toMatchObject({ v: PROTOCOL_MAJOR, type: name });
    }
    expect((load("hello") as Hello[])[0]?.protocol.split(".")[0]).toBe(String(PROTOCOL_MAJOR));
  });

  it("name exactly our commands", () => {
    expect(Object.keys(load("commands")).sort()).toEqual(Object.keys(COMMANDS).sort());
    expect(isCommand("toString")).toBe(false);
    for (const { command } of load("request")) expect(typeof command).toBe("string");
  });

  it.each(load("proofs") as ProofCase[])("proof $kernel", async (given) => {
    const { token, hello_nonce, challenge_nonce } = given;
    for (const role of ["kernel", "extension"] as const) {
      expect(await makeProof(token, role, hello_nonce, challenge_nonce)).toBe(given[role]);
      expect(await checkProof(given[role], token, role, hello_nonce, challenge_nonce)).toBe(true);
    }
    expect(await checkProof(given.extension, token, "kernel", hello_nonce, challenge_nonce)).toBe(false);
    expect(await checkProof("zz", token, "kernel", hello_nonce, challenge_nonce)).toBe(false);
  });

  it("responses are written as they are in the file", () => {
    for (const response of load("response") as Response[]) {
      const written = JSON.parse(writeResponse(response.id, response.result, response.error ?? null));
      const { error, ...rest } = response;
      expect(written).toEqual(error ? response : { result: null, ...rest });
    }
  });
});
