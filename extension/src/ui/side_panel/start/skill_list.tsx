// The skills, the best for this page first, each with a form that runs it.

import { useEffect } from "react";
import type { SkillCard } from "../../common/asks";
import { showHidden } from "../../common/text";
import { usePanel, useQuery } from "../context";
import { Problem } from "../problem";
import { Card } from "./card";
import { matches } from "./matches";

export function SkillList({ search, changes }: { search: string; changes: number }): React.ReactNode {
  const { tab } = usePanel();
  const { data, error, reload } = useQuery("list_skills", { tab });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what ran last is other now
  useEffect(reload, [changes, reload]);
  const skills = data?.skills ?? [];
  const found = skills.filter((skill) => matches(skill, search));
  const fitting = found.filter(({ score }) => score !== null);
  const others = found.filter(({ score }) => score === null);
  return (
    <section aria-label="Skills">
      <Problem error={error} />
      {fitting.length > 0 && <Group title="For this page" skills={fitting} />}
      <Group title={fitting.length > 0 ? "Other skills" : "Skills"} skills={others} />
      {data && found.length === 0 && (
        <p className="empty soft">
          {skills.length === 0 ? "There are no skills yet: record one." : "No skill is called so."}
        </p>
      )}
    </section>
  );
}

function Group({ title, skills }: { title: string; skills: SkillCard[] }): React.ReactNode {
  if (skills.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul className="cards">
        {skills.map((skill) => (
          <Card key={skill.name} card={skill} ask="run_skill" why={skill.why ?? ""}>
            <Facts skill={skill} />
          </Card>
        ))}
      </ul>
    </>
  );
}

function Facts({ skill }: { skill: SkillCard }): React.ReactNode {
  return (
    <dl className="facts">
      {skill.where && (
        <>
          <dt>Runs on</dt>
          <dd dir="auto">{showHidden(skill.where)}</dd>
        </>
      )}
      <dt>May send</dt>
      <dd>
        {skill.sends.length === 0
          ? "nothing that changes something"
          : skill.sends.map((line) => <div key={line}>{showHidden(line)}</div>)}
      </dd>
      {!skill.approved && (
        <>
          <dt>Consent</dt>
          <dd>It asks you what it may do before it runs.</dd>
        </>
      )}
    </dl>
  );
}
