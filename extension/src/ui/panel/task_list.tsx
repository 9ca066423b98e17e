// The task list: how far it is, and each task with its status; the person can change it while the run isn't over.

import { useEffect, useRef, useState } from "react";
import type { RunView, Task } from "../common/asks";
import { shorten, showHidden } from "../common/text";
import { Button } from "./button";
import type { TaskEdit } from "./door";
import { useKeydown } from "./keys";

const MARKS: Record<Task["status"], string> = {
  pending: "○",
  executing: "◐",
  completed: "✓",
  failed: "✕",
  requires_assistance: "!",
  dropped: "–",
};

interface Props {
  view: RunView;
  /** Only a model's list can be changed: a skill's steps and a site's pages are what they are. */
  fixed: boolean;
  edit: (edit: TaskEdit) => void;
}

export function TaskList({ view, fixed, edit }: Props): React.ReactNode {
  const { tasks, tasks_words } = view;
  const isPlanning = view.question?.call?.tool === "plan";
  const [open, setOpen] = useState(isPlanning || fixed);
  const was = useRef(isPlanning);
  // It is open while the list itself waits for an answer, and folds when it is accepted.
  useEffect(() => {
    if (was.current !== isPlanning) setOpen(isPlanning);
    was.current = isPlanning;
  }, [isPlanning]);
  if (tasks.length === 0) return null;
  const counted = tasks.filter(({ status }) => status !== "dropped");
  const done = counted.filter(({ status }) => status === "completed").length;
  const executing = tasks.find(({ status }) => status === "executing");
  return (
    <section aria-label="Tasks">
      <details className="sbp-tasks" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <b>Tasks</b>
          <progress
            className="sbp-progress"
            aria-label="Tasks completed"
            max={Math.max(counted.length, 1)}
            value={done}
          />
          <span className="sbp-taskcount">{`${done} of ${counted.length}`}</span>
          <span className="sbp-taskcurrent" dir="auto">
            {executing ? shorten(showHidden(executing.title), 80) : ""}
          </span>
        </summary>
        {tasks_words && <p className="sbp-note">{showHidden(tasks_words)}</p>}
        <ol className="sbp-tasklist" aria-label="Tasks">
          {tasks.map((task, place) => (
            <Entry key={task.id} task={task} place={place} fixed={fixed} edit={edit} />
          ))}
        </ol>
        {!fixed && <NewTask add={(title) => edit({ act: "add", title })} />}
      </details>
    </section>
  );
}

interface EntryProps {
  task: Task;
  place: number;
  fixed: boolean;
  edit: (edit: TaskEdit) => void;
}

function Entry({ task, place, fixed, edit }: EntryProps): React.ReactNode {
  const status = task.status.replaceAll("_", " ");
  const title = showHidden(task.title);
  const button = (sign: string, words: string, change: TaskEdit): React.ReactNode =>
    !fixed && (
      <Button
        kind="sbp-quiet"
        title={words}
        aria-label={`${words}: ${shorten(title, 60)}`}
        onClick={() => edit(change)}
      >
        {sign}
      </Button>
    );
  return (
    <li className={`sbp-task sbp-is-${task.status}`}>
      <span className="sbp-mark" role="img" aria-label={status} title={status}>
        {MARKS[task.status] ?? "○"}
      </span>
      <input
        key={title}
        className="sbp-taskname"
        type="text"
        defaultValue={title}
        disabled={fixed}
        aria-label={`Task ${task.id}, ${status}`}
        title={title}
        dir="auto"
        onBlur={({ target }) => {
          const now = target.value.trim();
          if (now && now !== title) edit({ act: "change", id: task.id, title: now });
        }}
      />
      <span className="sbp-taskfacts" dir="auto">
        {task.risk !== "read" && <span className={`sbp-effect sbp-effect-${task.risk}`}>{task.risk}</span>}{" "}
        {factsOf(task)}
      </span>
      {button("↑", "Earlier", { act: "move", id: task.id, to: place })}
      {button("↓", "Later", { act: "move", id: task.id, to: place + 2 })}
      {button("×", "Take out", { act: "remove", id: task.id })}
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
  const keys = useKeydown<HTMLInputElement>((event) => {
    if (event.key !== "Enter" || event.isComposing || !title.trim()) return;
    event.stopPropagation();
    add(title.trim());
    setTitle("");
  });
  return (
    <input
      className="sbp-input"
      type="text"
      placeholder="Add a task"
      aria-label="Add a task"
      dir="auto"
      value={title}
      onChange={(event) => setTitle(event.target.value)}
      ref={keys}
    />
  );
}
