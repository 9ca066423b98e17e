// Screenshots of a page or an element.

import type { ScreenshotParams, ScreenshotResult } from "../../protocol/generated";
import { Failure, messageOf } from "../../shared/errors";
import { ALIVE_MS, SHOWN_MS } from "../../shared/limits";
import { type CommandContext, callContent, sendCdp } from "../commands/context";
import { pause } from "../deadline";
import { hasTrusted } from "../input/action";
import { ignoreGone } from "../input/guards";
import type { Doc } from "../tabs/registry";
import { findTarget, locate, originIn } from "../tabs/targets";

const SMALL = { format: "jpeg", quality: 1, maxWidth: 16, maxHeight: 16 };

/** Two at once in a tab, each scaled in its way, would show the page in pieces side by side. */
const taking = new Map<number, Promise<unknown>>();

interface View {
  clientWidth: number;
  clientHeight: number;
  pageX: number;
  pageY: number;
}

interface Metrics {
  layoutViewport: View;
  cssLayoutViewport: View;
  cssVisualViewport: View & { scale: number };
  cssContentSize: { width: number; height: number };
}

interface Clip {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Take a screenshot while fields that hold secrets, and texts that contain one, are masked. */
export async function takeScreenshot(
  context: CommandContext,
  params: ScreenshotParams,
): Promise<ScreenshotResult> {
  const isDebugged = await hasTrusted(context);
  if (!isDebugged && params.full_page) {
    const hint = "take a screenshot of the viewport or of an element, or allow trusted input";
    const text = "A screenshot without the debugger can only show what is in view.";
    throw new Failure("debugger_unavailable", text, hint);
  }
  const take = (): Promise<ScreenshotResult> =>
    isDebugged ? capture(context, params) : captureVisible(context, params);
  return oneAtATime(context, () => whileMasked(context, take, params.for_ai ? (params.origins ?? []) : null));
}

async function oneAtATime<T>({ tab, deadline }: CommandContext, take: () => Promise<T>): Promise<T> {
  const before = taking.get(tab) ?? Promise.resolve();
  const next = deadline.race(before).then(take);
  const settled = Promise.allSettled([before, next]);
  taking.set(tab, settled);
  try {
    return await next;
  } finally {
    if (taking.get(tab) === settled) taking.delete(tab);
  }
}

/**
 * Do something while secrets are blank in all documents. For a model, with the `origins` that it may see, what asks not
 * to be used by AI is blank too, and so are frames of other origins.
 */
export async function whileMasked<T>(
  context: CommandContext,
  work: () => Promise<T>,
  origins: readonly string[] | null = null,
): Promise<T> {
  const { documents } = context.services;
  const readable = await documents.readable(context.tab, context.deadline);
  const main = readable.find(({ frameId }) => frameId === 0);
  const shown = new Set([...(origins ?? []), main && originIn(context, main)]);
  const mask = (doc: Doc): Promise<unknown> => {
    const origin = originIn(context, doc);
    const closed = origins !== null && doc !== main && (origin === null || !shown.has(origin));
    const request = { on: true, texts: context.expected?.hide ?? [], forAi: origins !== null, closed };
    return callContent(context, doc, { op: "mask", ...request });
  };
  try {
    // A document that goes away meanwhile isn't in the screenshot.
    await Promise.all(readable.map((doc) => mask(doc).catch((error) => ignoreGone(context, error))));
    return await work();
  } finally {
    for (const doc of readable) documents.post(doc, { op: "mask", on: false });
  }
}

async function capture(context: CommandContext, params: ScreenshotParams): Promise<ScreenshotResult> {
  const box = params.ref
    ? (await locate(context, await findTarget(context, params.ref), ["visible"])).box
    : null;
  const metrics = await sendCdp<Metrics>(context, "Page.getLayoutMetrics");
  const { pageX, pageY, clientWidth, clientHeight } = metrics.cssVisualViewport;
  const clip: Clip = box
    ? outward({ ...box, x: box.x + pageX, y: box.y + pageY })
    : params.full_page
      ? { x: 0, y: 0, width: metrics.cssContentSize.width, height: metrics.cssContentSize.height }
      : { x: pageX, y: pageY, width: clientWidth, height: clientHeight };
  const captureBeyondViewport = box !== null || params.full_page === true;
  const format = params.format ?? "png";
  const quality = format === "jpeg" ? { quality: params.quality ?? 80 } : {};
  const scale = metrics.layoutViewport.clientWidth / metrics.cssLayoutViewport.clientWidth || 1;
  const zoom = Math.min(1, (params.max_width ?? Number.POSITIVE_INFINITY) / (clip.width * scale));
  // Always clipped: without a clip the screenshot has the scrollbars too, and boxes painted on it are off.
  const request = { format, ...quality, clip: { ...clip, scale: zoom }, captureBeyondViewport };
  const take = (): Promise<{ data: string }> => sendCdp(context, "Page.captureScreenshot", request);
  const { active } = await context.services.tabs.get(context.tab);
  const { data } = await (active ? take() : whileRendered(context, take));
  const origin: [number, number] = [Math.round(clip.x - pageX), Math.round(clip.y - pageY)];
  const [width, height] = [Math.round(clip.width), Math.round(clip.height)];
  return { data, format, width, height, scale: scale * zoom, origin };
}

/**
 * A tab behind another renders nothing, and a screenshot would wait for that: it renders while the debugger films it.
 * Where that doesn't help either, it comes to the front for a moment.
 */
async function whileRendered<T>(context: CommandContext, take: () => Promise<T>): Promise<T> {
  const { tabs } = context.services;
  const { windowId } = await tabs.get(context.tab);
  const [front] = await tabs.query({ windowId, active: true });
  let shown: Promise<unknown> | null = null;
  // A tab that is filmed has rendered by then.
  const timer = setTimeout(() => {
    shown = tabs.update(context.tab, { active: true }).catch(() => undefined);
  }, ALIVE_MS);
  try {
    await sendCdp(context, "Page.startScreencast", SMALL);
    return await take();
  } finally {
    clearTimeout(timer);
    await sendCdp(context, "Page.stopScreencast").catch(() => undefined);
    if (shown && front?.id) {
      await shown;
      await tabs.update(front.id, { active: true }).catch(() => undefined);
    }
  }
}

/** Whole pixels around a box. */
function outward(box: Clip): Clip {
  const x = Math.max(0, Math.floor(box.x));
  const y = Math.max(0, Math.floor(box.y));
  return {
    x,
    y,
    width: Math.max(1, Math.ceil(box.x + box.width) - x),
    height: Math.max(1, Math.ceil(box.y + box.height) - y),
  };
}

async function captureVisible(context: CommandContext, params: ScreenshotParams): Promise<ScreenshotResult> {
  const { services, tab: id, deadline } = context;
  const tab = await services.tabs.get(id);
  if (!tab.active) {
    const text = "A screenshot without the debugger can only show the tab in front.";
    throw new Failure("debugger_unavailable", text, "switch to it");
  }
  const box = params.ref
    ? outward((await locate(context, await findTarget(context, params.ref), ["visible"])).box)
    : null;
  const format = params.format ?? "png";
  const options = { format, ...(params.quality == null ? {} : { quality: params.quality }) };
  const take = async (): Promise<string> => {
    try {
      return await deadline.race(services.tabs.captureVisibleTab(tab.windowId, options));
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (!/CAPTURE_VISIBLE_TAB_CALLS/.test(messageOf(error)))
        throw new Failure("page_unreachable", messageOf(error));
      // The browser takes two a second.
      await pause(SHOWN_MS, deadline);
      return take();
    }
  };
  const url = await take();
  const image = await createImageBitmap(await (await fetch(url)).blob());
  const [viewWidth, viewHeight] = [tab.width || image.width, tab.height || image.height];
  const clip = box
    ? clipTo(box, viewWidth, viewHeight)
    : { x: 0, y: 0, width: viewWidth, height: viewHeight };
  const scale = image.width / viewWidth;
  const zoom = Math.min(1, (params.max_width ?? image.width) / (clip.width * scale));
  const whole = box === null && zoom === 1;
  const data = whole ? url.slice(url.indexOf(",") + 1) : await cutOut(image, clip, scale, zoom, params);
  const { x, y, width, height } = clip;
  return { data, format, width, height, scale: scale * zoom, origin: [x, y] };
}

/** The part of a box that is in view. */
function clipTo({ x, y, width, height }: Clip, viewWidth: number, viewHeight: number): Clip {
  const [right, bottom] = [Math.min(x + width, viewWidth), Math.min(y + height, viewHeight)];
  if (right <= x || bottom <= y) throw new Failure("not_actionable", "The element is not in view.");
  return { x, y, width: right - x, height: bottom - y };
}

async function cutOut(
  image: ImageBitmap,
  { x, y, width, height }: Clip,
  scale: number,
  zoom: number,
  params: ScreenshotParams,
): Promise<string> {
  const [wide, high] = [width * scale, height * scale];
  const canvas = new OffscreenCanvas(Math.round(wide * zoom), Math.round(high * zoom));
  canvas
    .getContext("2d")
    ?.drawImage(image, x * scale, y * scale, wide, high, 0, 0, canvas.width, canvas.height);
  const quality = params.quality == null ? {} : { quality: params.quality / 100 };
  const blob = await canvas.convertToBlob({ type: `image/${params.format ?? "png"}`, ...quality });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
