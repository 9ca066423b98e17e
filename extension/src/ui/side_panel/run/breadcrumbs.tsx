// The pages that a run came over: the last one on a line, all of them where it is opened.

import type { RunView } from "../../common/asks";
import { shorten, showHidden } from "../../common/text";
import { formatWhen } from "../words";

export function Breadcrumbs({ crumbs }: { crumbs: RunView["breadcrumbs"] }): React.ReactNode {
  const last = crumbs.at(-1);
  if (!last) return <div className="crumbs" />;
  return (
    <details className="crumbs">
      <summary className="clip">
        {crumbs.length > 1 && `${crumbs.length} pages, now: `}
        <bdi>{shorten(showHidden(last.title || last.url), 120)}</bdi>
      </summary>
      <ol aria-label="The pages it came over">
        {crumbs.map((crumb, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pages come twice, and only at the end
          <li key={place}>
            <span className="words" dir="auto">
              {shorten(showHidden(crumb.title || crumb.url), 200)}
            </span>
            <span className="note" dir="auto">
              {[crumb.label, crumb.title && crumb.url, crumb.time > 0 && formatWhen(crumb.time)]
                .filter(Boolean)
                .map((part) => shorten(showHidden(part), 200))
                .join(" · ")}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}
