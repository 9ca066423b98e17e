// A kernel that ends takes no more clicks: what is left of its widgets must not look live.

const GONE = new Set(["restarting", "autorestarting", "terminating", "dead"]);

/** Mark a widget's root as soon as its kernel ends; a style then shows the static record in its place. */
export function markWhenGone(model, root) {
  const changes = model.widget_manager?.kernel?.statusChanged;
  const check = (_, status) => {
    if (GONE.has(status)) root.dataset.gone = "";
  };
  changes?.connect(check);
  return () => changes?.disconnect(check);
}
