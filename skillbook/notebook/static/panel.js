// The panel: one widget that shows a run and its page, and takes the person's answers.
// Kernel to panel goes by traits (state, view, shot), panel to kernel by custom messages only.
import { makeCard } from "./card.js";
import { makeInserts, makeVariables } from "./cells.js";
import { makeControls } from "./controls.js";
import { h, onKeydown, takeKeys, targetOf } from "./dom.js";
import { makeGone, markWhenGone } from "./gone.js";
import { makeBeside } from "./lab.js";
import { makeOpen } from "./open.js";
import { makePast } from "./past.js";
import { makePointing } from "./point.js";
import { makeShot } from "./shot.js";
import { makeSteps } from "./steps.js";
import { makeTasks } from "./tasks.js";
import { shorten, showHidden } from "./text.js";
import { makeTree } from "./tree.js";
import { inWords, signOf } from "./words.js";

const STATUSES = {
  idle: "Not started",
  running: "Working",
  waiting: "Waiting for you",
  paused: "Paused",
  assistance: "Needs your help",
  succeeded: "Done",
  question: "Has a question",
  failed: "Failed",
  stopped: "Stopped",
};
const FORECAST_STEPS = 3;
const ENDS = new Set(["succeeded", "failed", "stopped"]);

/** Whoever looks at something else meanwhile learns of the end, where they allowed notifications. */
function notify(text) {
  if (document.hidden && globalThis.Notification?.permission === "granted")
    new Notification("skillbook", { body: showHidden(text) });
}

function dollars(amount) {
  return amount < 0.01 ? `$${amount.toFixed(4)}` : `$${amount.toFixed(2)}`;
}

/** What the next step will probably take, by the last ones: what a model reads grows with the pages, not with time. */
function forecastOf(steps) {
  const counted = steps.map((step) => step.tokens ?? 0).filter(Boolean).slice(-FORECAST_STEPS);
  if (!counted.length) return "";
  const mean = counted.reduce((sum, each) => sum + each, 0) / counted.length;
  return `, a step about ${Number(mean.toPrecision(2)).toLocaleString("en")}`;
}

function factsOf(state) {
  const facts = [];
  if (state.step || state.max_steps)
    facts.push(state.max_steps ? `step ${state.step} / ${state.max_steps}` : `step ${state.step}`);
  // What is left matters where there is a limit, or a list of what is to be done.
  const isPlanned = state.forecast && !ENDS.has(state.status) && (state.budget || state.budget_tokens || state.tasks?.length);
  const limit = state.budget_tokens ? ` of ${state.budget_tokens.toLocaleString("en")}` : "";
  if (state.tokens || limit)
    facts.push(`${(state.tokens ?? 0).toLocaleString("en")}${limit} tokens${isPlanned ? "" : forecastOf(state.steps ?? [])}`);
  const budget = state.budget ? ` of ${dollars(state.budget)}` : "";
  if (state.cost || budget) facts.push(`${dollars(state.cost ?? 0)}${budget}`);
  if (isPlanned) facts.push(state.forecast);
  if (state.progress) facts.push(state.progress);
  if (state.model) facts.push(showHidden(state.model));
  return facts;
}

let panels = 0;

function render({ model, el, isDocked = false }) {
  const beside = isDocked ? null : makeBeside(`panel-${++panels}`, "skillbook run", (into) => render({ model, el: into, isDocked: true }));
  const status = h("span", { class: "sbp-status", role: "status", "aria-live": "polite" });
  const goal = h("h2", { class: "sbp-goal", dir: "auto" });
  const facts = h("div", { class: "sbp-facts" });
  const controls = makeControls((message) => model.send(message));
  const last = h("div", { class: "sbp-last", dir: "auto" });
  const next = h("div", { class: "sbp-next", dir: "auto" });
  const pages = h("bdi", { dir: "ltr" });
  const visited = h("div", { class: "sbp-visited", dir: "rtl", role: "note", "aria-label": "The pages it came over" }, pages);
  const now = h("div", { class: "sbp-now", "aria-live": "polite" }, last, next);
  const result = h("div", { class: "sbp-result", role: "status", tabindex: "0", hidden: true, dir: "auto" });

  const pointing = makePointing(model);
  const tree = makeTree({ hovered: (ref) => hover(ref, "tree"), picked: pick });
  const shot = makeShot({ hovered: (ref) => hover(ref, "shot"), picked: pick, send: (message) => model.send(message) });
  let root = null;
  let hadPointer = false; // whether the person was last here
  const card = makeCard({
    decide: (id, decision, more) => model.send({ type: "decision", id, decision, ...more }),
    describe: (ref) => tree.describe(ref),
    takesText: (ref) => tree.takesText(ref),
    targeted: (ref) => {
      tree.mark("sbp-aim", ref, true);
      shot.mark("sbp-aim", ref);
      pointing.aim(ref);
    },
    useRemoteInput: () => shot.useRemoteInput(),
    pick: (id, on) => model.send({ type: "pick", id, on }),
    changed: () => {
      if (!root) return;
      drawNow(model.get("state"));
      keepKeys();
    },
  });
  const steps = makeSteps({
    opened: (number) => model.send({ type: "step", number }),
    fork: (number) => model.send({ type: "fork", number }),
    look,
  });
  const tasks = makeTasks((message) => model.send({ type: "task", ...message }));
  const open = isDocked ? makeOpen((message) => model.send(message)) : null;
  const past = makePast(look);
  const variables = makeVariables();
  const inserts = makeInserts();
  const gone = makeGone(card.bar, card.node);
  const page = h("div", { class: "sbp-page", hidden: true }, past.node, tree.node, shot.node);
  root = h(
    "div",
    {
      class: "sbp sbp-run",
      role: "region",
      tabindex: "-1",
      "aria-label": "skillbook run",
      "data-lm-suppress-shortcuts": "true",
    },
    h("div", { class: "sbp-header" }, h("div", { class: "sbp-lead" }, status, facts, controls.node, beside?.node), h("div", { class: "sbp-what" }, goal, visited), now),
    gone.node,
    card.bar,
    h("div", { class: "sbp-body" }, h("div", { class: "sbp-side" }, open?.node, tasks.node, result, card.node, variables.node, inserts.node, steps.node), page),
  );

  let wasOver = true;
  let isVisible = false;
  let reported = null;
  let waited = { words: "", tool: "", steps: 0 };

  /** The kernel learns which question the person can read: a cell may answer that one. */
  function reportShown() {
    const id = model.get("state").pending?.id;
    if (!isVisible || document.hidden || !id || id === reported) return;
    reported = id;
    model.send({ type: "shown", id });
  }

  const onScreen = new IntersectionObserver((entries) => {
    isVisible = entries.at(-1).isIntersecting;
    reportShown();
  });

  function look(number) {
    model.send({ type: "look", number });
  }

  function hover(ref, from) {
    tree.mark("sbp-hover", ref, from === "shot");
    shot.mark("sbp-hover", ref);
    if (!past.isShown) pointing.point(ref);
  }

  /** What was on the page before a step can't be pointed at. */
  function pick(ref) {
    if (!past.isShown) card.point(ref);
  }

  function keydown(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      if (!event.repeat && !card.node.inert) card.confirm();
      return;
    }
    if (event.key === "Escape" && (card.stopPointing() || past.leave())) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (targetOf(event).closest("input, textarea, select, [contenteditable]")) return;
    if (press(event.key.toUpperCase())) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** Do what a key stands for; false where it stands for nothing now. */
  function press(key) {
    if (key === "P" || (key === "E" && !card.isEdited)) {
      if (!card.keys.A || card.node.inert) return false;
      card.edit(key === "P");
      return true;
    }
    const button = card.keys[key] ?? controls.keys[key];
    if (!button || button.hidden || button.disabled || button.closest("[inert]")) return false;
    button.click();
    return true;
  }

  function notePlace(event) {
    hadPointer = event.composedPath().includes(root);
  }

  /** A button that had the focus is gone or disabled by now: the keys stay here, where the person was last. */
  function keepKeys() {
    if (!hadPointer || shot.takesKeys) return;
    const inside = root.getRootNode().activeElement;
    const isLost = root.contains(inside)
      ? inside !== root && (inside.disabled || !inside.checkVisibility())
      : !inside || inside === document.body;
    if (isLost) root.focus({ preventScroll: true });
  }

  /** Two lines that stay in their place: what came last, and what waits or is under way. */
  function drawNow(state) {
    const step = state.steps?.at(-1);
    const said = step ? `${signOf(step)} ${step.number} ${step.outcome || step.tool}` : "Nothing was done yet";
    last.textContent = shorten(showHidden(said.replaceAll("\n", " ")), 220);
    last.classList.toggle("sbp-bad", Boolean(step && !step.ok && !step.declined));
    if (state.pending) waited = { words: card.words, tool: state.pending.tool, steps: state.steps?.length ?? 0 };
    const isSame = !state.under_way || state.under_way.split(" ")[0] === waited.tool;
    const isUnderWay = waited.words && isSame && waited.steps === (state.steps?.length ?? 0);
    const going = isUnderWay ? waited.words : inWords(state.under_way ?? "");
    const under = going ? `Under way: ${going}` : "The agent thinks";
    next.textContent = shorten(state.status === "running" ? under : card.words && `Next: ${card.words}`, 220);
    for (const line of [last, next]) line.title = line.textContent;
    drawRest(state, going);
  }

  /** What is under way where nobody is asked, what it waits for, and for how long. */
  function drawRest(state, going) {
    if (state.status === "idle") card.rest("Not started yet", "Go on, or run.start(), starts it.");
    else if (state.status === "paused") card.rest("Paused", "Go on takes the next step.");
    else if (state.status !== "running") card.rest("", "");
    else {
      const seconds = state.since ? ` · ${Math.max(0, Math.round(Date.now() / 1000 - state.since))} s` : "";
      const awaited = going ? "Waiting for the page" : "Waiting for the model's answer";
      card.rest(going || "The agent thinks", awaited + seconds);
    }
  }

  function drawState() {
    const state = model.get("state");
    if (!state.status) return;
    const shown = state.pending?.assistance === "question" ? "question" : state.status;
    root.dataset.status = state.gone ? "gone" : shown;
    status.textContent = state.gone ? "Page gone" : (STATUSES[shown] ?? shown);
    gone.update(state.gone);
    goal.textContent = goal.title = showHidden(state.goal);
    const known = factsOf(state);
    facts.replaceChildren(...known.map((text) => h("span", { text })));
    facts.title = known.join("\n");
    pages.textContent = visited.title = showHidden(state.visited ?? "");
    visited.hidden = !state.visited;
    controls.update(state.status);
    const isOver = ENDS.has(state.status);
    const words = [state.origin, state.status === "succeeded" ? "" : state.warning, isOver ? state.notice : "", state.error || state.result].filter(Boolean).join("\n");
    result.hidden = !words;
    result.classList.toggle("sbp-bad", Boolean(state.error));
    result.replaceChildren(...(words ?? "").split("\n").map((line) => h("div", { text: showHidden(line) })));
    steps.update(state.steps ?? [], model.get("details"), state.status !== "running");
    tasks.update(state.tasks ?? [], isOver, state.pending?.tool === "plan");
    if (isOver && !wasOver && state.notice) notify(state.notice);
    wasOver = isOver;
    shot.updateRemoteInput(state);
    past.update(state.past);
    card.update(state);
    variables.update(state.variables ?? []);
    inserts.update(state.cells ?? [], state.save ?? "");
    markPast(state.past);
    drawNow(state);
    keepKeys();
    reportShown();
  }

  /** While a step is looked at, its target is marked, not that of the call that waits. */
  function markPast(step) {
    root.classList.toggle("sbp-in-past", Boolean(step));
    shot.still(step ? steps.pictureAfter(step.number - 1) : null);
    if (step) tree.mark("sbp-aim", step.target, true);
    else card.redescribe();
  }

  /** The steps that left the page as it is shown; none where that isn't sure, as while a call is under way. */
  function stepsThatLeft(view, made) {
    const left = made.filter((each) => each.after && each.after === view.key).map((each) => each.number);
    const last = made.at(-1);
    if (left.length || !last || steps.pictureAfter(last.number)) return left;
    // The page that it left may have changed by itself since, but it is still the same document.
    const isSame = documentOf(last.after) === documentOf(view.key);
    return isSame && model.get("state").status !== "running" ? [last.number] : [];
  }

  function documentOf(key) {
    return (key ?? "").split(" ")[0];
  }

  function drawPage() {
    const view = model.get("view");
    page.hidden = !view.rows;
    if (!view.rows) return;
    tree.update(view);
    shot.update(view, model.get("shot"));
    const { past: step, steps: made } = model.get("state");
    markPast(step);
    const numbers = step ? [] : stepsThatLeft(view, made ?? []);
    if (numbers.length)
      shot.thumbnail().then((source) => {
        for (const number of numbers) steps.picture(number, source);
      });
  }

  const ticking = setInterval(() => model.get("state").status === "running" && drawNow(model.get("state")), 1000);
  for (const kind of ["pointerdown", "focusin"]) document.addEventListener(kind, notePlace, true);
  onKeydown(root, keydown);
  const giveKeysBack = takeKeys(root);
  model.on("change:state", drawState);
  model.on("change:details", drawState);
  model.on("change:view", drawPage);
  model.on("change:shot", drawPage);
  const drawOpen = () => open?.update(model.get("listed"));
  model.on("change:listed", drawOpen);
  if (open) model.send({ type: "list_open" });
  drawOpen();
  drawPage();
  drawState();
  el.append(root);
  onScreen.observe(card.node);
  document.addEventListener("visibilitychange", reportShown);
  const unmark = markWhenGone(model, root);
  beside?.remember();
  return () => {
    beside?.end();
    onScreen.disconnect();
    document.removeEventListener("visibilitychange", reportShown);
    clearInterval(ticking);
    for (const kind of ["pointerdown", "focusin"]) document.removeEventListener(kind, notePlace, true);
    unmark();
    giveKeysBack();
    model.off("change:state", drawState);
    model.off("change:details", drawState);
    model.off("change:view", drawPage);
    model.off("change:shot", drawPage);
    pointing.end();
    shot.destroy();
  };
}

export default { render };
