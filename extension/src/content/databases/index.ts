// Reads or writes the databases of the page's origin for a saved state. The worker runs it beside the page's scripts,
// whose changes to built-in objects don't reach it.

import type { SiteDatabasesParams, SiteDatabasesResult } from "../../protocol/generated";
import { messageOf } from "../../shared/errors";
import { readDatabases, writeDatabases } from "./databases";

async function answer(text: string): Promise<{ found?: SiteDatabasesResult; problem?: string }> {
  const { origin, names, write } = JSON.parse(text) as SiteDatabasesParams;
  if (location.origin !== origin) return { problem: `The tab shows ${location.origin}, not ${origin}.` };
  try {
    if (write) await writeDatabases(write);
    return { found: { databases: write ? [] : await readDatabases(names ?? null) } };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

Object.assign(globalThis, { skillbookDatabases: answer });
