// What fades, slides or folds away: it is still there, and another element takes its place in a moment.

import { LONGEST_MS } from "../../../shared/limits";
import * as dom from "../tree/dom";
import type { FlatTree } from "../tree/flat_tree";

const NOTHING = /^(?:0|0px|0%|0fr)$/;
const UNMOVED =
  /^(?:none|matrix\(1, 0, 0, 1, 0, 0\)|translate(?:3d|X|Y)?\((?:0(?:px|%)?(?:, )?)+\)|scale\(1\)|)$/;

/** Whether an element leaves with what it is in; `isInside` says whether one element is, or is in, another. */
export function leaves(element: Element, isInside: (inner: Element, outer: Element) => boolean): boolean {
  return leavingIn(dom.get(element, "ownerDocument")).some((one) => isInside(element, one));
}

/**
 * How far what an element is in has faded or folded, where a script does that by the style of the moment. One look says
 * nothing yet; what is less at the next frame is on its way out.
 */
export function scriptedSizes(flat: FlatTree, element: Element): Map<Element, number> {
  const found = new Map<Element, number>();
  for (let at: Element | null = element; at; at = flat.parent(at)) {
    const { style } = at as HTMLElement;
    if (!style || !dom.getAttribute(at, "style")) continue;
    const opacity = Number.parseFloat(style.opacity);
    const height = style.overflow === "hidden" ? Number.parseFloat(style.height) : Number.NaN;
    if (opacity > 0 && opacity < 1) found.set(at, opacity);
    else if (height > 0) found.set(at, height);
  }
  return found;
}

function leavingIn(document: Document): Element[] {
  const found: Element[] = [];
  for (const animation of dom.call(document, "getAnimations")) {
    const effect = animation.effect as KeyframeEffect | null;
    if (animation.playState !== "running" || !effect?.target || effect.pseudoElement) continue;
    if (endsAway(animation, effect)) found.push(effect.target);
  }
  return found;
}

function endsAway(animation: Animation, effect: KeyframeEffect): boolean {
  const { endTime, direction, iterations = 1 } = effect.getComputedTiming();
  const left = Number(endTime) - Number(animation.currentTime ?? 0);
  // What takes longer is no way to leave: a bar that shrinks until a message goes.
  if (!Number.isFinite(left) || left > LONGEST_MS) return false;
  const frames = effect.getKeyframes();
  const turns = direction === "alternate" ? iterations % 2 === 0 : direction !== "normal";
  if (turns !== animation.playbackRate < 0) frames.reverse();
  const [first, last] = [frames[0], frames[frames.length - 1]];
  if (!first || !last || first === last) return false;
  const ends = (name: string, value: RegExp): boolean => {
    const [from, to] = [first[name], last[name]];
    return to != null && value.test(String(to)) && !(from != null && value.test(String(from)));
  };
  const isGone = ["opacity", "height", "maxHeight", "gridTemplateRows", "scale"].some((name) =>
    ends(name, NOTHING),
  );
  return isGone || ends("visibility", /hidden|collapse/) || movesOff(first, last);
}

/** Whether an element leaves its place, rather than comes to it. */
function movesOff(first: ComputedKeyframe, last: ComputedKeyframe): boolean {
  return ["transform", "translate"].some((name) => {
    const [from, to] = [first[name], last[name]];
    return to != null && UNMOVED.test(String(from ?? "")) && !UNMOVED.test(String(to));
  });
}
