// Random documents and random changes to them, by a seed.
globalThis.mutations = (seed) => {
  let state = seed >>> 0 || 1;
  const random = (below) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
  const pick = (list) => list[random(list.length)];
  const chance = (percent) => random(100) < percent;
  const WORDS = "amber birch cedar delta ember fjord grove heron iris jade".split(" ");
  const text = () => Array.from({ length: 1 + random(3) }, () => pick(WORDS)).join(" ");
  const CLASSES = [
    "a",
    "b",
    "c",
    "d",
    "gone",
    "blind",
    "far",
    "fly",
    "pin",
    "flow",
    "roll",
    "slow",
    "point",
    "wide",
  ];
  const TAGS =
    `div div div span span p section article ul li table tr td th h2 a button label input input select
    textarea details summary dialog fieldset legend form nav header footer b em br img svg main x-box slot iframe
    figure figcaption`.split(/\s+/);
  const ROLES = [
    "button",
    "list",
    "listitem",
    "row",
    "cell",
    "tree",
    "treeitem",
    "group",
    "none",
    "dialog",
    "tab",
    "grid",
    "combobox",
    "heading",
    "region",
    "checkbox",
    "link",
  ];
  const ids = Array.from({ length: 8 }, (_, i) => `i${i}`);

  const roots = () => {
    const found = [document];
    for (let i = 0; i < found.length; i++)
      for (const element of found[i].querySelectorAll("*"))
        if (element.shadowRoot) found.push(element.shadowRoot);
    return found;
  };
  const anyElement = (selector = "*") => {
    const all = roots().flatMap((root) => [...root.querySelectorAll(selector)]);
    return (
      pick(all.filter((element) => !element.closest("head") && element !== document.documentElement)) ??
      document.body
    );
  };
  const make = (depth) => {
    const tag = pick(TAGS);
    const element = document.createElementNS(
      tag === "svg" ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml",
      tag,
    );
    if (tag === "input")
      element.type = pick(["text", "checkbox", "radio", "range", "submit", "email", "password", "number"]);
    if (tag === "a" && chance(70)) element.href = `/${pick(WORDS)}`;
    if (tag === "iframe") element.srcdoc = `<button>${text()}</button>`;
    if (tag === "select") for (let i = 0; i < 3; i++) element.append(new Option(text()));
    for (let i = random(3); i > 0; i--) attribute(element);
    if (tag === "iframe" || tag === "select") return element;
    for (let i = random(4); i > 0; i--) element.append(depth > 0 && chance(65) ? make(depth - 1) : text());
    if (chance(4) && ["div", "span", "section", "x-box"].includes(tag)) shadow(element);
    return element;
  };
  const shadow = (element) => {
    if (element.shadowRoot) return;
    const root = element.attachShadow({ mode: "open" });
    root.append(make(1), document.createElement("slot"), text());
    if (chance(50)) root.append(make(1));
  };
  const attribute = (element) => {
    const set = (name, value) =>
      chance(25) ? element.removeAttribute(name) : element.setAttribute(name, value);
    switch (random(16)) {
      case 0:
      case 1:
      case 2:
        return set("class", [pick(CLASSES), chance(40) ? pick(CLASSES) : ""].join(" ").trim());
      case 3:
        return set("id", pick(ids));
      case 4:
        return set("for", pick(ids));
      case 5:
        return set("aria-labelledby", `${pick(ids)} ${pick(ids)}`);
      case 6:
        return set("aria-label", text());
      case 7:
        return set("role", pick(ROLES));
      case 8:
        return set("hidden", "");
      case 9:
        return set("aria-hidden", "true");
      case 10:
        return set(
          "style",
          pick([
            "display:none",
            "display:block",
            "height:30px;overflow:auto",
            "position:absolute;right:0",
            "visibility:hidden",
            "display:contents",
            "float:right",
            "position:sticky;top:0",
            "transform:scale(.5)",
          ]),
        );
      case 11:
        return set(pick(["tabindex", "onclick", "contenteditable", "draggable"]), pick(["0", "true", "-1"]));
      case 12:
        return set("title", text());
      case 13:
        return set(pick(["disabled", "open", "inert", "required", "multiple"]), "");
      case 14:
        return set(
          pick(["aria-expanded", "aria-checked", "aria-selected", "aria-disabled"]),
          pick(["true", "false"]),
        );
      default:
        return set(
          pick(["aria-describedby", "aria-owns", "slot", "name", "popover", "popovertarget", "placeholder"]),
          pick(ids),
        );
    }
  };
  const SHEET_RULES = [
    ".a{display:none}",
    ".a{visibility:hidden}",
    ".b .c{display:none}",
    ".d{cursor:pointer}",
    ".c::before{content:'*'}",
    ".a + .b{display:none}",
    ".b:has(.c){padding:9px}",
    ".b:not(:has(.c)) .d{display:none}",
    "body:has(.d) .a{margin-left:30px}",
    ".a{&:has(> .b){display:none}}",
    "div:has(:checked) + .b{display:none}",
    "@container (max-width:150px){.c{display:none}}",
    "@container (min-width:190px){.d{visibility:hidden} .b:has(.a){height:9px}}",
    ".c:first-child{display:block}",
    ".d{display:inline-block}",
    ".b:empty{display:none}",
    "input:checked ~ *{display:none}",
    ".a:focus-within{margin:9px}",
    ".d:hover{display:none}",
    "@media (min-width:100px){.a{height:20px}}",
    "p{float:left}",
    ".c{content-visibility:hidden}",
  ];
  const sheets = [];
  const changes = [
    ...Array(4).fill(() => {
      const to = anyElement();
      if (!/^(input|iframe|textarea|select|img|br)$/.test(to.localName))
        to.insertBefore(make(2), pick([null, ...to.childNodes]));
    }),
    ...Array(3).fill(() => {
      const it = anyElement();
      if (it !== document.body) it.remove();
    }),
    ...Array(2).fill(() => {
      const it = anyElement();
      const to = anyElement();
      if (it !== document.body && !it.contains(to) && !to.getRootNode().host?.isSameNode(it)) {
        try {
          to.insertBefore(it, pick([null, ...to.childNodes]));
        } catch {
          /* into itself through a shadow root */
        }
      }
    }),
    ...Array(8).fill(() => attribute(anyElement())),
    ...Array(4).fill(() => {
      const it = anyElement();
      const node = pick([...it.childNodes].filter((child) => child.nodeType === 3));
      if (node) node.data = chance(20) ? " " : text();
      else it.append(text());
    }),
    () => {
      const it = anyElement();
      if (it.localName !== "iframe" && it !== document.body) it.textContent = text();
    },
    ...Array(3).fill(() => {
      const it = anyElement("input,textarea,select");
      if (it.localName === "select") it.selectedIndex = random(3);
      else if (/checkbox|radio/.test(it.type)) it.checked = !it.checked;
      else if ("value" in it && it.type !== "file" && it.type !== "number") it.value = text();
    }),
    () => {
      const it = anyElement("input[type=checkbox]");
      it.indeterminate = true;
    },
    () => anyElement("a,button,input,[tabindex]").focus(),
    () => scrollTo(0, random(600)),
    () => {
      const it = anyElement("[style*=auto],.roll");
      it.scrollTop = random(40);
    },
    () => {
      const it = anyElement("details");
      it.open = !it.open;
    },
    () => {
      const it = anyElement("dialog");
      if (it.localName === "dialog" && it.isConnected) {
        if (it.open) it.close();
        else if (chance(50)) it.show();
        else {
          try {
            it.showModal();
          } catch {
            /* a popover already */
          }
        }
      }
    },
    () => {
      const it = anyElement("[popover]");
      try {
        it.togglePopover?.();
      } catch {
        /* open as a dialog */
      }
    },
    () => {
      const it = document.querySelector("style");
      if (chance(60)) it.sheet.insertRule(pick(SHEET_RULES), 0);
      else if (it.sheet.cssRules.length > 8) it.sheet.deleteRule(0);
    },
    () => {
      const rule = pick([...document.querySelector("style").sheet.cssRules]);
      if (rule.style)
        rule.style.setProperty(
          ...pick([
            ["display", "block"],
            ["margin", "3px"],
            ["visibility", "visible"],
          ]),
        );
    },
    () => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(pick(SHEET_RULES));
      sheets.push(sheet);
      pick(roots()).adoptedStyleSheets = chance(50) ? [sheet] : [];
    },
    () => {
      if (sheets.length) pick(sheets).replaceSync(pick(SHEET_RULES));
    },
    () => {
      const it = anyElement("div,span,section,x-box");
      if (/^(div|span|section|x-box)$/.test(it.localName)) shadow(it);
    },
    () => {
      const it = anyElement("iframe");
      if (it.localName === "iframe") it.srcdoc = text();
    },
    () => {
      const it = document.createElement("iframe");
      it.src = "about:blank";
      document.body.append(it);
    },
    () => {
      document.title = text();
    },
    () => {
      const style = document.createElement("style");
      style.textContent = pick(SHEET_RULES);
      document.head.append(style);
    },
  ];
  const BASE = `body{margin:4px} .gone{display:none} .blind{visibility:hidden} .far{margin-left:300px} .fly{position:absolute;bottom:0}
    .pin{position:fixed;top:0} .flow{float:left} .roll{height:40px;overflow:auto} .slow{transition:margin .2s} .point{cursor:pointer}
    .wide{width:200px;container-type:inline-size}`;
  const build = () => {
    document.adoptedStyleSheets = [];
    document.head.innerHTML = `<title>Test</title><style>${BASE}</style>`;
    for (const name of document.body.getAttributeNames()) document.body.removeAttribute(name);
    document.body.replaceChildren(...Array.from({ length: 8 }, () => make(4)));
    document.body.append(Object.assign(document.createElement("div"), { style: "height:900px" }));
  };
  const changeSome = () => {
    for (let i = 1 + random(3); i > 0; i--) pick(changes)();
  };
  return { build, change: changeSome };
};
