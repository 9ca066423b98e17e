// What the mouse is over is outlined in the real page too, and else the target of the call that waits.

const REST_MS = 60; // a mouse that passes over many elements points at none of them

/**
 * Report to the kernel what to outline: `point(ref or null)` is what the mouse is over, `aim(ref or null)` what is outlined
 * meanwhile, and `end()` is called when the widget goes.
 */
export function makePointing(model) {
  let reported = null;
  let hovered = null;
  let aimed = null;
  let timer = 0;

  function report(ref) {
    clearTimeout(timer);
    if (ref === reported) return;
    reported = ref;
    model.send({ type: "point", ref });
  }

  function reportSoon() {
    clearTimeout(timer);
    timer = setTimeout(() => report(hovered ?? aimed), REST_MS);
  }

  return {
    point(ref) {
      hovered = ref;
      reportSoon();
    },
    aim(ref) {
      if (ref === aimed) return;
      aimed = ref;
      reportSoon();
    },
    end: () => report(null),
  };
}
