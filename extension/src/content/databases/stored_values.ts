// Values of a database as JSON text and back: dates, bytes, files, maps, and objects that refer to each other, which
// JSON itself can't hold. What this doesn't know is refused by name, never left out.
//
// The text is `[root, ...objects]`. A slot is a string, a finite number, a boolean or null as it is, `[7]` for the
// object with that number, or a name with a text for other primitives, such as `["bigint", "7"]`.

type Slot = string | number | boolean | null | [number] | [kind: string, text: string];
type Packed = [kind: string, ...facts: unknown[]];

/** Thrown for a value that no file can keep. */
export class NotKept extends Error {}

const SPECIAL: Record<string, (text: string) => unknown> = {
  undefined: () => undefined,
  bigint: (text) => BigInt(text),
  number: (text) => Number(text),
};

type ViewClass = new (buffer: ArrayBuffer, offset: number, length: number) => ArrayBufferView;
const VIEWS = new Map<string, ViewClass>(
  [
    [DataView, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array],
    [Float32Array, Float64Array, BigInt64Array, BigUint64Array],
  ]
    .flat()
    .map((each) => [each.name, each]),
);

const CHUNK = 0x8000;

function toBase64(buffer: ArrayBuffer): string {
  const bytes = new Uint8Array(buffer);
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

function fromBase64(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0)).buffer;
}

const kindOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1);

/** One value on its way to text. Files are read last: a transaction ends while one waits for them. */
export class PackedValue {
  readonly #objects: Packed[] = [];
  readonly #numbers = new Map<object, number>();
  readonly #todo: object[] = [];
  readonly #files: { blob: Blob; packed: Packed }[] = [];
  readonly #root: Slot;
  #fileBytes = 0;

  constructor(value: unknown) {
    this.#root = this.#slot(value);
    // Without recursion, so that a chain of any length fits.
    for (const next of this.#todo) this.#objects.push(this.#pack(next));
  }

  /** The text. */
  async text(): Promise<string> {
    for (const { blob, packed } of this.#files) packed[1] = toBase64(await blob.arrayBuffer());
    return JSON.stringify([this.#root, ...this.#objects]);
  }

  /** How long the text will be, about. */
  get size(): number {
    return JSON.stringify([this.#root, ...this.#objects]).length + this.#fileBytes * 1.4;
  }

  #slot(value: unknown): Slot {
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number")
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : ["number", Object.is(value, -0) ? "-0" : `${value}`];
    if (typeof value !== "object") return [typeof value, String(value)];
    const known = this.#numbers.get(value);
    if (known) return [known];
    this.#numbers.set(value, this.#numbers.size + 1);
    this.#todo.push(value);
    return [this.#numbers.size];
  }

  #pairs(value: object): unknown[] {
    return Object.entries(value).flatMap(([name, each]) => [name, this.#slot(each)]);
  }

  #pack(value: object): Packed {
    if (ArrayBuffer.isView(value)) return this.#packView(value);
    if (value instanceof Blob) return this.#packFile(value);
    if (Array.isArray(value)) return ["array", value.length, ...this.#pairs(value)];
    if (value instanceof Date) return ["date", this.#slot(value.getTime())];
    if (value instanceof RegExp) return ["regexp", value.source, value.flags];
    if (value instanceof Map) return ["map", ...[...value].flat().map((each) => this.#slot(each))];
    if (value instanceof Set) return ["set", ...[...value].map((each) => this.#slot(each))];
    if (value instanceof ArrayBuffer && !(value as { resizable?: boolean }).resizable)
      return ["buffer", toBase64(value)];
    if (Object.getPrototypeOf(value) === Object.prototype) return ["object", ...this.#pairs(value)];
    throw new NotKept(kindOf(value));
  }

  #packView(value: ArrayBufferView): Packed {
    const name = kindOf(value);
    if (!VIEWS.has(name)) throw new NotKept(name);
    const length = value instanceof DataView ? value.byteLength : (value as Uint8Array).length;
    return ["view", name, this.#slot(value.buffer), value.byteOffset, length];
  }

  #packFile(value: Blob): Packed {
    const more = value instanceof File ? [value.name, value.lastModified] : [];
    const packed: Packed = ["blob", "", value.type, ...more];
    this.#fileBytes += value.size;
    this.#files.push({ blob: value, packed });
    return packed;
  }
}

/** The value of a text. */
export function unpacked(text: string): unknown {
  const [root, ...packed] = JSON.parse(text) as [Slot, ...Packed[]];
  const objects: unknown[] = packed.map(begin);
  const resolve = (slot: unknown): unknown => {
    if (!Array.isArray(slot)) return slot;
    return typeof slot[0] === "number" ? objects[slot[0] - 1] : special(slot[0], slot[1]);
  };
  // A view needs its buffer, and nothing else needs another object to begin with.
  packed.forEach(([kind, ...facts], at) => {
    if (kind === "view") objects[at] = view(facts, resolve);
    if (kind === "date") objects[at] = new Date(resolve(facts[0]) as number);
  });
  packed.forEach(([kind, ...facts], at) => {
    fill(objects[at], kind, facts, resolve);
  });
  return resolve(root);
}

function special(kind: string, text: string): unknown {
  const make = SPECIAL[kind];
  if (!make) throw new NotKept(kind);
  return make(text);
}

function view([name, buffer, offset, length]: unknown[], resolve: (slot: unknown) => unknown): unknown {
  const View = VIEWS.get(String(name));
  if (!View) throw new NotKept(String(name));
  return new View(resolve(buffer) as ArrayBuffer, offset as number, length as number);
}

function begin([kind, ...facts]: Packed): unknown {
  const [first, second, third, fourth] = facts as [string, string, string, number];
  switch (kind) {
    case "object":
      return {};
    case "array":
      return new Array(Number(first));
    case "regexp":
      return new RegExp(first, second);
    case "map":
      return new Map();
    case "set":
      return new Set();
    case "buffer":
      return fromBase64(first);
    case "blob":
      return third === undefined
        ? new Blob([fromBase64(first)], { type: second })
        : new File([fromBase64(first)], third, { type: second, lastModified: fourth });
    case "view":
    case "date":
      return null;
    default:
      throw new NotKept(kind);
  }
}

function fill(made: unknown, kind: string, facts: unknown[], resolve: (slot: unknown) => unknown): void {
  if (kind === "set") for (const each of facts) (made as Set<unknown>).add(resolve(each));
  if (kind === "map")
    for (let at = 0; at < facts.length; at += 2)
      (made as Map<unknown, unknown>).set(resolve(facts[at]), resolve(facts[at + 1]));
  if (kind !== "object" && kind !== "array") return;
  // Defined, not assigned: a property may be called "__proto__".
  const pairs = kind === "array" ? facts.slice(1) : facts;
  for (let at = 0; at < pairs.length; at += 2) {
    const value = resolve(pairs[at + 1]);
    const how = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(made, pairs[at] as string, how);
  }
}
