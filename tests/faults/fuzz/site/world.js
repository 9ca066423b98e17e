// The elements of one trial. Each has an id of its own, known to listeners on the element itself and to nobody else:
// neither its name nor its place nor its attributes tell a later reader which one it is.

const LANDINGS = [
  "pointerdown", "mousedown", "click", "dblclick", "auxclick", "contextmenu", "keydown", "beforeinput", "input",
  "change", "dragstart", "drop",
];
const PASSINGS = ["pointerup", "mouseup", "mouseover", "mousemove", "dragover", "focusin"];
const KINDS = ["button", "button", "link", "role", "check", "radio", "field", "field", "area", "editable", "select"];
const BOXES = ["list", "pile", "open", "closed", "nested"];
const FRAME = new URLSearchParams(location.search).get("frame") ?? "";
const DOCUMENT = Math.random().toString(36).slice(2, 8);

/** A small repeatable generator of random numbers. */
function randomOf(seed) {
  let state = (seed * 2654435761) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return { next, below: (n) => Math.floor(next() * n), pick: (list) => list[Math.floor(next() * list.length)] };
}

const heard = new WeakSet();
const sent = new Set();

/** Put down that an event reached an element; the log outlives the document. */
function record(id, event) {
  if (heard.has(event)) return;
  heard.add(event);
  const entry = `${id} ${event.type} ${event.isTrusted}`;
  if (FRAME === "other") send(entry);
  else sessionStorage.log = `${sessionStorage.log ?? ""}${entry};`;
}

/** Messages of a frame that is being taken away are lost on their way to another process; the server gets them. */
function send(entry) {
  if (sent.has(entry)) return;
  sent.add(entry);
  fetch("/log", { method: "POST", body: new URLSearchParams({ entry }), keepalive: true });
}

const world = {
  items: new Map(),
  made: 0,
  trial: 0,

  /** An element of a kind, with an id that nothing on it shows. */
  make(kind, name) {
    const element = bare(kind, name);
    const id = `${DOCUMENT}.${this.trial}.${++this.made}`;
    // On the way up, so that of two that hold each other the inner one is named.
    for (const type of [...LANDINGS, ...PASSINGS]) element.addEventListener(type, (event) => record(id, event));
    if (kind === "link") element.addEventListener("click", (event) => event.preventDefault());
    this.items.set(id, { id, kind, name, element });
    return element;
  },

  idOf(element) {
    for (const item of this.items.values()) if (item.element === element) return item.id;
    return null;
  },

  /** The same again: another element that looks the same. */
  twin(element) {
    const { kind, name } = this.items.get(this.idOf(element));
    const twin = this.make(kind, name);
    twin.style.cssText = element.style.cssText;
    return twin;
  },

  /** Boxes of elements, as pages have them: rows, piles, components with open and closed roots. */
  fill(arena, random) {
    const places = [];
    let count = 0;
    for (const box of BOXES) {
      const holder = document.createElement("div");
      holder.className = box === "pile" ? "box pile" : "box";
      const shadow = box === "open" || box === "closed";
      const inside = shadow ? holder.attachShadow({ mode: box }) : holder;
      const inner = box === "nested" ? inside.appendChild(document.createElement("section")) : inside;
      for (let row = 0; row < 3; row++) {
        const name = `Pick ${this.trial} ${FRAME}${++count}`;
        const element = this.make(random.pick(KINDS), name);
        if (box === "pile") element.style.top = `${8 + row * 32}px`;
        inner.append(element);
        places.push(element);
      }
      arena.append(holder);
    }
    return places;
  },
};

function bare(kind, name) {
  const [tag, attributes] = {
    button: ["button", { type: "button" }],
    link: ["a", { href: "#here" }],
    role: ["div", { role: "button", tabindex: "0" }],
    check: ["input", { type: "checkbox" }],
    radio: ["input", { type: "radio" }],
    field: ["input", { type: "text" }],
    area: ["textarea", {}],
    editable: ["div", { contenteditable: "true", role: "textbox" }],
    select: ["select", {}],
  }[kind];
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (/^(button|link|role)$/.test(kind)) element.textContent = name;
  else element.setAttribute("aria-label", name);
  if (kind === "select") for (const text of ["one", "two", "three"]) element.add(new Option(text));
  element.classList.add("row");
  return element;
}
