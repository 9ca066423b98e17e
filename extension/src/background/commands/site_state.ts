// What keeps a person signed in: cookies, a page's storage and databases. Only the copy of the extension with which skillbook
// starts a browser has the permission for it; in a person's browser these commands fail.

import type {
  CookiesParams,
  CookiesResult,
  SiteCookie,
  SiteDatabasesParams,
  SiteDatabasesResult,
  SiteStorageParams,
  SiteStorageResult,
} from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import type { CommandContext, CookiesApi } from "./context";

export async function readOrSetCookies(
  context: CommandContext,
  { set = [] }: CookiesParams,
): Promise<CookiesResult> {
  const api = permitted(context);
  const refused: string[] = [];
  for (const cookie of set) {
    const done = await context.deadline.race(api.set(detailsOf(cookie))).catch(() => null);
    if (!done) refused.push(cookie.name);
  }
  const found = set.length > 0 ? [] : await context.deadline.race(api.getAll({ partitionKey: {} }));
  return { cookies: found.map(viewOf), refused };
}

function permitted({ services }: CommandContext): CookiesApi {
  const api = services.cookies();
  if (!api)
    throw new Failure("command", "This browser was not started by skillbook, which reads no cookies of it.");
  return api;
}

function viewOf(cookie: chrome.cookies.Cookie): SiteCookie {
  return {
    name: cookie.name,
    value: cookie.value,
    domain: cookie.domain,
    path: cookie.path,
    secure: cookie.secure,
    http_only: cookie.httpOnly,
    host_only: cookie.hostOnly,
    same_site: cookie.sameSite,
    expires: cookie.expirationDate ?? null,
    top_level_site: cookie.partitionKey?.topLevelSite ?? null,
  };
}

function detailsOf(cookie: SiteCookie): chrome.cookies.SetDetails {
  const host = cookie.domain.replace(/^\./, "");
  return {
    url: `${cookie.secure ? "https" : "http"}://${host}${cookie.path}`,
    name: cookie.name,
    value: cookie.value,
    path: cookie.path,
    secure: cookie.secure,
    httpOnly: cookie.http_only,
    sameSite: cookie.same_site,
    ...(!cookie.host_only && { domain: cookie.domain }),
    ...(typeof cookie.expires === "number" && { expirationDate: cookie.expires }),
    ...(cookie.top_level_site && { partitionKey: { topLevelSite: cookie.top_level_site } }),
  };
}

export async function readOrWriteStorage(
  context: CommandContext,
  params: SiteStorageParams,
): Promise<SiteStorageResult> {
  permitted(context);
  const { services, tab, deadline } = context;
  const answer = await deadline.race(services.documents.runInPage(tab, keepHere, JSON.stringify(params)));
  const { found, problem } = answer as Awaited<ReturnType<typeof keepHere>>;
  if (!found) throw new Failure("command", problem ?? "The page's storage can't be reached.");
  return found;
}

/** Runs in the page. */
async function keepHere(text: string): Promise<{ found?: SiteStorageResult; problem?: string }> {
  const { origin, write, local, session } = JSON.parse(text) as SiteStorageParams;
  if (location.origin !== origin) return { problem: `The tab shows ${location.origin}, not ${origin}.` };
  try {
    if (write) {
      for (const [name, value] of Object.entries(local ?? {})) localStorage.setItem(name, value);
      for (const [name, value] of Object.entries(session ?? {})) sessionStorage.setItem(name, value);
    }
    return { found: { local: { ...localStorage }, session: { ...sessionStorage } } };
  } catch (error) {
    return { problem: `The page's storage can't be reached: ${String(error)}` };
  }
}

export async function readOrWriteDatabases(
  context: CommandContext,
  params: SiteDatabasesParams,
): Promise<SiteDatabasesResult> {
  permitted(context);
  const { services, tab, deadline } = context;
  const running = services.documents.runBesidePage(
    tab,
    "databases.js",
    keepDatabases,
    JSON.stringify(params),
  );
  const { found, problem } = (await deadline.race(running)) as Awaited<ReturnType<typeof keepDatabases>>;
  if (!found) throw new Failure("command", problem ?? "The site's databases can't be reached.");
  return found;
}

/** Runs beside the page's scripts, where `databases.js` has defined the function. */
async function keepDatabases(text: string): Promise<{ found?: SiteDatabasesResult; problem?: string }> {
  return (globalThis as unknown as { skillbookDatabases: typeof keepDatabases }).skillbookDatabases(text);
}
