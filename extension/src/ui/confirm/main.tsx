import { createRoot } from "react-dom/client";
import "../common/style.css";
import "./confirm.css";
import { Confirm } from "./confirm";

const id = new URLSearchParams(location.search).get("request") ?? "";
const connect = chrome.runtime.connect.bind(chrome.runtime) as (info: {
  name: string;
}) => chrome.runtime.Port;
const close = (): void => window.close();
const root = document.getElementById("root");
if (root) createRoot(root).render(<Confirm id={id} connect={connect} close={close} />);
