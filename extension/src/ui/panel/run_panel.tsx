// The panel of a run: where it is, what it waits for, what it did, and its page where one is shown.

import { useLayoutEffect, useRef, useState } from "react";
import type { Question, RunView } from "../common/asks";
import { showHidden } from "../common/text";
import { type Answer, useAnswer } from "./answer";
import { AnswerBar } from "./answer_bar";
import { Card, Rest, wordsOf } from "./card";
import type { Door } from "./door";
import { Gone } from "./gone";
import { useKeydown, useTakenKeys } from "./keys";
import { PagePane } from "./page_pane";
import { describe, type PageView, type ShownPage, takesText } from "./page_view";
import { usePictures } from "./pictures";
import { RunEnd } from "./run_end";
import { RunHead } from "./run_head";
import { aimOf, type Steering, takeKey, useKeptKeys, useNow, useShown, useSteering } from "./run_hooks";
import type { ShotHandle } from "./shot";
import { type StepDetails, StepList } from "./step_list";
import { TaskList } from "./task_list";
import { Variables } from "./variables";
import { hasEnded, STATUSES, stateOf } from "./words";

interface Props {
  view: RunView;
  door: Door;
  /** The state in words, where the door has others. */
  status?: string;
  /** What is gone, and the way on. */
  gone?: string;
  /** The kernel has given no sign for long, in words. */
  silence?: string;
  /** The kernel has ended: everything is as it was. */
  ended?: string;
  page?: ShownPage | null;
  details?: Readonly<Record<string, StepDetails>>;
  /** Keys are taken from a notebook around it. */
  isGuest: boolean;
  /** The person can point in the page itself. */
  hasWindow: boolean;
  /** The person can read the question that waits. */
  shown?: (question: string) => void;
  /** The pages that it came over, on one line. */
  visited?: string;
  /** What can be made of it in cells, once it is over. */
  offers?: Readonly<Record<string, readonly string[]>>;
  /** What stands beside the state, below it, above the card, and above the steps. */
  tools?: React.ReactNode;
  head?: React.ReactNode;
  above?: React.ReactNode;
  outputs?: React.ReactNode;
}

const NOTHING = {};

export function RunPanel(props: Props): React.ReactNode {
  const { view, door, page = null, gone = "", ended = "", isGuest } = props;
  const { question } = view;
  const root = useRef<HTMLElement | null>(null);
  const shot = useRef<ShotHandle | null>(null);
  const now = page && !page.past ? page.view : null;
  const answer = useAnswer(question, door, (ref) => refusalOf(question, now, ref));
  const [editing, setEditing] = useState("");
  const edit = (on: boolean): void => setEditing(on ? (question?.id ?? "") : "");
  const steering = useSteering(door);
  const describeRef = (ref: string): string => describe(now, ref);
  const { going, awaited, next } = useNow(
    view,
    question ? wordsOf(question, answer, describeRef) : "",
    answer.busy,
  );
  useTakenKeys(root, isGuest);
  useKeptKeys(root, shot, isGuest);
  useShown(root, question?.id ?? "", props.shown);
  const keys = useKeydown<HTMLElement>((event) => {
    const look = page?.past ? () => door.look?.(null) : null;
    takeKey(event, root.current, { view, answer, look, editCode: () => edit(true) });
  });
  const state = stateOf(view);
  const status = ended ? "Ended" : gone ? "Page gone" : (props.status ?? STATUSES[state] ?? view.status);
  return (
    <section
      className={page?.past ? "sbp sbp-run sbp-in-past" : "sbp sbp-run"}
      tabIndex={-1}
      aria-label="skillbook run"
      data-status={ended || gone ? "gone" : state}
      data-gone={ended ? "gone" : undefined}
      data-lm-suppress-shortcuts="true"
      ref={(node) => {
        root.current = node;
        keys(node);
      }}
    >
      {ended && <Gone words={ended} />}
      <div className="sbp-live" inert={Boolean(ended)}>
        <RunHead
          view={view}
          door={door}
          status={status}
          visited={showHidden(props.visited ?? "")}
          next={props.silence || next}
          steer={steering.steer}
        >
          {props.tools}
        </RunHead>
        {props.head && <div className="sbp-more-head">{props.head}</div>}
        <Gone words={gone} />
        <div className="sbp-answer" inert={Boolean(gone) && !hasEnded(view)}>
          <AnswerBar
            question={question}
            answer={answer}
            waits={awaited}
            offers={props.offers ?? NOTHING}
            usePage={page ? () => shot.current?.takeInput() : undefined}
          />
        </div>
        <Body
          {...props}
          answer={answer}
          steering={steering}
          shot={shot}
          isEditing={isEditing(question, editing)}
          edit={edit}
        >
          <Rest going={going} awaited={awaited} />
        </Body>
      </div>
    </section>
  );
}

const isEditing = (question: Question | null, editing: string): boolean =>
  question !== null && editing === question.id;

/** Why an element can't be the target of the call that waits; "" where it can. */
function refusalOf(question: Question | null, view: PageView | null, ref: string): string {
  if (!question?.call?.puts_text || takesText(view, ref)) return "";
  return `No text can be put into the ${describe(view, ref)}. Point at a field.`;
}

interface BodyProps extends Props {
  answer: Answer;
  steering: Steering;
  shot: React.RefObject<ShotHandle | null>;
  /** The text of the cell that waits is being changed. */
  isEditing: boolean;
  edit: (on: boolean) => void;
  /** What is shown where nothing waits. */
  children: React.ReactNode;
}

function Body({ answer, steering, shot, isEditing, edit, children, ...props }: BodyProps): React.ReactNode {
  const { view, door, page = null, gone = "" } = props;
  const { question } = view;
  const body = useTop(question?.id ?? "", isEditing);
  const pictures = usePictures(view, page, shot);
  const now = page && !page.past ? page.view : null;
  const inPage = props.hasWindow
    ? "in the tree, on the screenshot or in the page itself"
    : "in the tree or on the screenshot";
  const words = {
    describe: (ref: string) => describe(now, ref),
    places: page ? inPage : "",
  };
  const fixed = hasEnded(view) || !view.can.includes("tell");
  const tasks = <TaskList view={view} fixed={fixed} edit={steering.changeTask} />;
  return (
    <div className="sbp-body" ref={body}>
      <div className="sbp-side">
        {props.above}
        {question?.call?.tool === "plan" && tasks}
        {question && (
          <Card
            key={question.id}
            question={question}
            answer={answer}
            page={words}
            editing={isEditing}
            setEditing={edit}
            inert={Boolean(gone)}
          />
        )}
        <RunEnd view={view} problem={steering.error} />
        {!question && children}
        {question?.call?.tool !== "plan" && tasks}
        <Variables variables={view.variables} />
        {props.outputs}
        <StepList
          steps={view.steps}
          details={props.details ?? NOTHING}
          pictures={pictures}
          door={door}
          isAtRest={view.status !== "running"}
        />
      </div>
      {page && (
        <PagePane
          {...page}
          still={page.past ? (pictures.get(page.past.number - 1) ?? "") : null}
          aim={page.past ? page.past.target : aimOf(view, answer)}
          picked={(ref) => !page.past && answer.point(ref)}
          handle={shot}
        />
      )}
    </div>
  );
}

/** What waits is never below what was scrolled to before; the text of a cell that is to be changed has the cursor. */
function useTop(question: string, isEditing: boolean): React.RefObject<HTMLDivElement | null> {
  const body = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question is at the top
  useLayoutEffect(() => {
    for (const each of [body.current, body.current?.firstElementChild]) if (each) each.scrollTop = 0;
  }, [question]);
  useLayoutEffect(() => {
    const text = isEditing && body.current?.querySelector<HTMLElement>(".sbp-form .sbp-input");
    if (text) text.focus({ preventScroll: true });
  }, [isEditing]);
  return body;
}
