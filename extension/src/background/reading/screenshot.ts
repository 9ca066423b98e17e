// Pictures of a page or an element.

import type { ScreenshotParams, ScreenshotResult } from "../../protocol/generated";
import { Failure, messageOf } from "../../shared/errors";
import type { PageCall, Parts } from "../commands/context";
import { hasTrusted } from "../input/action";
import type { Doc } from "../tabs/registry";
import { findTarget, locate, onlyGone } from "../tabs/targets";

/** A tab that is filmed has drawn by then. */
const FILMED_MS = 1_000;
const SMALL = { format: "jpeg", quality: 1, maxWidth: 16, maxHeight: 16 };

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

export async function takeScreenshot(
  parts: Parts,
  call: PageCall,
  params: ScreenshotParams,
): Promise<ScreenshotResult> {
  if (await hasTrusted(parts, call)) return covered(parts, call, () => capture(parts, call, params));
  if (params.full_page || params.ref) {
    const hint = "take a picture of the viewport, or allow trusted input";
    throw new Failure(
      "debugger_unavailable",
      "Only the viewport can be pictured without the debugger.",
      hint,
    );
  }
  return covered(parts, call, () => captureVisible(parts, call, params));
}

/** Take a picture while fields that hold secrets, and texts that tell one, are blank. */
async function covered(
  parts: Parts,
  call: PageCall,
  take: () => Promise<ScreenshotResult>,
): Promise<ScreenshotResult> {
  const docs = await parts.documents.list(call.tab, call.deadline);
  const readable = docs.filter((doc) => doc.problem === null);
  const cover = (doc: Doc): Promise<null> =>
    parts.documents.ask(doc, { op: "cover", on: true, texts: call.meant?.hide ?? [] }, call.deadline);
  try {
    // A document that goes away meanwhile isn't in the picture.
    await Promise.all(readable.map((doc) => cover(doc).catch((error) => onlyGone(call, error))));
    return await take();
  } finally {
    for (const doc of readable) parts.documents.tell(doc, { op: "cover", on: false });
  }
}

async function capture(parts: Parts, call: PageCall, params: ScreenshotParams): Promise<ScreenshotResult> {
  const { tab, deadline } = call;
  const box = params.ref
    ? (await locate(parts, call, await findTarget(parts, call, params.ref), ["visible"])).box
    : null;
  const metrics = await parts.debuggers.send<Metrics>(tab, "Page.getLayoutMetrics", {}, deadline);
  const { pageX, pageY, clientWidth, clientHeight } = metrics.cssVisualViewport;
  const clip: Clip = box
    ? outward({ ...box, x: box.x + pageX, y: box.y + pageY })
    : params.full_page
      ? { x: 0, y: 0, width: metrics.cssContentSize.width, height: metrics.cssContentSize.height }
      : { x: pageX, y: pageY, width: clientWidth, height: clientHeight };
  const behind = !(await parts.tabs.get(tab)).active;
  const whole = box !== null || params.full_page === true;
  const format = params.format ?? "png";
  const quality = format === "jpeg" ? { quality: params.quality ?? 80 } : {};
  const scale = metrics.layoutViewport.clientWidth / metrics.cssLayoutViewport.clientWidth || 1;
  const zoom = Math.min(1, (params.max_width ?? Number.POSITIVE_INFINITY) / (clip.width * scale));
  // Always clipped: without a clip the picture has the scrollbars too, and boxes drawn on it are off.
  const request = { format, ...quality, clip: { ...clip, scale: zoom }, captureBeyondViewport: whole };
  const take = (): Promise<{ data: string }> =>
    parts.debuggers.send(tab, "Page.captureScreenshot", request, deadline);
  const { data } = await (behind ? drawing(parts, call, take) : take());
  const origin: [number, number] = [Math.round(clip.x - pageX), Math.round(clip.y - pageY)];
  const [width, height] = [Math.round(clip.width), Math.round(clip.height)];
  return { data, format, width, height, scale: scale * zoom, origin };
}

/**
 * A tab behind another draws nothing, and a picture would wait for that: it draws while it is filmed. Where that doesn't
 * help either, it comes to the front for a moment.
 */
async function drawing<T>(parts: Parts, { tab, deadline }: PageCall, take: () => Promise<T>): Promise<T> {
  const { tabs, debuggers } = parts;
  const { windowId } = await tabs.get(tab);
  const [front] = await tabs.query({ windowId, active: true });
  let shown: Promise<unknown> | null = null;
  const timer = setTimeout(() => {
    shown = tabs.update(tab, { active: true }).catch(() => undefined);
  }, FILMED_MS);
  try {
    await debuggers.send(tab, "Page.startScreencast", SMALL, deadline);
    return await take();
  } finally {
    clearTimeout(timer);
    await debuggers.send(tab, "Page.stopScreencast", {}, deadline).catch(() => undefined);
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

async function captureVisible(
  parts: Parts,
  call: PageCall,
  params: ScreenshotParams,
): Promise<ScreenshotResult> {
  const tab = await parts.tabs.get(call.tab);
  if (!tab.active) {
    throw new Failure(
      "debugger_unavailable",
      "Only the tab in front can be pictured without the debugger.",
      "switch to it",
    );
  }
  const format = params.format ?? "png";
  const options = { format, ...(params.quality == null ? {} : { quality: params.quality }) };
  const url = await call.deadline.race(parts.tabs.captureVisibleTab(tab.windowId, options)).catch((error) => {
    throw error instanceof Failure ? error : new Failure("page_unreachable", messageOf(error));
  });
  const image = await createImageBitmap(await (await fetch(url)).blob());
  const width = tab.width || image.width;
  const zoom = Math.min(1, (params.max_width ?? image.width) / image.width);
  const data = zoom < 1 ? await scaledDown(image, zoom, params) : url.slice(url.indexOf(",") + 1);
  return {
    data,
    format,
    width,
    height: tab.height || image.height,
    scale: (image.width * zoom) / width,
    origin: [0, 0],
  };
}

async function scaledDown(image: ImageBitmap, zoom: number, params: ScreenshotParams): Promise<string> {
  const canvas = new OffscreenCanvas(Math.round(image.width * zoom), Math.round(image.height * zoom));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const quality = params.quality == null ? {} : { quality: params.quality / 100 };
  const blob = await canvas.convertToBlob({ type: `image/${params.format ?? "png"}`, ...quality });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
