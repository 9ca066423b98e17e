// Where work begins: a goal in words, a skill, a workflow, or a recording.

import { useState } from "react";
import { useQuery } from "../context";
import { Problem } from "../problem";
import { AskField } from "./ask_field";
import { PageToolList } from "./page_tool_list";
import { Recorder } from "./recorder";
import { SkillList } from "./skill_list";
import { WorkflowList } from "./workflow_list";

/** `changes` grows where a run began or ended, and with it what ran last. */
export function Start({ changes }: { changes: number }): React.ReactNode {
  const [search, setSearch] = useState("");
  const about = useQuery("about", {});
  return (
    <>
      <AskField model={about.data?.model ?? null} known={about.data !== null} />
      <Problem error={about.error} />
      <div className="find">
        <input
          type="search"
          aria-label="Search skills and workflows"
          placeholder="Search skills and workflows"
          value={search}
          dir="auto"
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      {about.data?.can_record && <Recorder />}
      <PageToolList search={search} changes={changes} />
      <SkillList search={search} changes={changes} />
      <WorkflowList search={search} changes={changes} />
    </>
  );
}
