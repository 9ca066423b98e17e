// The tools that the page itself declares. All of their words are the page's, and each call is asked about.

import { useEffect } from "react";
import { showHidden } from "../../common/text";
import { usePanel, useQuery } from "../context";
import { Problem } from "../problem";
import { Card } from "./card";
import { matches } from "./matches";

export function PageToolList({ search, changes }: { search: string; changes: number }): React.ReactNode {
  const { tab } = usePanel();
  const { data, error, reload } = useQuery("list_page_tools", { tab });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run may have brought other tools
  useEffect(reload, [changes, reload]);
  const found = (data?.tools ?? []).filter((tool) => matches(tool, search));
  if (found.length === 0) return <Problem error={error} />;
  return (
    <section aria-label="The page's tools">
      <h2 className="row">
        <span className="clip">The page's tools</span>
        <button type="button" className="small" onClick={reload}>
          Look again
        </button>
      </h2>
      <p className="note">The page wrote these words. You are asked before each call.</p>
      <ul className="cards">
        {found.map((tool) => (
          <Card key={`${tool.frame} ${tool.name}`} card={tool} ask="run_page_tool" why="">
            {tool.frame && (
              <dl className="facts">
                <dt>In the frame</dt>
                <dd dir="auto">{showHidden(tool.frame)}</dd>
              </dl>
            )}
          </Card>
        ))}
      </ul>
    </section>
  );
}
