import { createRoot } from "react-dom/client";
import "../common/style.css";
import "./popup.css";
import { Popup } from "./popup";

const connect = chrome.runtime.connect.bind(chrome.runtime) as (info: {
  name: string;
}) => chrome.runtime.Port;
const root = document.getElementById("root");
if (root) createRoot(root).render(<Popup connect={connect} />);
