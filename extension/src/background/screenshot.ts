// Pictures of a page or an element.

import type { ScreenshotParams, ScreenshotResult } from "../protocol/generated";
import { Failure, messageOf } from "../shared/errors";
import { hasTrusted } from "./act";
import type { PageCall, Parts } from "./context";
import { findTarget, locate } from "./targets";

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
  if (await hasTrusted(parts, call)) return capture(parts, call, params);
  if (params.full_page || params.ref) {
    const hint = "take a picture of the viewport, or allow trusted input";
    throw new Failure(
      "debugger_unavailable",
      "Only the viewport can be pictured without the debugger.",
      hint,
    );
  }
  return captureVisible(parts, call, params);
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
  const whole = box !== null || params.full_page === true;
  const format = params.format ?? "png";
  const quality = format === "jpeg" ? { quality: params.quality ?? 80 } : {};
  // Always clipped: without a clip the picture has the scrollbars too, and boxes drawn on it are off.
  const request = { format, ...quality, clip: { ...clip, scale: 1 }, captureBeyondViewport: whole };
  const { data } = await parts.debuggers.send<{ data: string }>(
    tab,
    "Page.captureScreenshot",
    request,
    deadline,
  );
  const scale = metrics.layoutViewport.clientWidth / metrics.cssLayoutViewport.clientWidth || 1;
  const origin: [number, number] = [Math.round(clip.x - pageX), Math.round(clip.y - pageY)];
  return { data, format, width: Math.round(clip.width), height: Math.round(clip.height), scale, origin };
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
  const data = url.slice(url.indexOf(",") + 1);
  return {
    data,
    format,
    width,
    height: tab.height || image.height,
    scale: image.width / width,
    origin: [0, 0],
  };
}
