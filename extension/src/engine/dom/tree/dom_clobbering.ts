// DOM clobbering: a form's members are hidden by its fields of the same names, a document's by images,
// forms and frames, from the scripts of every world (HTML, "[LegacyOverrideBuiltIns]").
//
// `unclobbered` stands in front of every access to such a member in what content scripts are built from: the build puts it
// there (`dom_clobbering.mjs`), so that none can be forgotten.

const KINDS: readonly object[] = [HTMLFormElement, HTMLDocument, HTMLFrameSetElement].map(
  ({ prototype }) => prototype,
);
const [FORM, DOCUMENT, FRAMES] = KINDS;

interface StandIn {
  readonly it: object;
}

const standIns = new WeakMap<object, StandIn>();
const members = new Map(KINDS.map((kind) => [kind, membersOf(kind)]));

/** The same object where a page can't hide its members, else what has them in its place. */
export function unclobbered<T>(it: T): T {
  if (it === null || it === undefined) return it;
  const kind: object = Object.getPrototypeOf(it);
  return kind === FORM || kind === DOCUMENT || kind === FRAMES ? (standInFor(it, kind) as T) : it;
}

function standInFor(it: object, kind: object): object {
  let found = standIns.get(it);
  if (!found) {
    found = Object.create(members.get(kind) as object, { it: { value: it } }) as StandIn;
    standIns.set(it, found);
  }
  return found;
}

/** Everything that objects of a kind have, taken from their prototypes and done to the object that is stood in for. */
function membersOf(kind: object): object {
  const all: PropertyDescriptorMap = {};
  for (let from = kind; from; from = Object.getPrototypeOf(from)) {
    const own = Object.entries(Object.getOwnPropertyDescriptors(from));
    for (const [name, member] of own) if (!Object.hasOwn(all, name)) all[name] = passedOn(member);
  }
  return Object.create(null, all);
}

function passedOn({ get, set, value }: PropertyDescriptor): PropertyDescriptor {
  if (typeof value === "function") {
    return {
      value(this: StandIn, ...given: unknown[]): unknown {
        return Reflect.apply(value, this.it, given);
      },
    };
  }
  if (!get) return { value };
  return {
    get(this: StandIn): unknown {
      return get.call(this.it);
    },
    set(this: StandIn, to: unknown): void {
      set?.call(this.it, to);
    },
  };
}
