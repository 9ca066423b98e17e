// The chat: of the chats only those in view are in the page; of the messages the newest, and older ones above them
// once somebody scrolls there.

const ROW = 68;
const BEYOND = 3;
const NEAR = 80;
const find = (selector) => document.querySelector(selector);
const isReverse = find("main").dataset.layout === "reverse";
const chatsBox = find("#chats");
const chatList = chatsBox.firstElementChild;
const messagesBox = find("#messages");
const messageList = messagesBox.firstElementChild;
let chats = [];
let open = null;
let older = 0;
let isLoading = false;

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function timeOf(at) {
  const made = make("time", "", at.slice(11));
  made.dateTime = at;
  made.title = at.replace("T", " ");
  return made;
}

// --- the list of chats ---------------------------------------------------------------------

function wanted() {
  const words = find("input[type=search]").value.trim().toLowerCase();
  return chats.filter(({ name }) => name.toLowerCase().includes(words));
}

function drawChats() {
  const shown = wanted();
  const first = Math.max(0, Math.floor(chatsBox.scrollTop / ROW) - BEYOND);
  const last = Math.min(shown.length, Math.ceil((chatsBox.scrollTop + chatsBox.clientHeight) / ROW) + BEYOND);
  chatList.style.height = `${shown.length * ROW}px`;
  chatList.replaceChildren(
    ...shown.slice(first, last).map((chat, at) => chatItem(chat, first + at, shown.length)),
  );
}

function chatItem(chat, at, count) {
  const item = make("div", "chat");
  item.setAttribute("role", "listitem");
  item.setAttribute("aria-label", chat.name);
  item.setAttribute("aria-posinset", at + 1);
  item.setAttribute("aria-setsize", count);
  item.tabIndex = 0;
  item.style.transform = `translateY(${at * ROW}px)`;
  if (open && open.number === chat.number) item.setAttribute("aria-current", "true");
  const name = make("span", "name", chat.name);
  name.dir = "auto";
  const last = make("span", "last", chat.last);
  last.dir = "auto";
  item.append(name, timeOf(chat.at), last);
  if (chat.unread) {
    const unread = make("span", "unread", chat.unread);
    unread.setAttribute("aria-label", `${chat.unread} unread`);
    item.append(unread);
  }
  item.addEventListener("click", () => openChat(chat));
  item.addEventListener("keydown", (event) => event.key === "Enter" && openChat(chat));
  return item;
}

// --- the messages ----------------------------------------------------------------------------

async function openChat(chat) {
  open = chat;
  chat.unread = 0;
  drawChats();
  find("#hint").hidden = true;
  const section = find("section");
  section.hidden = false;
  section.querySelector("h2").textContent = chat.name;
  messageList.replaceChildren();
  older = 0;
  await load(chat);
  messagesBox.scrollTop = isReverse ? 0 : messagesBox.scrollHeight;
}

async function load(chat, before = 0) {
  isLoading = true;
  messageList.setAttribute("aria-busy", "true");
  const answer = await fetch(`/api/chats/${chat.number}/messages?before=${before}`);
  const { messages, older: left } = await answer.json();
  if (open !== chat) return;
  const height = messagesBox.scrollHeight;
  const items = messages.map(messageItem);
  if (isReverse) messageList.append(...items.reverse());
  else {
    messageList.prepend(...items);
    messagesBox.scrollTop += messagesBox.scrollHeight - height;
  }
  older = left;
  messageList.removeAttribute("aria-busy");
  isLoading = false;
}

function messageItem({ number, by, at, text, file }) {
  const item = make("div", by ? "message in" : "message out");
  item.setAttribute("role", "listitem");
  item.dataset.number = number;
  const said = make("span", "text", text);
  said.dir = "auto";
  item.append(make("span", "by", by || "You"), said);
  if (file) {
    const link = make("a", "file", file);
    link.href = `/files/${file}`;
    item.append(link);
  }
  item.append(timeOf(at));
  return item;
}

function isAtOldest() {
  const { scrollTop, scrollHeight, clientHeight } = messagesBox;
  return isReverse ? scrollHeight - clientHeight + scrollTop < NEAR : scrollTop < NEAR;
}

messagesBox.addEventListener("scroll", () => {
  if (!open || isLoading || !older || !isAtOldest()) return;
  const oldest = isReverse ? messageList.lastElementChild : messageList.firstElementChild;
  void load(open, Number(oldest.dataset.number));
});

// --- writing ------------------------------------------------------------------------------------

async function send(text) {
  const chat = open;
  const body = new URLSearchParams({ text });
  const answer = await fetch(`/api/chats/${chat.number}/messages`, { method: "POST", body });
  if (!answer.ok) return false;
  const message = await answer.json();
  if (isReverse) messageList.prepend(messageItem(message));
  else messageList.append(messageItem(message));
  messagesBox.scrollTop = isReverse ? 0 : messagesBox.scrollHeight;
  chat.last = message.text;
  chat.at = message.at;
  chats = [chat, ...chats.filter((each) => each !== chat)];
  drawChats();
  return true;
}

class Composer extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: "open" });
    const style = make("style", "", STYLE);
    const field = make("div", "field");
    field.contentEditable = "true";
    field.setAttribute("role", "textbox");
    field.setAttribute("aria-multiline", "true");
    field.setAttribute("aria-label", "Type a message");
    const button = make("button", "", "➤");
    button.setAttribute("aria-label", "Send");
    const go = async () => {
      const text = field.innerText.trim();
      if (text && (await send(text))) field.replaceChildren();
      field.focus();
    };
    button.addEventListener("click", go);
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey) return;
      event.preventDefault();
      void go();
    });
    root.append(style, field, button);
  }
}

const STYLE = `:host { display: flex; gap: 8px; padding: 10px; border-top: 1px solid var(--line); }
.field { flex: 1; min-height: 22px; max-height: 120px; overflow: auto; padding: 8px 12px; border-radius: 18px;
  border: 1px solid var(--line); outline-offset: 1px; white-space: pre-wrap; overflow-wrap: anywhere; }
button { width: 40px; height: 40px; border: 0; border-radius: 50%; background: var(--mark); color: #fff; }`;
customElements.define("chat-composer", Composer);

chatsBox.addEventListener("scroll", () => requestAnimationFrame(drawChats));
addEventListener("resize", drawChats);
find("input[type=search]").addEventListener("input", () => {
  chatsBox.scrollTop = 0;
  drawChats();
});

fetch("/api/chats")
  .then((answer) => answer.json())
  .then((found) => {
    chats = found;
    drawChats();
  });
