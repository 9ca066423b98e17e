"""A site with its session in IndexedDB: a state saves its databases, and they are back before its scripts run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import CommandError, InvalidParams
from skillbook.io_thread import io
from skillbook.session.saved_state import SavedState
from skillbook.session.state_keeping import bring_state
from skillbook.testing.site import serve_app
from skillbook.testing.sites.web import Request, Response
from tests.waiting import until

SECRET = "t0ken-of-ann"
PAGE = """<!doctype html><title>Shop</title><h1>…</h1><output></output><script>
const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
async function openAuth() {
  const request = indexedDB.open("auth", 3);
  request.onupgradeneeded = () => {
    const users = request.result.createObjectStore("users", { keyPath: ["site", "id"] });
    users.createIndex("by_tag", "tags", { multiEntry: true });
    users.createIndex("by_mail", "mail", { unique: true });
    request.result.createObjectStore("odd");
    request.result.createObjectStore("log", { autoIncrement: true });
    request.result.createObjectStore("none", { keyPath: "id", autoIncrement: true });
  };
  return done(request);
}
const HARD = () => {
  const bytes = new Uint8Array([0, 1, 254, 255]);
  const value = {
    date: new Date(86400000), never: new Date(NaN), pattern: /a.b/gi, bytes, tail: bytes.subarray(2),
    view: new DataView(bytes.buffer, 1, 2), doubles: new Float64Array([1.5, NaN]), big: 2n ** 70n,
    numbers: [-0, NaN, Infinity, 0.1, 1e21, 9007199254740993], missing: undefined, nothing: null, yes: true,
    half: "\\ud800 " + String.fromCharCode(0xd800) + " ü 😀", map: new Map([[{ k: 1 }, new Set(["a", 2])]]),
    file: new File(["hello ", bytes], "a.txt", { type: "text/plain", lastModified: 7 }),
    blob: new Blob([bytes], { type: "image/x" }),
  };
  value.self = value;
  value.again = value.map;
  value.sparse = Object.assign(new Array(3), { 1: "x", note: "n" });
  Object.defineProperty(value, "__proto__", { value: 5, enumerable: true });
  let chain = null;
  for (let at = 0; at < 400; at += 1) chain = { chain };
  value.chain = chain;
  return value;
};
const KEYS = () => [-Infinity, 1.5, new Date(5), "text", new Uint8Array([1, 2]).buffer, ["a", [new Date(6)]]];

// A site's own changes to built-in objects are not for the state.
Array.prototype.toJSON = Date.prototype.toJSON = () => "broken";
IDBObjectStore.prototype.getAll = indexedDB.databases = undefined;

async function signIn() {
  const auth = await openAuth();
  const writing = auth.transaction(["users", "odd", "log"], "readwrite");
  const user = { site: "shop", id: 1, name: "Ann", mail: "a@b", tags: ["x", "y"], token: "t0ken-of-ann" };
  writing.objectStore("users").put(user);
  KEYS().forEach((key, at) => writing.objectStore("odd").put(at, key));
  writing.objectStore("odd").put(HARD(), "hard");
  for (const word of ["one", "two", "three"]) writing.objectStore("log").add(word);
  writing.objectStore("log").delete(2);
  await new Promise((resolve) => { writing.oncomplete = resolve; });
  auth.close();
}
async function keepMore(kind) {
  const request = indexedDB.open(kind, 1);
  request.onupgradeneeded = () => request.result.createObjectStore("values");
  const database = await done(request);
  const key = () => crypto.subtle.generateKey({ name: "AES-GCM", length: 128 }, false, ["encrypt"]);
  const value = kind === "keys" ? await key() : "x".repeat(17 * 2 ** 20);
  await done(database.transaction("values", "readwrite").objectStore("values").put([value], 1));
  database.close();
}
const show = (one) => {
  const seen = new Map();
  const walk = (value) => {
    if (Object.is(value, -0)) return "-0";
    if (typeof value === "number" && !Number.isFinite(value)) return `${value}`;
    if (typeof value === "bigint" || typeof value === "undefined") return `${typeof value} ${value}`;
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return `same as ${seen.get(value)}`;
    seen.set(value, seen.size);
    const kind = Object.prototype.toString.call(value);
    if (value instanceof Date) return [kind, value.getTime()];
    if (value instanceof RegExp) return [kind, `${value}`];
    if (value instanceof ArrayBuffer) return [kind, walk(new Uint8Array(value))];
    if (ArrayBuffer.isView(value)) {
      const bytes = [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)];
      return [kind, value.byteOffset, bytes.join(), walk(value.buffer === null ? 0 : value.buffer.byteLength)];
    }
    if (value instanceof Map || value instanceof Set) return [kind, ...[...value].map((each) => walk(each))];
    if (value instanceof Blob) return [kind, value.type, value.size, value.name ?? "", value.lastModified ?? 0];
    return [kind, value.length ?? "", ...Object.entries(value).map(([name, each]) =>
      [name, name === "chain" ? depth(value) : walk(each)])];
  };
  return walk(one);
};
const depth = (value) => { let deep = 0; while (value) { value = value.chain; deep += 1; } return deep; };
const text = (value) => {
  const kept = [Array.prototype.toJSON, Date.prototype.toJSON];
  delete Array.prototype.toJSON; delete Date.prototype.toJSON;
  try { return JSON.stringify(value); } finally { [Array.prototype.toJSON, Date.prototype.toJSON] = kept; }
};
async function look() {
  if (location.pathname === "/login") await signIn();
  if (location.pathname === "/more") await keepMore(location.search.slice(1));
  const auth = await openAuth();
  const reading = auth.transaction(["users", "odd", "log", "none"]);
  const [users, odd, log] = ["users", "odd", "log"].map((name) => reading.objectStore(name));
  const by = async (name, key) => (await done(users.index(name).count(key)));
  const user = await done(users.get(["shop", 1]));
  const hard = await done(odd.get("hard"));
  const facts = {
    keys: show(await done(odd.getAllKeys())), hard: show(hard ?? null), tags: await by("by_tag", "y"),
    mail: await by("by_mail", "a@b"), unique: users.index("by_mail").unique, log: await done(log.getAllKeys()),
    none: reading.objectStore("none").autoIncrement,
  };
  facts.file = hard ? await hard.file.text() : "";
  document.querySelector("h1").textContent = user ? user.name : "Nobody";
  document.querySelector("output").textContent = text(facts);
}
look().catch((error) => { document.querySelector("h1").textContent = `${error}`; });
</script>"""


class Shop:
    """Knows nobody: who is signed in stands in the browser alone."""

    def respond(self, request: Request) -> Response:
        return Response(PAGE)


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with serve_app(Shop()) as served:
        yield served.url


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("database_home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(folder))
        yield folder


def shown(page: sb.Page) -> tuple[str, str]:
    heading = until(lambda: (text := page.get("text", "heading")) != "…" and text)
    return str(heading), page.text().splitlines()[-1]


@pytest.fixture(scope="module")
def browser(home: Path) -> Iterator[sb.Browser]:
    with sb.launch() as launched:
        yield launched


@pytest.fixture(scope="module")
def facts(browser: sb.Browser, site: str, home: Path) -> str:
    """What Ann's browser shows of its databases; saved with them as "ann", without them as "plain"."""
    who, seen = shown(browser.open(f"{site}/login"))
    assert who == "Ann"
    path = browser.save_state("ann", indexed_db=True)
    assert path.stat().st_mode & 0o777 == 0o600
    assert SECRET in path.read_text()
    assert SECRET not in browser.journal.to_string()
    assert SECRET not in browser.save_state("plain").read_text()
    return seen


def test_a_database_signs_a_new_browser_in_with_all_its_values(facts: str, home: Path, site: str) -> None:
    assert json.loads(facts)["log"] == [1, 3]
    with sb.launch(state="plain") as browser:
        assert shown(browser.open(site))[0] == "Nobody"
    with sb.launch(state="ann") as browser:
        assert shown(browser.open(f"{site}/orders")) == ("Ann", facts)
        again = browser.save_state("again", indexed_db=True)
        assert (
            json.loads(again.read_text())["databases"]
            == json.loads((home / "states" / "ann.json").read_text())["databases"]
        )
        assert all(SECRET not in path.read_bytes().decode("latin-1") for path in home.glob("journals/*"))


def test_what_no_file_keeps_is_refused_by_name_and_nothing_is_written(
    facts: str, browser: sb.Browser, site: str, home: Path
) -> None:
    page = browser.open(f"{site}/more?keys")
    assert shown(page)[0] == "Ann"
    holds = r'http.*: The store "values" of the database "keys" has a value that no file can keep: CryptoKey'
    with pytest.raises(CommandError, match=holds) as caught:
        browser.save_state("keys", indexed_db=True)
    assert "indexed_db=[…]" in caught.value.hint
    page.goto(f"{site}/more?large")
    assert shown(page)[0] == "Ann"
    with pytest.raises(CommandError, match='"large" has more than a state can keep: 16 MB'):
        browser.save_state("large", indexed_db=["large"])
    with pytest.raises(InvalidParams, match="no origin of the state has a database 'token'") as unknown:
        browser.save_state("token", indexed_db="token")
    assert unknown.value.hint == "open the site first"
    assert [name for name in ("keys", "large", "token") if (home / "states" / f"{name}.json").exists()] == []
    named = json.loads(browser.save_state("named", indexed_db=["auth"]).read_text())["databases"]
    assert [each["name"] for each in named[site]] == ["auth"]


def test_a_database_that_is_there_gets_the_saved_records_or_is_refused(
    facts: str, home: Path, site: str
) -> None:
    saved = json.loads((home / "states" / "ann.json").read_text())["databases"]
    older = json.loads(json.dumps(saved))
    older[site][0]["version"] = 1
    newer = json.loads(json.dumps(saved))
    newer[site][0]["version"] = 9
    other = json.loads(json.dumps(saved))
    (users,) = [store for store in other[site][0]["stores"] if store["name"] == "users"]
    del users["indexes"][0]
    with sb.launch() as browser:
        page = browser.open(site)
        assert shown(page)[0] == "Nobody"
        for databases, reason in (
            (older, "has version 3 in this browser, and 1 in the state"),
            (newer, "has version 3 in this browser, and 9 in the state"),
            (other, "has other stores in this browser"),
        ):
            with pytest.raises(CommandError, match=f'The database "auth" .*{reason}'):
                bring(browser, SavedState((site,), databases=databases))
            assert browser.driver.signed_in == {}
        bring(browser, SavedState((site,), databases=saved))
        page.reload()
        assert shown(page) == ("Ann", facts)


def bring(browser: sb.Browser, state: SavedState) -> None:
    io.sync(bring_state(browser.driver, state))
