import { createRoot } from "react-dom/client";
import "../common/style.css";
import "./popup.css";
import { Popup } from "./popup";

const connect = chrome.runtime.connect.bind(chrome.runtime) as (info: {
  name: string;
}) => chrome.runtime.Port;
const root = document.getElementById("root");
// Known before it is needed: the panel opens only right after a click.
let windowId: number | undefined;
void chrome.windows.getCurrent().then(({ id }) => {
  windowId = id;
});

function openPanel(): void {
  if (windowId === undefined) return;
  const opened = chrome.sidePanel.open({ windowId });
  opened.then(
    () => window.close(),
    () => chrome.tabs.create({ url: chrome.runtime.getURL("sidepanel.html") }),
  );
}

if (root) createRoot(root).render(<Popup connect={connect} openPanel={openPanel} />);
