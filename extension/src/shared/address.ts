// Where a kernel is: the base URL under which its pairing page was, and its sockets are.

const PAIR_PATH = "/skillbook/pair";
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** The base of a kernel at a port of this computer. */
export function localBase(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** The base of a pairing page; null for other pages, and for those that would be dialled unencrypted over a network. */
export function baseOfPage(pageUrl: string | undefined): string | null {
  const url = URL.canParse(pageUrl ?? "") ? new URL(pageUrl ?? "") : null;
  if (!url || url.username || url.password || !url.pathname.endsWith(PAIR_PATH)) return null;
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.has(url.hostname))) return null;
  return url.origin + url.pathname.slice(0, -PAIR_PATH.length);
}

/** Whether it is a port of this computer itself, with no proxy in between. */
export function isLocal(base: string): boolean {
  const url = new URL(base);
  return url.protocol === "http:" && LOOPBACK.has(url.hostname) && url.pathname === "/";
}

/** Where to dial "bridge" or "pair-socket". Proxies see no cookies on it, so they may want a token in the query. */
export function socketUrl(base: string, name: string, query = ""): string {
  return `${base.replace(/^http/, "ws")}/skillbook/${name}${query && `?${query}`}`;
}

/** The address for a person to read. */
export function describeBase(base: string): string {
  const url = new URL(base);
  return isLocal(base) ? `port ${url.port}` : base.replace(/^https?:\/\//, "");
}
