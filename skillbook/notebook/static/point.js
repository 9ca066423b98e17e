// What the mouse is over is outlined in the real page too.

const REST_MS = 60; // a mouse that passes over many elements points at none of them

/** Tell the kernel what the person points at: `point(ref or null)`, and `end()` when the widget goes. */
export function makePointing(model) {
  let told = null;
  let timer = 0;

  function tell(ref) {
    clearTimeout(timer);
    if (ref === told) return;
    told = ref;
    model.send({ type: "point", ref });
  }

  return {
    point(ref) {
      clearTimeout(timer);
      timer = setTimeout(() => tell(ref), REST_MS);
    },
    end: () => tell(null),
  };
}
