// Changes a page as its authors might from one version to the next, around one element, and can undo it.
// (target, kind, seed) => whether the change was possible there. `globalThis.skillbookUndo()` takes it back.
(target, kind, seed) => {
  const undo = [];
  let state = seed * 7919 + 17;
  const random = (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
  const root = target.getRootNode();
  const scope = root instanceof ShadowRoot ? root : document.body;
  const all = (css) => [...scope.querySelectorAll(css)];
  const set = (element, name, value) => {
    const before = element.getAttribute(name);
    undo.push(() => (before === null ? element.removeAttribute(name) : element.setAttribute(name, before)));
    element.setAttribute(name, value);
  };
  const place = (element, parent, before) => {
    const [oldParent, oldNext] = [element.parentNode, element.nextSibling];
    undo.push(() => (oldParent ? oldParent.insertBefore(element, oldNext) : element.remove()));
    parent.insertBefore(element, before);
  };
  const remove = (element) => {
    const [parent, next] = [element.parentNode, element.nextSibling];
    const back = () => parent.insertBefore(element, next && next.parentNode === parent ? next : null);
    undo.push(() => element.isConnected || back());
    element.remove();
    return back;
  };
  const write = (node, text) => {
    const before = node.data;
    undo.push(() => { node.data = before; });
    node.data = text;
  };
  const texts = (element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) if (walker.currentNode.data.trim()) found.push(walker.currentNode);
    return found;
  };
  const styled = () => {
    const rules = (sheet) => { try { return [...sheet.cssRules]; } catch { return []; } };
    const sheets = [...document.styleSheets, ...(root.adoptedStyleSheets ?? []), ...(root.styleSheets ?? [])];
    return sheets.flatMap(rules).map((rule) => rule.cssText.split("{")[0]).join(" ");
  };
  const hash = (text) => `k${[...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 1e9, seed + 1)}`;
  const controls = "button, a[href], input, select, textarea, [role=button], [role=link], [role=tab]";
  // Words that mean the same on controls, and translations.
  const SAME = {
    search: ["Find", "Suche"], save: ["Store", "Speichern"], submit: ["Send", "Absenden"], next: ["Continue", "Weiter"],
    "log in": ["Sign in", "Anmelden"], login: ["Sign in", "Anmelden"], delete: ["Remove", "Löschen"],
    close: ["Dismiss", "Schließen"], cancel: ["Abort", "Abbrechen"], edit: ["Modify", "Bearbeiten"],
    products: ["Goods", "Produkte"], add: ["Create", "Hinzufügen"], name: ["Full name", "Name"],
    email: ["E-mail", "E-Mail-Adresse"], password: ["Passphrase", "Kennwort"], username: ["User name", "Benutzername"],
    today: ["Now", "Heute"], month: ["Monat"], week: ["Woche"], day: ["Tag"], open: ["Show", "Öffnen"],
    help: ["Support", "Hilfe"], settings: ["Preferences", "Einstellungen"], home: ["Start", "Startseite"],
  };
  const named = () => [...(target.labels ?? []), target].flatMap(texts);
  const copyOf = (element, prefix) => {
    const copy = element.cloneNode(true);
    for (const one of [copy, ...copy.querySelectorAll("*")]) {
      for (const name of ["id", "name", "data-testid"]) if (one.hasAttribute(name)) one.removeAttribute(name);
    }
    const first = texts(copy)[0];
    if (first) first.data = `${prefix} ${first.data.trim()}`;
    for (const name of ["aria-label", "title", "placeholder", "value"]) {
      const typed = name === "value" && !["button", "submit", "reset"].includes(copy.type);
      if (copy.hasAttribute(name) && !typed) copy.setAttribute(name, `${prefix} ${copy.getAttribute(name)}`);
    }
    if (!first && !copy.hasAttribute("aria-label") && !copy.hasAttribute("title") && !copy.hasAttribute("value")) {
      copy.setAttribute("aria-label", `${prefix} ${target.labels?.[0]?.textContent?.trim() ?? "one"}`);
    }
    return copy;
  };
  const kinds = {
    ids() {
      const css = styled();
      const renamed = new Map();
      for (const element of all("[id]")) {
        if (!css.includes(`#${element.id}`)) renamed.set(element.id, hash(element.id));
      }
      const refer = ["for", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "list", "form"];
      for (const name of refer) for (const element of all(`[${name}]`)) {
        const words = element.getAttribute(name).split(/\s+/);
        if (words.some((word) => renamed.has(word))) set(element, name, words.map((word) => renamed.get(word) ?? word).join(" "));
      }
      for (const element of all("[id]")) if (renamed.has(element.id)) set(element, "id", renamed.get(element.id));
      return renamed.size > 0;
    },
    classes() {
      const css = styled();
      let count = 0;
      for (const element of all("[class]")) {
        const words = element.getAttribute("class").split(/\s+/);
        const fresh = words.map((word) => (word && !css.includes(`.${word}`) ? hash(word) : word));
        if (fresh.join(" ") !== words.join(" ")) { set(element, "class", fresh.join(" ")); count++; }
      }
      if (!count) set(target, "class", `${target.getAttribute("class") ?? ""} ${hash("target")}`.trim());
      return true;
    },
    wrapped() {
      const fixed = "table, thead, tbody, tr, td, th, ul, ol, li, select, option, svg, svg *, [role]";
      const movable = (element) => !element.matches(fixed) && element.parentNode && !element.parentNode.matches?.("ul, ol, tr, select, svg");
      const chosen = all("div, p, form, button, a, input, label").filter((one) => movable(one) && random(4) === 0).slice(0, 30);
      if (movable(target) && !chosen.includes(target)) chosen.push(target);
      for (const element of chosen) {
        const around = document.createElement("div");
        around.style.display = "contents";
        place(around, element.parentNode, element);
        place(element, around, null);
      }
      return chosen.length > 0;
    },
    reordered() {
      for (let element = target; element && element !== document.body; element = element.parentElement) {
        const parent = element.parentNode;
        const siblings = [...(parent?.children ?? [])].filter((one) => !/^(SCRIPT|STYLE|LINK|OPTION|LEGEND|CAPTION)$/.test(one.tagName));
        if (siblings.length > 1 && random(2) === 0) {
          place(siblings.at(-1), parent, siblings[0]);
          return true;
        }
      }
      const parent = target.parentNode;
      if (!parent || parent.children.length < 2) return false;
      place(parent.lastElementChild, parent, parent.firstElementChild);
      return true;
    },
    renamed() {
      let count = 0;
      const change = (text) => {
        const words = text.trim();
        const same = SAME[words.toLowerCase()];
        if (!same) return null;
        count++;
        return same[random(same.length)];
      };
      for (const node of named()) { const text = change(node.data); if (text) write(node, text); }
      for (const name of ["aria-label", "placeholder", "title", "value"]) {
        const held = name === "value" && !["button", "submit"].includes(target.type) ? null : target.getAttribute(name);
        const text = held ? change(held) : null;
        if (text) set(target, name, text);
      }
      return count > 0;
    },
    translated() {
      let count = 0;
      for (const node of texts(document.body)) {
        if (node.parentElement.closest("script, style") || target.contains(node) || named().includes(node)) continue;
        if (/\p{L}/u.test(node.data) && random(3) === 0) { write(node, node.data.replace(/\p{L}+/gu, (word) => `${word}en`)); count++; }
      }
      return count > 0;
    },
    banner() {
      const banner = document.createElement("div");
      banner.setAttribute("role", "region");
      banner.setAttribute("aria-label", "Cookies");
      banner.innerHTML = "<p>We use cookies. <a href='#'>Learn more</a></p><button>Accept</button> <button>Close</button>";
      place(banner, document.body, document.body.firstChild);
      return true;
    },
    lookalike() {
      const copy = copyOf(target, ["New", "Advanced", "Other"][random(3)]);
      if (target.matches("option, tr, td, li")) return false;
      place(copy, target.parentNode, random(2) ? target : target.nextSibling);
      return true;
    },
    replaced() {
      if (target.matches("option, tr, td, li")) return false;
      place(copyOf(target, ["New", "Remove", "Other"][random(3)]), target.parentNode, target);
      for (const label of target.labels ?? []) if (!label.contains(target)) remove(label);
      const around = target.closest("label");
      remove(around ?? target);
      return true;
    },
    row() {
      const item = target.closest("tr, li, article, [role=row], [role=listitem]");
      if (!item?.parentNode) return false;
      const copy = item.cloneNode(true);
      for (const one of [copy, ...copy.querySelectorAll("[id]")]) one.removeAttribute("id");
      for (const node of texts(copy)) {
        if (!node.parentElement?.closest(controls)) node.data = `Another ${node.data.trim()}`;
      }
      const link = copy.querySelector("a[href]");
      if (link) { link.setAttribute("href", `${link.getAttribute("href")}-other`); }
      for (const node of texts(copy)) if (node.parentElement?.closest("a[href]")) node.data = `Another ${node.data.trim()}`;
      place(copy, item.parentNode, random(2) ? item : item.nextSibling);
      return true;
    },
    late() {
      const back = remove(target);
      const timer = setTimeout(() => target.isConnected || back(), 700);
      undo.push(() => clearTimeout(timer));
      return true;
    },
    narrow() {
      set(document.documentElement, "style", `${document.documentElement.getAttribute("style") ?? ""};width:360px`);
      return true;
    },
  };
  globalThis.skillbookUndo = () => { while (undo.length) undo.pop()(); };
  return kinds[kind]();
}
