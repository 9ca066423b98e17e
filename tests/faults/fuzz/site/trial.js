// One trial: elements, one of them the target, a command, and what goes wrong when. All follow from the seed.

const TRIGGERS = ["before", "before", "timer", "timer", "timer", "frame", "mousemove", "over", "focus", "down", "keydown"];
const COMMANDS = {
  button: ["click", "click", "dblclick", "right", "hover", "press", "focus", "drag"],
  link: ["click", "click", "hover", "press", "focus"],
  role: ["click", "dblclick", "hover", "press", "drag"],
  check: ["click", "check", "check", "focus"],
  radio: ["click", "check"],
  field: ["fill", "fill", "type", "type", "click", "press", "focus"],
  area: ["fill", "type", "click"],
  editable: ["fill", "type", "click"],
  select: ["select", "focus"],
};
const FRAMES = ["", "", "", "", "same", "same.inner", "other"];

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const frames = () => [...document.querySelectorAll("#frames > iframe")];
const frameOf = (name) => frames().find((frame) => frame.name === name);

/** Ask the script in a frame; the frame may be of another origin. */
function ask(frame, message) {
  return new Promise((resolve) => {
    const number = Math.random();
    const listen = ({ data }) => {
      if (data?.fuzz !== "answer" || data.number !== number) return;
      removeEventListener("message", listen);
      resolve(data.answer);
    };
    addEventListener("message", listen);
    const send = () => frame.contentWindow?.postMessage({ fuzz: "ask", number, ...message }, "*");
    // A frame that still loads hears nothing: asked again until it answers.
    const timer = setInterval(() => (frame.isConnected ? send() : clearInterval(timer)), 50);
    addEventListener("message", ({ data }) => data?.number === number && clearInterval(timer));
    send();
  });
}

/** Put this document's elements there. */
function rebuild(seed, trial) {
  const random = randomOf(seed);
  for (const extra of document.querySelectorAll(".extra")) extra.remove();
  document.body.removeAttribute("style");
  world.items.clear();
  Object.assign(world, { seed, trial });
  sessionStorage.setItem(`last.${FRAME}`, `${seed} ${trial}`);
  for (const id of ["arena", "frames"])
    if (!document.getElementById(id)) document.body.append(Object.assign(document.createElement("div"), { id }));
  const arena = document.getElementById("arena");
  arena.replaceChildren();
  scrollTo(0, 0);
  world.places = world.fill(arena, random);
  return random;
}

/** The first documents of the trial's frames, where they are missing. */
async function ensureFrames() {
  const port = location.port;
  const wanted = {
    same: `${location.origin}/index.html?frame=same`,
    other: `http://${location.hostname === "localhost" ? "127.0.0.1" : "localhost"}:${port}/index.html?frame=other`,
  };
  const holder = document.querySelector("#frames");
  const names = frames().map((frame) => frame.name).join();
  if (names !== "same,other") {
    const made = Object.entries(wanted).map(([name, src]) =>
      Object.assign(document.createElement("iframe"), { name, src }),
    );
    holder.replaceChildren(...made);
  }
  for (const frame of frames()) frame.removeAttribute("style");
}

/** Choose the target here or in a frame, build what is needed, and say what to do. */
async function build(seed, trial) {
  sessionStorage.log = "";
  const random = rebuild(seed, trial);
  const where = random.pick(FRAMES);
  if (!where) return choose(random, where);
  await ensureFrames();
  const [name, ...rest] = where.split(".");
  if (rest.length) return ask(frameOf(name), { op: "build", seed, trial, where: rest[0] });
  const plan = await ask(frameOf(name), { op: "build", seed, trial, where: "" });
  // Half of the time the frame itself is what changes.
  if (random.next() < 0.4) return { ...plan, where, around: random.pick(Object.keys(AROUND)) };
  return { ...plan, where };
}

function choose(random, where) {
  const target = random.pick(world.places);
  const others = world.places.filter((each) => each !== target && each.getRootNode() === target.getRootNode());
  const id = world.idOf(target);
  const { kind, name } = world.items.get(id);
  world.target = target;
  world.other = random.pick(others);
  const plan = {
    id, kind, name, where,
    command: random.pick(COMMANDS[kind]),
    to: world.items.get(world.idOf(random.pick(others))).name,
    to_id: null,
    mutation: random.pick(Object.keys(MUTATIONS)),
    trigger: random.pick(TRIGGERS),
    delay: random.below(25),
    around: null,
  };
  plan.to_id = [...world.items.values()].find((item) => item.name === plan.to).id;
  world.plan = plan;
  return plan;
}

/** Let the mutation loose, now or when its trigger comes. */
async function arm(plan) {
  if (plan.around) {
    const frame = frameOf(plan.where);
    const change = () => AROUND[plan.around](frame, frames().find((each) => each !== frame));
    return when(plan.trigger, plan.delay, frame, change);
  }
  if (plan.where && FRAME === "") {
    const [name] = plan.where.split(".");
    return ask(frameOf(name), { op: "arm" });
  }
  return mutateWhen(world.plan);
}

function mutateWhen({ mutation, trigger, delay }) {
  const { target, other } = world;
  const random = randomOf(delay + 7);
  when(trigger, delay, target, () => MUTATIONS[mutation](target, other, random));
}

function when(trigger, delay, target, change) {
  const once = (on, type) => on.addEventListener(type, change, { once: true, capture: true });
  const starts = {
    before: change,
    timer: () => setTimeout(change, delay),
    frame: () => requestAnimationFrame(() => (delay % 2 ? requestAnimationFrame(change) : change())),
    mousemove: () => once(window, "mousemove"),
    over: () => once(target, "mouseover"),
    focus: () => once(target, "focusin"),
    down: () => once(target, "mousedown"),
    keydown: () => once(target, "keydown"),
  };
  starts[trigger]();
  return null;
}

/** What happened in this trial. It is kept: an answer may be lost with a document that is being left. */
async function logged(settle) {
  if (settle) await pause(settle);
  return (sessionStorage.log ?? "").split(";").filter(Boolean);
}

const heardAsks = new Set();

addEventListener("message", async ({ data, source }) => {
  if (data?.fuzz !== "ask" || heardAsks.has(data.number)) return;
  heardAsks.add(data.number);
  const answer = (result) =>
    source.postMessage({ fuzz: "answer", number: data.number, answer: result }, "*");
  if (data.op === "arm") {
    if (world.inner) return answer(await ask(document.querySelector("#frames > iframe"), { op: "arm" }));
    return answer(mutateWhen(world.plan) ?? null);
  }
  const random = rebuild(data.seed + 1, data.trial);
  world.inner = data.where === "inner";
  if (!world.inner) return answer(choose(random, FRAME));
  if (!frames().length) {
    const inner = document.createElement("iframe");
    inner.src = `${location.origin}/index.html?frame=inner`;
    document.querySelector("#frames").append(inner);
  }
  const plan = await ask(frames()[0], { op: "build", seed: data.seed, trial: data.trial, where: "" });
  answer({ ...plan, where: "same.inner" });
});

// A document that was loaded anew shows the same names again, on other elements.
const last = sessionStorage.getItem(`last.${FRAME}`);
if (last) rebuild(...last.split(" ").map(Number));
