// The kernel's workflows; `copilot` is what the Ask field is for.

import { useEffect } from "react";
import { useQuery } from "../context";
import { Problem } from "../problem";
import { Card } from "./card";
import { matches } from "./matches";

export function WorkflowList({ search, changes }: { search: string; changes: number }): React.ReactNode {
  const { data, error, reload } = useQuery("list_workflows", {});
  // biome-ignore lint/correctness/useExhaustiveDependencies: what ran last is other now
  useEffect(reload, [changes, reload]);
  const found = (data?.workflows ?? []).filter((each) => each.name !== "copilot" && matches(each, search));
  if (found.length === 0) return <Problem error={error} />;
  return (
    <section aria-label="Workflows">
      <h2>Workflows</h2>
      <ul className="cards">
        {found.map((workflow) => (
          <Card key={workflow.name} card={workflow} ask="run_workflow" why="" />
        ))}
      </ul>
    </section>
  );
}
