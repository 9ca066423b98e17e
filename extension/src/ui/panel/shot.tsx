// The screenshot with a numbered box over each element.

import { memo, useEffect, useImperativeHandle, useMemo, useRef, useState } from "react";
import { shorten, showHidden } from "../common/text";
import { Button } from "./button";
import type { Message, PageView, Row, ShotSize } from "./page_view";
import { RemoteInput } from "./remote_input";

const MAX_BOXES = 400;
const SMALL_PX = 14;
const THUMBNAIL_PX = 480;
const NO_SHOT = "No screenshot of the page yet";

/** What others may do with the screenshot. */
export interface ShotHandle {
  /** A small picture of what is shown now, as an address; "" where nothing is. */
  thumbnail(): Promise<string>;
  /** Let the person use the page in its picture. */
  takeInput(): void;
  /** Whether keys go to the page: they may come to no shortcut meanwhile. */
  readonly takesKeys: boolean;
}

interface Props {
  view: PageView;
  bytes: DataView | null;
  /** The ref whose box is shown whatever else is. */
  aim: string;
  /** A picture of the page as it was, "" where there is none, null for the page as it is now. */
  still: string | null;
  /** Why what the person did in the picture did not arrive. */
  problem: string;
  hasWindow: boolean;
  wide: boolean;
  setWide: (on: boolean) => void;
  hovered: (ref: string | null) => void;
  picked: (ref: string) => void;
  send: (message: Message) => void;
  handle: React.RefObject<ShotHandle | null>;
}

export function Shot(props: Props): React.ReactNode {
  const { view, bytes, still, hasWindow, wide, setWide, hovered, send } = props;
  const [numbered, setNumbered] = useState(true);
  const [remote, setRemote] = useState(false);
  const image = useRef<HTMLImageElement>(null);
  const has = Boolean(view.shot && bytes?.byteLength);
  const source = useSource(has ? bytes : null, view.shot?.format ?? "png");
  const turnRemote = (on: boolean): void => {
    setRemote(on);
    hovered(null);
    setWide(on);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rest of it is told by these
  useImperativeHandle(
    props.handle,
    () => ({
      thumbnail: () => thumbnailOf(has ? image.current : null),
      takeInput: () => turnRemote(true),
      takesKeys: remote,
    }),
    [has, remote],
  );
  const words = still === "" ? "There is no picture of the page as it was then" : NO_SHOT;
  return (
    <section className="sbp-pane sbp-view" aria-label="Screenshot">
      <div className="sbp-bar">
        <span className="sbp-dots" aria-hidden="true" />
        <div className="sbp-address" dir="ltr" title={showHidden(view.title)}>
          {showHidden(view.url)}
        </div>
        <span className="sbp-device" title={view.shown_as}>
          {view.shown_as && `as on ${showHidden(view.shown_as)}`}
        </span>
        {hasWindow && (
          <Tool sign="❐" name="Show its window" act={() => send({ type: "remote_input", window: true })} />
        )}
        <Tool
          sign="☝"
          name="Use the page here"
          title="Use the page here: clicks and keys in the picture go to the page as your own"
          pressed={remote}
          act={() => turnRemote(!remote)}
        />
        <Tool
          sign="①"
          name="Numbered boxes"
          title="Number the elements on the screenshot"
          pressed={numbered}
          act={() => setNumbered(!numbered)}
        />
        <Tool
          sign="⤢"
          name="Larger screenshot"
          title="Show the screenshot larger, without the tree"
          pressed={wide}
          act={() => setWide(!wide)}
        />
      </div>
      {!has && !still && <div className="sbp-empty">{words}</div>}
      {still && <img className="sbp-still" src={still} alt="The page then" />}
      {has && view.shot && (
        <RemoteInput
          on={remote}
          problem={props.problem}
          send={send}
          end={() => turnRemote(false)}
          size={view.shot}
          className="sbp-shot"
        >
          <img ref={image} src={source} alt="Screenshot of the page" draggable={false} />
          <Boxes {...props} shot={view.shot} numbered={numbered} />
        </RemoteInput>
      )}
    </section>
  );
}

interface ToolProps {
  sign: string;
  name: string;
  title?: string;
  pressed?: boolean;
  act: () => void;
}

function Tool({ sign, name, title = name, pressed, act }: ToolProps): React.ReactNode {
  return (
    <Button kind="sbp-quiet sbp-zoom" title={title} aria-label={name} aria-pressed={pressed} onClick={act}>
      {sign}
    </Button>
  );
}

/** The address of a picture's bytes, as long as these are shown. */
function useSource(bytes: DataView | null, format: string): string {
  const source = useMemo(
    () => (bytes ? URL.createObjectURL(new Blob([bytes as BlobPart], { type: `image/${format}` })) : ""),
    [bytes, format],
  );
  useEffect(() => () => URL.revokeObjectURL(source), [source]);
  return source;
}

/** The bytes of a widget's trait, as a picture's address. */
export const usePicture = useSource;

async function thumbnailOf(image: HTMLImageElement | null): Promise<string> {
  if (!image) return "";
  try {
    await image.decode();
  } catch {
    return "";
  }
  const canvas = document.createElement("canvas");
  canvas.width = Math.min(THUMBNAIL_PX, image.naturalWidth);
  canvas.height = Math.round((canvas.width * image.naturalHeight) / image.naturalWidth);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/jpeg", 0.7);
}

interface Box {
  ref: string;
  title: string;
  left: number;
  top: number;
  wide: number;
  high: number;
}

/** Where elements are on a screenshot, the largest first, and not too many. Pure. */
export function boxesOf(rows: readonly Row[], { width, height, origin }: ShotSize, aim: string): Box[] {
  const placed: Box[] = [];
  for (const [ref, role, name, , , actionable, box] of rows) {
    if (!(actionable & 1) || !box || !ref) continue;
    const left = Math.max(box[0] - origin[0], 0);
    const top = Math.max(box[1] - origin[1], 0);
    const wide = Math.min(box[0] - origin[0] + box[2], width) - left;
    const high = Math.min(box[1] - origin[1] + box[3], height) - top;
    if (wide <= 0 || high <= 0) continue;
    placed.push({ ref, title: `${role} ${shorten(showHidden(name), 120)}`, left, top, wide, high });
  }
  placed.sort((one, other) => other.wide * other.high - one.wide * one.high);
  return placed.filter(({ ref }, place) => place >= placed.length - MAX_BOXES || ref === aim);
}

interface BoxesProps extends Pick<Props, "view" | "aim" | "hovered" | "picked"> {
  shot: ShotSize;
  numbered: boolean;
}

const refOf = (target: EventTarget | null): string | null =>
  (target instanceof Element && target.closest<HTMLElement>("[data-ref]")?.dataset.ref) || null;

function Boxes({ view, shot, aim, numbered, hovered, picked }: BoxesProps): React.ReactNode {
  const boxes = useMemo(() => boxesOf(view.rows, shot, aim), [view.rows, shot, aim]);
  return (
    // biome-ignore lint/a11y: the tree has the same elements for keys
    <div
      className={numbered ? "sbp-boxes" : "sbp-boxes sbp-plain"}
      onMouseOver={(event) => hovered(refOf(event.target))}
      onMouseLeave={() => hovered(null)}
      onClick={(event) => {
        const ref = refOf(event.target);
        if (ref) picked(ref);
      }}
    >
      {boxes.map((box) => (
        <BoxOver key={box.ref} box={box} shot={shot} />
      ))}
    </div>
  );
}

const BoxOver = memo(function BoxOver({ box, shot }: { box: Box; shot: ShotSize }): React.ReactNode {
  const { ref, title, left, top, wide, high } = box;
  const small = high < SMALL_PX || wide < SMALL_PX * 2 ? " sbp-small" : "";
  const inside = top < SMALL_PX ? " sbp-inside" : "";
  const style = {
    left: `${(100 * left) / shot.width}%`,
    top: `${(100 * top) / shot.height}%`,
    width: `${(100 * wide) / shot.width}%`,
    height: `${(100 * high) / shot.height}%`,
  };
  return (
    <div className={`sbp-box${small}${inside}`} style={style} title={title} data-ref={ref}>
      <span>{ref}</span>
    </div>
  );
});
