// What waits for the person: a call to approve, or a request for help.
import { makeCode } from "./cells.js";
import { keyed } from "./controls.js";
import { h, uniqueId } from "./dom.js";
import { makeForm } from "./form.js";
import { makeHelp } from "./help.js";
import { shorten, showHidden } from "./text.js";
import { phraseOf, plain } from "./words.js";

const EFFECTS = {
  read: ["read", "Only reads the page"],
  write: ["write", "Changes something on the page"],
  irreversible: ["irreversible", "Can't be undone"],
};
const PLACES = { true: "in the tree, on the screenshot or in the page itself", false: "in the tree or on the screenshot" };
const GUARD_MS = 300; // a double click must not answer the next question too
const APPROVE_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ ↵" : "Ctrl ↵";

/**
 * Make the card, and the bar with its answers, which stays in its place whatever waits.
 * Parameters: `decide(kind, {args, message})` sends an answer, `describe(ref)` puts an element into words,
 * `takesText(ref)` says whether text can be put in it,
 * `useRemoteInput()` lets the person use the page in its picture, `pick(id, on)` lets them point in the real page or ends that,
 * `targeted(ref)` is called when the call's target changes, `changed()` when what is waited for reads otherwise.
 */
export function makeCard({ decide, describe, takesText, targeted, changed, useRemoteInput, pick }) {
  const node = h("section", { class: "sbp-card", hidden: true });
  const waits = h("span", { class: "sbp-waits", role: "status" });
  const bar = h("div", { class: "sbp-actions", role: "group", "aria-label": "Your answer" }, waits);
  let pending = null;
  let isBuilt = false;
  let form = null;
  let armedName = null;
  let pointing = false;
  let hasWindow = false;
  let wasPicking = false;
  let pickedSerial = null;
  let parts = {};
  let answeredAt = Number.NEGATIVE_INFINITY;
  let confirming = false;

  const button = (text, kind, act, props = {}) =>
    h("button", { type: "button", class: `sbp-button ${kind}`, on: { click: act }, ...props }, text);

  function build(isNext) {
    armedName = pending.targets[0] ?? null;
    confirming = pointing = false;
    parts = { problem: h("div", { class: "sbp-problem sbp-answer-problem", role: "alert" }) };
    if (pending.assistance) {
      form = null;
      targeted(null);
      parts = { ...parts, ...makeHelp(pending, answer, useRemoteInput) };
      node.replaceChildren(parts.problem, ...parts.nodes);
      bar.replaceChildren(...parts.actions);
    } else buildCall();
    bar.classList.remove("sbp-replying");
    const kind = pending.assistance === "question" ? "question" : pending.assistance ? "help" : pending.effect;
    node.className = `sbp-card sbp-is-${kind}`;
    bar.classList.toggle("sbp-is-irreversible", kind === "irreversible");
    node.hidden = false;
    node.parentElement?.scrollTo(0, 0);
    // Whoever was about to press had read the question before.
    if (isNext || performance.now() - answeredAt < GUARD_MS) {
      for (const each of [node, bar]) each.classList.add("sbp-guarded");
      setTimeout(() => [node, bar].map((each) => each.classList.remove("sbp-guarded")), GUARD_MS);
    }
  }

  /** Nothing waits for the person: what is under way stays readable, so that the pane is never empty while a run works. */
  function buildRest() {
    form = null;
    pointing = false;
    parts = { going: h("strong", { class: "sbp-words", dir: "auto" }), awaited: h("p", { class: "sbp-note" }) };
    node.className = "sbp-card sbp-is-running";
    node.replaceChildren(parts.going, parts.awaited);
    bar.classList.remove("sbp-replying");
    bar.replaceChildren(waits);
    targeted(null);
  }

  function buildCall() {
    const [effect, meaning] = EFFECTS[pending.effect] ?? [pending.effect, ""];
    const can = (kind) => pending.decisions.includes(kind);
    parts.targetText = h("span", { class: "sbp-target", dir: "auto" });
    form = makeForm(pending.schema, pending.args, pending.targets, { changed: refresh, armed: togglePointing });
    parts.hint = h("p", { class: "sbp-note", role: "status" });
    parts.approve = keyed("Approve", "A", "sbp-primary", () => answer("approve"), { title: APPROVE_KEY });
    parts.edited = keyed("Approve edited", "E", "", approveEdited, { hidden: !can("edit") });
    parts.reason = h("input", {
      class: "sbp-input",
      type: "text",
      dir: "auto",
      "aria-label": "What to tell the agent",
      on: { keydown: reasonKey },
    });
    parts.send = button("Send", "", () => answer(parts.mode, { message: parts.reason.value }));
    parts.reply = h(
      "div",
      { class: "sbp-reply", hidden: true },
      parts.reason,
      parts.send,
      button("Cancel", "sbp-quiet", () => reply(null)),
    );
    parts.skip = keyed("Skip", "S", "", () => answer("skip"), {
      hidden: !can("reject"),
      title: "Leave this step out; the agent goes on with what comes next",
    });
    parts.reject = keyed("Reject…", "R", "sbp-danger", () => reply("reject"), {
      hidden: !can("reject"),
      "aria-expanded": "false",
    });
    parts.respond = keyed("Respond…", "T", "", () => reply("respond"), {
      hidden: !can("respond"),
      "aria-expanded": "false",
    });
    parts.buttons = [parts.approve, parts.edited, parts.skip, parts.reject, parts.respond, parts.send];
    if (pending.cell) buildCell();
    node.replaceChildren(
      parts.problem,
      h(
        "div",
        { class: "sbp-title" },
        h("strong", { class: "sbp-words", text: phraseOf(pending.tool) }),
        parts.targetText,
        h("span", { class: `sbp-effect sbp-effect-${effect}`, title: meaning, text: effect }),
        h("code", { class: "sbp-tool", text: showHidden(pending.tool) }),
      ),
      pending.said
        ? h("p", { class: "sbp-said", dir: "auto", text: shorten(showHidden(pending.said), 600) })
        : "",
      pending.reason ? h("p", { class: "sbp-why", dir: "auto", text: showHidden(pending.reason) }) : "",
      pending.tool === "plan" ? h("p", { class: "sbp-note", text: "Change the tasks above as you like." }) : "",
      parts.code?.node ?? "",
      pending.tool !== "plan" && can("edit") ? form.node : "",
      armedName ? parts.hint : "",
      pending.learn || pending.form ? rememberRow() : "",
    );
    bar.replaceChildren(parts.approve, parts.edited, parts.skip, parts.reject, parts.respond, parts.reply);
    sayWhere();
    refresh();
    requestAnimationFrame(() => parts.code?.reveal());
  }

  /** The cell's code; the form of a whole cell is its text, which is there once the person wants to change it. */
  function buildCell() {
    const isWhole = pending.tool === "run_cell";
    const canEdit = isWhole && pending.decisions.includes("edit");
    parts.code = makeCode(pending.cell, {
      step: (until) => answer("step", { until }),
      edit: canEdit && (() => editCode(form.node.hidden)),
    });
    parts.buttons.push(...parts.code.buttons);
    if (!isWhole) return;
    form.node.hidden = true;
    const text = form.node.querySelector("textarea, input");
    if (text?.tagName === "TEXTAREA") text.rows = Math.min(pending.cell.lines.length + 1, 18);
  }

  function editCode(on) {
    form.node.hidden = !on;
    parts.code.editing(on);
    if (on) form.node.querySelector(".sbp-input")?.focus({ preventScroll: true });
  }

  /** Where a click points, and, while the person points, that one is waited for. */
  function sayWhere() {
    if (!parts.hint) return;
    parts.hint.classList.toggle("sbp-pointing", pointing);
    parts.hint.textContent = pointing
      ? `Click the element ${PLACES[hasWindow]}. Esc ends this.`
      : `P: to point at another element, click it ${PLACES[hasWindow]}.`;
  }

  /** What the approval may teach; choosing alone approves nothing. */
  function rememberRow() {
    const id = uniqueId("remember");
    const option = (value, text) => h("option", { value }, text);
    parts.always = h(
      "select",
      { class: "sbp-input", id },
      option("", "Ask every time"),
      pending.learn ? option("session", "Don't ask again until the browser is closed") : "",
      pending.learn && pending.scopes?.includes("always") ? option("always", "Never ask again") : "",
      pending.form ? option("form", "This form only reads: don't ask about it again") : "",
    );
    return h(
      "div",
      { class: "sbp-remember" },
      h(
        "label",
        { for: id },
        "After approving ",
        h("code", { text: [pending.learn, pending.form].filter(Boolean).map(showHidden).join("; or ") }),
      ),
      parts.always,
    );
  }

  /** The arguments are others, so that what was half approved is not what would be done now. */
  function refresh() {
    const { valid, dirty } = form.read();
    confirming = false;
    parts.edited.disabled = !dirty || !valid;
    parts.approve.firstChild.textContent = dirty ? "Approve as proposed" : "Approve";
    parts.edited.firstChild.textContent = "Approve edited";
    for (const each of [parts.approve, parts.edited]) each.classList.remove("sbp-confirm");
    parts.approve.classList.toggle("sbp-primary", !dirty);
    parts.edited.classList.toggle("sbp-primary", dirty);
    if (parts.always) parts.always.disabled = dirty;
    describeTarget();
    changed();
  }

  function describeTarget() {
    const { args, dirty } = form.read();
    for (const name of pending.targets) {
      if (form.names.includes(name))
        form.setNote(name, args[name] === pending.args[name] ? "" : describe(args[name]));
    }
    const first = pending.targets[0];
    const moved = first !== undefined && args[first] !== pending.args[first];
    parts.targetText.textContent = showHidden(wordsOfTarget(first, moved ? args[first] : null, dirty));
    targeted(first === undefined ? null : moved ? args[first] : pending.target_ref || args[first]);
  }

  /** What the call is about: an element and where it is, or else, as long as it isn't edited, what it goes to. */
  function wordsOfTarget(first, chosen, dirty) {
    if (first === undefined) return dirty ? "" : pending.target_text;
    if (chosen !== null) return describe(chosen) ? plain(describe(chosen)) : String(chosen ?? "");
    const words = plain(pending.target_text || describe(pending.args[first]));
    return words && pending.place ? `${words} in ${plain(pending.place)}` : words;
  }

  function togglePointing(name) {
    const on = !pointing || armedName !== name;
    armedName = name;
    setPointing(on);
  }

  function setPointing(on) {
    if (!on && !pointing) return;
    if (on !== pointing) pick(pending.id, on);
    pointing = on;
    form.arm(on ? armedName : null);
    sayWhere();
  }

  function point(ref) {
    if (!form || !armedName) return;
    if (pending.puts_text && pending.targets.includes(armedName) && !takesText(ref)) {
      parts.problem.textContent = `No text can be put into ${plain(describe(ref))}. Point at a field.`;
      return;
    }
    parts.problem.textContent = "";
    form.setTarget(armedName, ref);
    setPointing(false);
  }

  /** What became of pointing in the real page: an element, or its end. */
  function updatePointing({ picking, picked, pick_problem, has_window }) {
    const isNew = picked !== null && picked !== undefined && picked.serial !== pickedSerial;
    pickedSerial = picked?.serial ?? null;
    if (isNew && picked.id === pending?.id) point(picked.ref);
    if (wasPicking && !picking) setPointing(false);
    wasPicking = Boolean(picking);
    if (hasWindow !== Boolean(has_window)) {
      hasWindow = Boolean(has_window);
      sayWhere();
    }
    if (pick_problem && form) parts.problem.textContent = showHidden(pick_problem);
  }

  function reply(kind) {
    parts.mode = kind;
    parts.reply.hidden = kind === null;
    bar.classList.toggle("sbp-replying", kind !== null);
    parts.reject.setAttribute("aria-expanded", String(kind === "reject"));
    parts.respond.setAttribute("aria-expanded", String(kind === "respond"));
    if (kind === null) {
      changed();
      return;
    }
    parts.reason.placeholder =
      kind === "reject" ? "Why not? The agent reads this" : "Answer in the tool's place";
    parts.send.textContent = kind === "reject" ? "Reject" : "Respond";
    parts.send.className = `sbp-button ${kind === "reject" ? "sbp-danger" : "sbp-primary"}`;
    parts.reason.focus();
  }

  function reasonKey(event) {
    if (event.key === "Escape") reply(null);
    else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey)
      answer(parts.mode, { message: parts.reason.value });
  }

  function approveEdited() {
    const { args, valid } = form.read();
    if (valid) answer("edit", { args });
  }

  function answer(kind, more = {}) {
    if (!pending || node.getAttribute("aria-busy") === "true") return;
    if ((kind === "approve" || kind === "edit") && pending.effect === "irreversible" && !confirming) {
      confirming = true;
      const again = kind === "edit" ? parts.edited : parts.approve;
      again.firstChild.textContent = "Yes, do it: this can't be undone";
      again.classList.add("sbp-confirm");
      again.focus({ preventScroll: true });
      return;
    }
    answeredAt = performance.now();
    setBusy(true);
    const always = kind === "approve" ? (parts.always?.value ?? "") : "";
    decide(pending.id, kind, always ? { ...more, always } : more);
  }

  function setBusy(busy) {
    for (const each of [node, bar]) each.setAttribute("aria-busy", String(busy));
    for (const each of parts.buttons ?? []) {
      if (each !== parts.edited || busy) each.disabled = busy;
    }
    if (!busy && form) refresh();
    changed();
  }

  return {
    node,
    bar,
    update(state) {
      const { pending: now, refusal, help_noticed: helpNoticed } = state;
      if (now?.id !== pending?.id || !isBuilt) {
        isBuilt = true;
        const isNext = Boolean(pending);
        pending = now ?? null;
        for (const each of [node, bar]) each.removeAttribute("aria-busy");
        if (pending) build(isNext);
        else buildRest();
      }
      node.setAttribute("aria-label", pending ? "Waiting for you" : "Under way");
      if (pending && parts.noticed) parts.noticed.hidden = !helpNoticed;
      if (pending && refusal?.id === pending.id && refusal.serial !== parts.serial) {
        parts.serial = refusal.serial;
        const lines = parts.code ? refusal.text.split("\n") : [refusal.text];
        parts.problem.replaceChildren(...lines.map((line) => h("div", { text: showHidden(line) })));
        setBusy(false);
      }
      updatePointing(state);
    },
    /** Say what is under way and what it waits for, where nothing waits for the person; "" hides it. */
    rest(going, awaited) {
      if (pending) return;
      node.hidden = !going;
      parts.going.textContent = shorten(going, 300);
      parts.awaited.textContent = waits.textContent = awaited;
    },
    /** Take an element the person pointed at, where the pending call has a target. */
    point,
    /** Point no more; false where the person didn't. */
    stopPointing() {
      if (!pointing) return false;
      setPointing(false);
      return true;
    },
    /** The buttons by their keys; P and E go to the form. */
    get keys() {
      if (!pending || pending.assistance) return {};
      return { A: parts.approve, E: parts.edited, S: parts.skip, R: parts.reject, T: parts.respond };
    },
    /** Put the cursor where the call's arguments are, or, to point, where its target is. */
    edit(pointing) {
      if (parts.code && form?.node.hidden) editCode(true);
      const place = pointing ? node.querySelector(".sbp-point") : node.querySelector(".sbp-form .sbp-input");
      place?.focus({ preventScroll: true });
      if (pointing) place?.click();
    },
    /** The call that waits, in words; empty where none does. */
    get words() {
      if (!pending || pending.assistance) return "";
      return `${phraseOf(pending.tool)} ${parts.targetText.textContent}`.trim();
    },
    get isEdited() {
      return Boolean(form?.read().dirty);
    },
    /** Ctrl+Enter: what is edited, or else as proposed; what is typed as a reason goes out as such. */
    confirm() {
      if (!pending) return;
      if (pending.assistance) parts.confirm();
      else if (parts.mode) answer(parts.mode, { message: parts.reason.value });
      else if (!form.read().dirty) answer("approve");
      else approveEdited();
    },
    redescribe() {
      if (form) describeTarget();
    },
  };
}
