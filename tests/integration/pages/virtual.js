// Lists of which only the rows around those that are seen exist, by each of the ways in which libraries make room for
// the others. `build(kind, count)` puts one into the page; it has no ARIA that tells how many rows there are.

function build(kind, count, height = 30, seen = 300, overscan = 3) {
  const page = kind === "page";
  const body = document.body;
  body.innerHTML = page ? "" : "<h1>People</h1><p>Everybody who works here.</p>";
  const outer = body.appendChild(document.createElement("div"));
  if (!page) outer.style.cssText = `height:${seen}px;width:400px;overflow-y:auto;position:relative`;
  const parts = {
    absolute: () => {
      const inner = outer.appendChild(document.createElement("div"));
      inner.style.cssText = `position:relative;height:${count * height}px`;
      return { holder: inner, tag: "div", at: (row, i) => (row.style.cssText += `;position:absolute;top:${i * height}px`) };
    },
    list: () => {
      const inner = outer.appendChild(document.createElement("ul"));
      inner.style.cssText = `position:relative;margin:0;padding:0;height:${count * height}px`;
      const at = (row, i) => (row.style.cssText += `;position:absolute;transform:translateY(${i * height}px)`);
      return { holder: inner, tag: "li", at };
    },
    moved: () => {
      const spacer = outer.appendChild(document.createElement("div"));
      spacer.style.height = `${count * height}px`;
      const inner = outer.appendChild(document.createElement("div"));
      inner.style.cssText = "position:absolute;top:0;left:0;width:100%";
      return { holder: inner, tag: "div", room: (before) => (inner.style.transform = `translateY(${before}px)`) };
    },
    padded: () => {
      const inner = outer.appendChild(document.createElement("div"));
      const room = (before, after) => (inner.style.padding = `${before}px 0 ${after}px`);
      return { holder: inner, tag: "div", room };
    },
    table: () => {
      outer.innerHTML =
        "<table style='border-spacing:0;width:100%'><thead><tr><th>Name<th>City</thead><tbody></tbody></table>";
      const inner = outer.querySelector("tbody");
      outer.querySelector("thead").style.cssText = "position:sticky;top:0";
      const room = (before, after) => {
        for (const [size, where] of [[before, "afterbegin"], [after, "beforeend"]])
          inner.insertAdjacentHTML(where, `<tr><td colspan=2 style="height:${size}px;padding:0"></td></tr>`);
      };
      return { holder: inner, tag: "tr", room };
    },
    plain: () => ({ ...parts.absolute(), say: (i) => `Person ${i}` }),
    options: () => ({ ...parts.absolute(), tag: "button", say: (i) => `Person ${i}` }),
    page: () => {
      const inner = outer.appendChild(document.createElement("div"));
      inner.style.cssText = `position:relative;height:${count * height}px`;
      return { holder: inner, tag: "div", at: (row, i) => (row.style.cssText += `;position:absolute;top:${i * height}px`) };
    },
  };
  const { holder, tag, at, room, say } = parts[kind]();
  const draw = () => {
    const top = page ? scrollY : outer.scrollTop;
    const high = page ? innerHeight : seen;
    const first = Math.max(Math.floor(top / height) - overscan, 0);
    const last = Math.min(Math.ceil((top + high) / height) + overscan, count);
    holder.replaceChildren();
    for (let i = first; i < last; i++) {
      const row = holder.appendChild(document.createElement(tag));
      row.style.cssText = `height:${height}px;left:0;right:0;box-sizing:border-box;list-style:none`;
      if (say) row.textContent = say(i);
      else
        row.innerHTML =
          tag === "tr" ? `<td>Person ${i}<td>Town ${i % 7}` : `<a href="#${i}">Person ${i}</a> <i>Town ${i % 7}</i>`;
      at?.(row, i);
    }
    room?.(first * height, (count - last) * height);
  };
  (page ? window : outer).addEventListener("scroll", draw);
  draw();
  window.scrollList = (part) => {
    if (page) scrollTo(0, part * (count * height - innerHeight));
    else outer.scrollTop = part * (outer.scrollHeight - seen);
    draw();
  };
}
