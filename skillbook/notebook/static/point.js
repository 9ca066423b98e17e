// What the mouse is over is outlined in the real page too.

const REST_MS = 60; // a mouse that passes over many elements points at none of them

/** Report to the kernel what the person points at: `point(ref or null)`, and `end()` when the widget goes. */
export function makePointing(model) {
  let reported = null;
  let timer = 0;

  function report(ref) {
    clearTimeout(timer);
    if (ref === reported) return;
    reported = ref;
    model.send({ type: "point", ref });
  }

  return {
    point(ref) {
      clearTimeout(timer);
      timer = setTimeout(() => report(ref), REST_MS);
    },
    end: () => report(null),
  };
}
