// The task list: how far it is, and each task with its status; the person can change it while the run isn't over.

import { useState } from "react";
import { shorten, showHidden } from "../../common/text";
import type { Params, RunView, Task } from "../asks";
import { useAction, usePanel } from "../context";
import { Problem } from "../problem";
import { isOver } from "../words";

type TaskEdit = Params<"change_tasks">["edits"][number];

const MARKS: Record<Task["status"], string> = {
  pending: "○",
  executing: "◐",
  completed: "✓",
  failed: "✕",
  requires_assistance: "!",
  dropped: "–",
};

export function TaskList({ view, changed }: { view: RunView; changed: () => void }): React.ReactNode {
  const { client, kernel } = usePanel();
  const { error, act } = useAction(async (edit: TaskEdit) => {
    await client.ask(kernel, "change_tasks", { run: view.id, edits: [edit] });
    changed();
  });
  const { tasks } = view;
  // Only a model's list can be changed: a skill's steps and a site's pages are what they are.
  const fixed = isOver(view.state) || !view.can.includes("tell");
  if (tasks.length === 0) return null;
  const counted = tasks.filter(({ status }) => status !== "dropped");
  const done = counted.filter(({ status }) => status === "completed").length;
  return (
    <section className="tasks" aria-label="Tasks">
      <div className="row">
        <h2>Tasks</h2>
        <progress aria-label="Tasks completed" max={Math.max(counted.length, 1)} value={done} />
        <span className="note">
          {done} of {counted.length}
        </span>
      </div>
      {view.tasks_words && <p className="note">{showHidden(view.tasks_words)}</p>}
      <ol>
        {tasks.map((task, place) => (
          <Entry key={task.id} task={task} place={place} count={tasks.length} fixed={fixed} edit={act} />
        ))}
      </ol>
      {!fixed && <NewTask add={(title) => act({ act: "add", title })} />}
      <Problem error={error} />
    </section>
  );
}

interface EntryProps {
  task: Task;
  place: number;
  count: number;
  fixed: boolean;
  edit: (edit: TaskEdit) => void;
}

function Entry({ task, place, count, fixed, edit }: EntryProps): React.ReactNode {
  const status = task.status.replaceAll("_", " ");
  const title = showHidden(task.title);
  const button = (sign: string, words: string, change: TaskEdit, disabled = false): React.ReactNode => (
    <button
      type="button"
      className="small"
      title={words}
      aria-label={`${words}: ${shorten(title, 60)}`}
      disabled={disabled}
      onClick={() => edit(change)}
    >
      {sign}
    </button>
  );
  return (
    <li className={`task ${task.status}`}>
      <span className="sign" role="img" aria-label={status} title={status}>
        {MARKS[task.status] ?? "○"}
      </span>
      {fixed ? (
        <span className="words" dir="auto">
          {title}
        </span>
      ) : (
        <input
          key={task.title}
          aria-label={`Task ${task.id}, ${status}`}
          title={title}
          defaultValue={title}
          dir="auto"
          onBlur={({ target }) => {
            const now = target.value.trim();
            if (now && now !== title) edit({ act: "change", id: task.id, title: now });
          }}
          onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
        />
      )}
      {!fixed && button("↑", "Earlier", { act: "move", id: task.id, to: place }, place === 0)}
      {!fixed && button("↓", "Later", { act: "move", id: task.id, to: place + 2 }, place === count - 1)}
      {!fixed && button("×", "Take out", { act: "remove", id: task.id })}
      <span className="note facts" dir="auto">
        {task.risk !== "read" && <span className={`effect ${task.risk}`}>{task.risk}</span>} {factsOf(task)}
      </span>
    </li>
  );
}

/** What a task is given, and what it comes after. */
function factsOf(task: Task): string {
  const given = Object.entries(task.parameters).map(([name, value]) => `${name}: ${value}`);
  const after = task.after.length > 0 ? [`after ${task.after.join(", ")}`] : [];
  const type = task.type === "other" ? "" : task.type;
  return shorten(showHidden([task.why, type, ...given, ...after].filter(Boolean).join(" · ")), 160);
}

function NewTask({ add }: { add: (title: string) => void }): React.ReactNode {
  const [title, setTitle] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (title.trim()) add(title.trim());
        setTitle("");
      }}
    >
      <input
        aria-label="Add a task"
        placeholder="Add a task"
        value={title}
        dir="auto"
        onChange={(event) => setTitle(event.target.value)}
      />
    </form>
  );
}
