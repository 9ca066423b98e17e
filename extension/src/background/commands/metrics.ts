// What the browser has measured of a tab's page.

import type { MetricsResult } from "../../protocol/generated";
import { type CommandContext, callContent, sendCdp } from "./context";

const NAMES: Record<string, "nodes" | "heap" | "layouts" | "styles"> = {
  Nodes: "nodes",
  JSHeapUsedSize: "heap",
  LayoutCount: "layouts",
  RecalcStyleCount: "styles",
};

export async function measurePage(context: CommandContext): Promise<MetricsResult> {
  const { services, tab, deadline } = context;
  await sendCdp(context, "Performance.enable");
  const measured = await sendCdp<{ metrics: { name: string; value: number }[] }>(
    context,
    "Performance.getMetrics",
  );
  const vitals = await callContent(context, await services.documents.main(tab, deadline), {
    op: "web_vitals",
  });
  const known = measured.metrics.flatMap(({ name, value }) => (NAMES[name] ? [[NAMES[name], value]] : []));
  return { ...vitals, ...Object.fromEntries(known) };
}
