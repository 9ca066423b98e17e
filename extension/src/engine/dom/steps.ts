// Works that may be left in the middle and gone on with in another task.

/** Something that is found out step by step. */
export type Steps<T> = Generator<void, T>;

/** Take all steps that are left. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
