// The screenshot with a numbered box over each element.
import { h } from "./dom.js";
import { makeRemoteInput } from "./remote_input.js";
import { shorten, showHidden } from "./text.js";

const MAX_BOXES = 400;
const SMALL_PX = 14;
const THUMBNAIL_PX = 480;
const NO_SHOT = "No screenshot of the page yet";

/** Make the screenshot. Callbacks: `hovered(ref or null)`, `picked(ref)`, `send(message)` to the kernel. */
export function makeShot({ hovered, picked, send }) {
  let size = { width: 1, height: 1, origin: [0, 0] };
  let source = "";
  let bytes = null;
  const boxes = new Map();
  let aimed = null;
  const image = h("img", { alt: "Screenshot of the page", draggable: "false" });
  const layer = h("div", { class: "sbp-boxes" });
  const frame = h("div", { class: "sbp-shot" }, image, layer);
  const empty = h("div", { class: "sbp-empty", text: NO_SHOT });
  const still = h("img", { class: "sbp-still", alt: "The page then", hidden: true });
  const address = h("div", { class: "sbp-address", dir: "ltr" });
  const device = h("span", { class: "sbp-device" });
  const zoom = h("button", {
    type: "button",
    class: "sbp-button sbp-quiet sbp-zoom",
    text: "⤢",
    title: "Show the screenshot larger, without the tree",
    "aria-label": "Larger screenshot",
    "aria-pressed": "false",
    on: {
      click: () => widen(),
    },
  });
  const boxed = h("button", {
    type: "button",
    class: "sbp-button sbp-quiet sbp-zoom",
    text: "①",
    title: "Number the elements on the screenshot",
    "aria-label": "Numbered boxes",
    "aria-pressed": "true",
    on: {
      click: () => boxed.setAttribute("aria-pressed", String(!layer.classList.toggle("sbp-plain"))),
    },
  });
  const remoteInput = makeRemoteInput({
    frame,
    send,
    placeOf: ({ clientX, clientY }) => {
      const shown = frame.getBoundingClientRect();
      return {
        x: size.origin[0] + ((clientX - shown.left) / shown.width) * size.width,
        y: size.origin[1] + ((clientY - shown.top) / shown.height) * size.height,
      };
    },
    changed: (on) => {
      hovered(null);
      widen(on);
    },
  });
  const node = h(
    "section",
    { class: "sbp-pane sbp-view", "aria-label": "Screenshot" },
    h("div", { class: "sbp-bar" }, h("span", { class: "sbp-dots", "aria-hidden": "true" }), address, device, remoteInput.shown, remoteInput.toggle, boxed, zoom),
    remoteInput.hint,
    empty,
    still,
    frame,
  );

  const refOf = (event) => event.target.closest?.("[data-ref]")?.dataset.ref ?? null;
  layer.addEventListener("mouseover", (event) => hovered(refOf(event)));
  layer.addEventListener("mouseleave", () => hovered(null));
  layer.addEventListener("click", (event) => refOf(event) && picked(refOf(event)));

  function widen(wanted) {
    const wide = node.parentElement.classList.toggle("sbp-wide", wanted);
    zoom.setAttribute("aria-pressed", String(wide));
  }

  function drawBoxes(view) {
    const { width, height, origin } = view.shot;
    const placed = [];
    for (const [ref, role, name, , , actionable, box] of view.rows) {
      if (!(actionable & 1) || !box || !ref) continue;
      const left = Math.max(box[0] - origin[0], 0);
      const top = Math.max(box[1] - origin[1], 0);
      const wide = Math.min(box[0] - origin[0] + box[2], width) - left;
      const high = Math.min(box[1] - origin[1] + box[3], height) - top;
      if (wide <= 0 || high <= 0) continue;
      placed.push({
        ref,
        title: `${role} ${shorten(showHidden(name), 120)}`,
        left,
        top,
        wide,
        high,
        area: wide * high,
      });
    }
    placed.sort((a, b) => b.area - a.area);
    boxes.clear();
    const shown = placed.filter((each, index) => index >= placed.length - MAX_BOXES || each.ref === aimed);
    for (const { ref, title, left, top, wide, high } of shown) {
      const style = `left:${(100 * left) / width}%;top:${(100 * top) / height}%;width:${(100 * wide) / width}%;height:${(100 * high) / height}%`;
      const small = high < SMALL_PX || wide < SMALL_PX * 2;
      boxes.set(
        ref,
        h(
          "div",
          {
            class: `sbp-box${small ? " sbp-small" : ""}${top < SMALL_PX ? " sbp-inside" : ""}`,
            style,
            title,
            "data-ref": ref,
          },
          h("span", { text: ref }),
        ),
      );
    }
    layer.replaceChildren(...boxes.values());
  }

  return {
    node,
    update(view, data) {
      address.textContent = showHidden(view.url ?? "");
      address.title = showHidden(view.title ?? "");
      device.textContent = device.title = view.shown_as ? `as on ${showHidden(view.shown_as)}` : "";
      const has = Boolean(view.shot && data?.byteLength);
      frame.hidden = !has;
      empty.hidden = has;
      if (!has) return;
      if (data !== bytes) {
        bytes = data;
        const old = source;
        source = URL.createObjectURL(new Blob([data], { type: `image/${view.shot.format}` }));
        image.src = source;
        if (old) URL.revokeObjectURL(old);
      }
      size = view.shot;
      frame.style.aspectRatio = `${view.shot.width} / ${view.shot.height}`;
      drawBoxes(view);
    },
    /** Show a small picture of the page as it was; "" where there is none, null to show the page as it is. */
    still(picture) {
      still.hidden = !picture;
      if (picture) still.src = picture;
      empty.hidden = !still.hidden || !frame.hidden;
      empty.textContent = picture === "" ? "There is no picture of the page as it was then" : NO_SHOT;
    },
    mark(name, ref) {
      if (name === "sbp-aim") aimed = ref;
      layer.querySelector(`.${name}`)?.classList.remove(name);
      boxes.get(ref)?.classList.add(name);
    },
    /** Say what of the person's input did not arrive, and whether there is a window for it. */
    updateRemoteInput: (state) => remoteInput.update(state),
    useRemoteInput: () => remoteInput.set(true),
    get takesKeys() {
      return remoteInput.isOn;
    },
    /** A small picture of what is shown now, as an address; "" where nothing is. */
    async thumbnail() {
      if (frame.hidden) return "";
      try {
        await image.decode();
      } catch {
        return "";
      }
      const canvas = h("canvas", {});
      canvas.width = Math.min(THUMBNAIL_PX, image.naturalWidth);
      canvas.height = Math.round((canvas.width * image.naturalHeight) / image.naturalWidth);
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      return canvas.toDataURL("image/jpeg", 0.7);
    },
    destroy() {
      remoteInput.destroy();
      if (source) URL.revokeObjectURL(source);
    },
  };
}
