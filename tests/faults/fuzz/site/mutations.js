// What happens to the page between a snapshot and an action. Each is given the target's element, another element of
// its document, and random numbers.

/** Something that fills the window in front of everything, and tells what reaches it. */
function cover(style, kind = "role") {
  const element = world.make(kind, "Cover");
  element.classList.add("extra");
  element.style.cssText = `position:fixed; z-index:99; opacity:0.01; ${style}`;
  return element;
}

function over(target, margin = 0) {
  const { left, top, width, height } = target.getBoundingClientRect();
  const box = `left:${left - margin}px; top:${top - margin}px; width:${width + 2 * margin}px;`;
  return `${box} height:${height + 2 * margin}px;`;
}

function swap(first, second) {
  const mark = document.createComment("");
  first.before(mark);
  second.replaceWith(first);
  mark.replaceWith(second);
}

/** Draw a box's contents anew, as frameworks without keys do. */
function redraw(target, shuffle, random) {
  const parent = target.parentNode;
  const twins = [...parent.children].filter((each) => world.idOf(each)).map((each) => world.twin(each));
  if (shuffle) twins.sort(() => random.next() - 0.5);
  parent.replaceChildren(...twins);
}

const MUTATIONS = {
  nothing() {},
  remove: (target) => target.remove(),
  replace: (target) => target.replaceWith(world.twin(target)),
  redraw: (target, _, random) => redraw(target, false, random),
  shuffle: (target, _, random) => redraw(target, true, random),
  shift: (target) => target.before(world.twin(target)),
  prepend: (target) => target.parentNode.prepend(world.make("button", "New"), world.make("button", "Newer")),
  swap: (target, other) => swap(target, other),
  move: (target, other) => other.after(target),
  rename(target, other) {
    for (const name of ["aria-label", "id", "class", "title"]) {
      const [mine, theirs] = [target.getAttribute(name), other.getAttribute(name)];
      if (theirs !== null) target.setAttribute(name, theirs);
      if (mine !== null) other.setAttribute(name, mine);
    }
    const texts = [target, other].every((each) => each.firstChild?.nodeType === 3 && !each.children.length);
    if (texts) [target.textContent, other.textContent] = [other.textContent, target.textContent];
  },
  overlay: () => document.body.append(cover("inset:0;")),
  cover: (target) => document.body.append(cover(over(target), "button")),
  cover_wide: (target) => document.body.append(cover(over(target, 40), "link")),
  cover_editable: (target) => document.body.append(cover(over(target), "field")),
  hide(target, other) {
    target.style.display = "none";
    target.parentNode.insertBefore(world.twin(target), target);
    other.style.visibility = "hidden";
  },
  disable(target) {
    target.disabled = true;
    target.setAttribute("aria-disabled", "true");
  },
  inert: (target) => target.parentNode instanceof Element && target.parentNode.setAttribute("inert", ""),
  untouchable: (target) => {
    target.style.pointerEvents = "none";
    target.after(cover(`${over(target)} z-index:-1;`));
  },
  slide(target, other) {
    for (const [each, by] of [[target, 90], [other, -90]]) {
      each.style.transition = "transform 80ms linear";
      each.style.transform = `translate(${by}px, ${by / 3}px)`;
    }
  },
  jump: (target) => target.style.setProperty("transform", "translate(60px, 40px)"),
  zoom: () => document.body.style.setProperty("zoom", "1.3"),
  grow: () => {
    const block = document.createElement("div");
    block.className = "extra";
    block.style.height = "37px";
    document.body.prepend(block);
  },
  scroll: () => {
    document.body.style.paddingBottom = "3000px";
    scrollBy(0, 60);
  },
  dialog() {
    const dialog = document.createElement("dialog");
    dialog.className = "extra";
    dialog.append(world.make("button", "In the dialog"));
    document.body.append(dialog);
    dialog.showModal();
  },
  popover(target) {
    const popover = document.createElement("div");
    popover.popover = "manual";
    popover.className = "extra";
    popover.style.cssText = `margin:0; padding:0; inset:auto; ${over(target, 10)}`;
    popover.append(world.make("button", "In the popover"));
    document.body.append(popover);
    popover.showPopover();
  },
  steal: (_, other) => other.focus(),
  blur: (target) => target.blur(),
  advance(target, other) {
    target.addEventListener("input", () => other.focus(), { once: true });
  },
  reattach(target) {
    const [parent, next] = [target.parentNode, target.nextSibling];
    target.remove();
    requestAnimationFrame(() => parent.insertBefore(target, next));
  },
  wrap(target) {
    const button = world.make("role", "Wrapper");
    button.classList.add("extra");
    target.replaceWith(button);
    button.append(target);
  },
  relabel(target, other) {
    for (const [number, each] of [target, other].entries()) each.id = `control-${number}`;
    const label = Object.assign(document.createElement("label"), { htmlFor: "control-1", className: "extra" });
    label.style.cssText = `position:fixed; z-index:9; ${over(target)}`;
    document.body.append(label);
  },
  push_state: (_, __, random) => history.pushState(null, "", `#${random.below(99)}`),
  replace_state: (_, __, random) => history.replaceState(null, "", `?frame=${FRAME}&x=${random.below(99)}`),
  navigate: () => location.assign(`?frame=${FRAME}&again`),
  reload: () => location.reload(),
  rewrite(target) {
    // The whole body anew, in the same document.
    const twins = document.body.cloneNode(false);
    twins.append(world.twin(target));
    document.documentElement.replaceChild(twins, document.body);
  },
};

/** Mutations of the document around a frame: given the frame, and another. */
const AROUND = {
  frame_reload: (frame) => frame.contentWindow.location.replace(frame.src),
  frame_remove: (frame) => frame.remove(),
  frame_swap: (frame, other) => swap(frame, other),
  frame_cover: (frame) => document.body.append(cover(over(frame))),
  frame_jump: (frame) => frame.style.setProperty("transform", "translate(30px, 20px)"),
  frame_above(frame, other) {
    other.style.cssText = `position:fixed; z-index:5; ${over(frame)}`;
  },
};
