// The databases of an origin (IndexedDB) as a saved state keeps them, read and written on a page where nothing of the
// site runs.

import type { SiteDatabase, SiteObjectStore, SiteRecord } from "../../protocol/generated";
import { NotKept, PackedValue, unpacked } from "./stored_values";

/** Characters of an origin's records; what is larger is a cache, not a session. */
const MOST = 16 * 2 ** 20;

/** What keeps a database from being saved or restored, as a sentence. */
export class Refused extends Error {}

const quoted = (name: string): string => JSON.stringify(name.slice(0, 80));

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function ended(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

/** The origin's databases, or those with the names. */
export async function readDatabases(names: readonly string[] | null): Promise<SiteDatabase[]> {
  const found: SiteDatabase[] = [];
  const left = { size: MOST };
  for (const { name } of await indexedDB.databases()) {
    if (name === undefined || (names && !names.includes(name))) continue;
    const database = await openExisting(name);
    if (!database) continue;
    try {
      found.push({
        name: wellFormed(name),
        version: database.version,
        stores: await readStores(database, left),
      });
    } finally {
      database.close();
    }
  }
  return found;
}

/** An open database; null if it was deleted meanwhile. */
async function openExisting(name: string): Promise<IDBDatabase | null> {
  const request = indexedDB.open(name);
  let isNew = false;
  request.onupgradeneeded = () => {
    isNew = true;
    request.transaction?.abort();
  };
  return done(request).catch((error) => {
    if (isNew) return null;
    throw error;
  });
}

function wellFormed(name: string): string {
  if (/[\uD800-\uDFFF]/u.test(name)) throw new Refused(`A database's name isn't text: ${quoted(name)}.`);
  return name;
}

async function readStores(database: IDBDatabase, left: { size: number }): Promise<SiteObjectStore[]> {
  const names = [...database.objectStoreNames];
  if (names.length === 0) return [];
  const transaction = database.transaction(names, "readonly");
  // All of it in one transaction, which would end if anything else were awaited in between.
  const read: { store: SiteObjectStore; records: [PackedValue, PackedValue][] }[] = [];
  for (const name of names) {
    const store = transaction.objectStore(name);
    read.push({ store: outline(store), records: await readRecords(store, database.name, left) });
  }
  const stores: SiteObjectStore[] = [];
  for (const { store, records } of read) {
    const texts: SiteRecord[] = [];
    for (const [key, value] of records) texts.push({ key: await key.text(), value: await value.text() });
    stores.push({ ...store, records: texts });
  }
  return stores;
}

function outline(store: IDBObjectStore): SiteObjectStore {
  const indexes = [...store.indexNames].map((name) => {
    const { keyPath, unique, multiEntry } = store.index(name);
    return { name: wellFormed(name), key_path: keyPath, unique, multi_entry: multiEntry };
  });
  const { name, keyPath, autoIncrement } = store;
  return { name: wellFormed(name), key_path: keyPath, auto_increment: autoIncrement, indexes, records: [] };
}

async function readRecords(
  store: IDBObjectStore,
  database: string,
  left: { size: number },
): Promise<[PackedValue, PackedValue][]> {
  const records: [PackedValue, PackedValue][] = [];
  const request = store.openCursor();
  const where = `The store ${quoted(store.name)} of the database ${quoted(database)}`;
  for (let cursor = await done(request); cursor; cursor = await done(request)) {
    try {
      records.push([new PackedValue(cursor.primaryKey), new PackedValue(cursor.value)]);
    } catch (error) {
      if (!(error instanceof NotKept)) throw error;
      throw new Refused(`${where} has a value that no file can keep: ${error.message}.`);
    }
    for (const each of records.at(-1) as [PackedValue, PackedValue]) left.size -= each.size;
    if (left.size < 0)
      throw new Refused(`${where} has more than a state can keep: ${MOST / 2 ** 20} MB for an origin.`);
    cursor.continue();
  }
  return records;
}

/** Write databases. One that is there keeps its outline, and has the given records afterwards. */
export async function writeDatabases(databases: readonly SiteDatabase[]): Promise<void> {
  for (const each of databases) {
    const database = await openAs(each);
    try {
      await writeRecords(database, each);
    } finally {
      database.close();
    }
  }
}

async function openAs(wanted: SiteDatabase): Promise<IDBDatabase> {
  const is = `The database ${quoted(wanted.name)}`;
  const there = (await indexedDB.databases()).find(({ name }) => name === wanted.name);
  // Another version isn't upgraded to: while a page keeps the older one open, nobody could open either.
  if (there && there.version !== wanted.version)
    throw new Refused(
      `${is} has version ${there.version} in this browser, and ${wanted.version} in the state.`,
    );
  const request = indexedDB.open(wanted.name, wanted.version);
  request.onupgradeneeded = () => build(request.result, wanted);
  const database = await done(request);
  if (isSameOutline(database, wanted)) return database;
  database.close();
  throw new Refused(`${is} has other stores in this browser than in the state.`);
}

function build(database: IDBDatabase, wanted: SiteDatabase): void {
  for (const { name, key_path, auto_increment, indexes } of wanted.stores) {
    const store = database.createObjectStore(name, { keyPath: key_path, autoIncrement: auto_increment });
    for (const index of indexes)
      store.createIndex(index.name, index.key_path, { unique: index.unique, multiEntry: index.multi_entry });
  }
}

function isSameOutline(database: IDBDatabase, wanted: SiteDatabase): boolean {
  const names = [...database.objectStoreNames];
  if (names.length === 0) return wanted.stores.length === 0;
  const transaction = database.transaction(names, "readonly");
  const there = names.map((name) => outline(transaction.objectStore(name)));
  const plain = (stores: readonly SiteObjectStore[]) =>
    JSON.stringify(
      stores.map(({ name, key_path, auto_increment, indexes }) => [
        name,
        key_path,
        auto_increment,
        indexes.map((index) => [index.name, index.key_path, index.unique, index.multi_entry]),
      ]),
    );
  return plain(there) === plain(wanted.stores);
}

async function writeRecords(database: IDBDatabase, wanted: SiteDatabase): Promise<void> {
  if (wanted.stores.length === 0) return;
  const values = wanted.stores.map(({ records }) =>
    records.map(({ key, value }) => [unpacked(value), unpacked(key) as IDBValidKey] as const),
  );
  const transaction = database.transaction([...database.objectStoreNames], "readwrite");
  const written = ended(transaction);
  wanted.stores.forEach(({ name, key_path }, at) => {
    const store = transaction.objectStore(name);
    store.clear();
    for (const [value, key] of values[at] ?? []) key_path === null ? store.put(value, key) : store.put(value);
  });
  await written;
}
