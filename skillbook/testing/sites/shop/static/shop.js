// Dialogs, and two widgets with a shadow root each: one open, one closed.

const sheet = `
  :host { display: inline-flex; align-items: center; gap: .25rem; }
  button { font: inherit; width: 2.2rem; height: 2.2rem; border: 1px solid #d8d0c4; border-radius: .5rem;
           background: #fff; cursor: pointer; }
  button:disabled { opacity: .4; cursor: default; }
  input { font: inherit; width: 3rem; height: 2.2rem; text-align: center; border: 1px solid #d8d0c4;
          border-radius: .5rem; box-sizing: border-box; }
  .star { border: 0; background: none; width: 1.7rem; font-size: 1.3rem; color: #c9bfae; padding: 0; }
  .star.on { color: #c98a1b; }
`;

class QuantityStepper extends HTMLElement {
  static formAssociated = true;
  #internals = this.attachInternals();

  connectedCallback() {
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = `<style>${sheet}</style>
      <button type="button" aria-label="One less">−</button>
      <input type="text" inputmode="numeric" aria-label="Quantity" value="1">
      <button type="button" aria-label="One more">+</button>`;
    const [less, more] = root.querySelectorAll("button");
    const input = root.querySelector("input");
    const most = Math.min(Number(this.getAttribute("max")) || 1, 20);
    const set = (count) => {
      const kept = Math.min(Math.max(Number.isInteger(count) ? count : 1, 1), most);
      input.value = String(kept);
      less.disabled = kept <= 1;
      more.disabled = kept >= most;
      this.#internals.setFormValue(String(kept));
    };
    less.addEventListener("click", () => set(Number(input.value) - 1));
    more.addEventListener("click", () => set(Number(input.value) + 1));
    input.addEventListener("change", () => set(Number(input.value)));
    set(1);
  }
}

class RateIt extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: "closed" });
    const stars = [1, 2, 3, 4, 5].map(
      (n) => `<button type="button" class="star" aria-label="${n} star${n > 1 ? "s" : ""}">★</button>`,
    );
    root.innerHTML = `<style>${sheet}</style>${stars.join("")}<span role="status"></span>`;
    const buttons = [...root.querySelectorAll("button")];
    buttons.forEach((button, index) => {
      button.addEventListener("click", () => {
        buttons.forEach((other, place) => {
          other.classList.toggle("on", place <= index);
        });
        root.querySelector("span").textContent = `You gave ${index + 1} of 5.`;
      });
    });
  }
}

customElements.define("quantity-stepper", QuantityStepper);
customElements.define("rate-it", RateIt);

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.opens) document.getElementById(button.dataset.opens).showModal();
  if ("closes" in button.dataset) button.closest("dialog").close();
  if (button.dataset.removes) {
    const dialog = document.getElementById("removal");
    dialog.querySelector("[name=product]").value = button.dataset.removes;
    dialog.querySelector("[data-name]").textContent = button.dataset.name;
    dialog.showModal();
  }
});
