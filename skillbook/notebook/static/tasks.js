// The task list on top of the panel: how far it is, and each task with its status; a task can be renamed, moved,
// taken out, and others added, while the run is not at its end.
import { h } from "./dom.js";
import { shorten, showHidden } from "./text.js";

const TASK_MARKS = {
  pending: "○",
  executing: "◐",
  completed: "✓",
  failed: "✕",
  requires_assistance: "!",
  dropped: "–",
};

/** Make the list; `edit(message)` reports what the person changes. */
export function makeTasks(edit) {
  const bar = h("progress", { class: "sbp-progress", max: "1", value: "0", "aria-label": "Tasks completed" });
  const count = h("span", { class: "sbp-taskcount" });
  const current = h("span", { class: "sbp-taskcurrent", dir: "auto" });
  const list = h("ol", { class: "sbp-tasklist", "aria-label": "Tasks" });
  const title = h("input", {
    class: "sbp-input",
    type: "text",
    placeholder: "Add a task",
    "aria-label": "Add a task",
    dir: "auto",
    on: {
      keydown: (event) => {
        if (event.key !== "Enter" || !title.value.trim()) return;
        event.stopPropagation();
        edit({ act: "add", title: title.value.trim() });
        title.value = "";
      },
    },
  });
  const node = h(
    "details",
    { class: "sbp-tasks", hidden: true, open: true },
    h("summary", {}, h("b", { text: "Tasks" }), bar, count, current),
    list,
    title,
  );
  let key = "";
  let wasPlanning = true;

  function makeTask(task, index, isOver) {
    const name = h("input", {
      class: "sbp-taskname",
      type: "text",
      value: showHidden(task.title),
      disabled: isOver,
      "aria-label": `Task ${task.id}, ${task.status}`,
      title: showHidden(task.title),
      dir: "auto",
      on: {
        change: () => {
          if (name.value.trim()) edit({ act: "change", id: task.id, title: name.value.trim() });
        },
      },
    });
    const button = (text, label, message) =>
      h("button", {
        type: "button",
        class: "sbp-button sbp-quiet",
        text,
        title: label,
        "aria-label": `${label}: ${shorten(showHidden(task.title), 60)}`,
        hidden: isOver,
        on: { click: () => edit({ id: task.id, ...message }) },
      });
    const given = Object.entries(task.parameters ?? {}).map(([what, value]) => `${what}: ${value}`);
    const facts = [task.type === "other" ? "" : task.type, ...given];
    if (task.after?.length) facts.push(`after ${task.after.join(", ")}`);
    return h(
      "li",
      { class: `sbp-task sbp-is-${task.status}` },
      h("span", { class: "sbp-mark", text: TASK_MARKS[task.status] ?? "○", title: task.status.replace("_", " ") }),
      name,
      h("span", { class: "sbp-taskfacts", text: shorten(showHidden(facts.filter(Boolean).join(" · ")), 80) }),
      button("↑", "Earlier", { act: "move", to: index }),
      button("↓", "Later", { act: "move", to: index + 2 }),
      button("×", "Take out", { act: "remove" }),
    );
  }

  return {
    node,
    /** `isPlanning` while the list itself waits for an answer: then it is open, and folds when it is accepted. */
    update(tasks, isOver, isPlanning) {
      if (isPlanning !== wasPlanning) node.open = isPlanning;
      wasPlanning = isPlanning;
      const now = JSON.stringify([tasks, isOver]);
      if (now === key) return;
      key = now;
      node.hidden = tasks.length === 0;
      const counted = tasks.filter((task) => task.status !== "dropped");
      const done = counted.filter((task) => task.status === "completed").length;
      bar.max = Math.max(counted.length, 1);
      bar.value = done;
      count.textContent = `${done} of ${counted.length}`;
      const executing = tasks.find((task) => task.status === "executing");
      current.textContent = executing ? shorten(showHidden(executing.title), 80) : "";
      title.hidden = isOver;
      list.replaceChildren(...tasks.map((task, index) => makeTask(task, index, isOver)));
    },
  };
}
