// The panel's four areas, as tabs that the arrow keys go through.

export type Area = "start" | "run" | "history" | "preferences";

const AREAS: readonly (readonly [Area, string])[] = [
  ["start", "Start"],
  ["run", "Run"],
  ["history", "History"],
  ["preferences", "Preferences"],
];

interface Props {
  area: Area;
  choose: (area: Area) => void;
  /** A run waits for the person. */
  waits: boolean;
}

export function Areas({ area, choose, waits }: Props): React.ReactNode {
  const go = (event: React.KeyboardEvent): void => {
    const at = AREAS.findIndex(([name]) => name === area);
    const rtl = getComputedStyle(event.currentTarget).direction === "rtl" ? -1 : 1;
    const steps: Record<string, number> = { ArrowRight: rtl, ArrowLeft: -rtl, Home: -at, End: -at - 1 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = AREAS.at((at + step + AREAS.length) % AREAS.length) ?? AREAS[0];
    if (!next) return;
    choose(next[0]);
    document.getElementById(`tab-${next[0]}`)?.focus();
  };
  return (
    <div className="areas" role="tablist" aria-label="What to look at" onKeyDown={go}>
      {AREAS.map(([name, words]) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={name === area}
          aria-controls="area"
          tabIndex={name === area ? 0 : -1}
          onClick={() => choose(name)}
        >
          {words}
          {name === "run" && waits && (
            <span className="mark" role="img" aria-label="a run waits for you">
              !
            </span>
          )}
        </button>
      ))}
    </div>
  );
}
