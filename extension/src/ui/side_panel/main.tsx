import { createRoot } from "react-dom/client";
import "../common/style.css";
import "./side_panel.css";
import "../panel/panel.css";
import "./start/start.css";
import "./run/run.css";
import "./output/output.css";
import { Failure } from "./failure";
import { KernelClient } from "./kernel_client";
import { SidePanel } from "./side_panel";

const connect = chrome.runtime.connect.bind(chrome.runtime) as (info: {
  name: string;
}) => chrome.runtime.Port;

async function show(root: HTMLElement): Promise<void> {
  const { id } = await chrome.windows.getCurrent();
  const client = new KernelClient(connect, { ui: "watch", window: id });
  createRoot(root).render(
    <Failure>
      <SidePanel client={client} />
    </Failure>,
  );
}

const root = document.getElementById("root");
if (root) void show(root);
