// The panel's head: which kernel works, and whether it sees the tab in front.

import type { KernelView, UiRequest, UiState } from "../../shared/ui";
import { RetryButton, ShareButton, UnshareButton } from "../common/kernel_buttons";
import { showHidden } from "../common/text";
import { describePhase } from "../common/words";

interface Props {
  state: UiState;
  kernel: KernelView | undefined;
  choose: (kernel: string) => void;
  send: (request: UiRequest) => void;
}

export function Top({ state, kernel, choose, send }: Props): React.ReactNode {
  return (
    <header className="top">
      <div className="row">
        {kernel ? (
          <Kernel state={state} kernel={kernel} choose={choose} send={send} />
        ) : (
          <h1 className="grow">skillbook</h1>
        )}
      </div>
      {kernel?.state.phase === "connected" && <CurrentTab state={state} kernel={kernel} send={send} />}
      {kernel?.state.reason && kernel.state.phase !== "connected" && (
        <p className="problem">{showHidden(kernel.state.reason)}</p>
      )}
    </header>
  );
}

function Kernel({ state, kernel, choose, send }: Props & { kernel: KernelView }): React.ReactNode {
  const { tone, text } = describePhase(kernel.state);
  return (
    <>
      <span className={`dot ${tone}`} />
      {state.kernels.length > 1 ? (
        <select
          className="kernel grow"
          aria-label="Kernel"
          value={kernel.id}
          onChange={(event) => choose(event.target.value)}
        >
          {state.kernels.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      ) : (
        <h1 className="clip" title={kernel.name}>
          {kernel.name}
        </h1>
      )}
      <span className="soft" role="status">
        {text}
      </span>
      <RetryButton kernel={kernel} send={send} />
    </>
  );
}

function CurrentTab({
  state,
  kernel,
  send,
}: Omit<Props, "choose"> & { kernel: KernelView }): React.ReactNode {
  const { current, sharedWith, shownAs, kernels } = state;
  if (!current) return <p className="tab soft clip">This tab can't be shared: it is no web page.</p>;
  const owner = kernels.find(({ id }) => id === sharedWith);
  const shared = !owner ? "not shared" : owner.id === kernel.id ? "shared" : `shared with ${owner.name}`;
  const words = shownAs ? `${shared}, as on ${shownAs}` : shared;
  return (
    <section className="tab row" aria-label="This tab">
      <span className="clip" title={current.url} dir="auto">
        {showHidden(current.title || current.url)}
      </span>
      {owner ? (
        <>
          <span className="soft clip-end" title={words}>
            {showHidden(words)}
          </span>
          <UnshareButton tab={current.id} send={send} />
        </>
      ) : (
        <ShareButton kernel={kernel.id} tab={current.id} send={send} />
      )}
    </section>
  );
}
