// The browsers of the kernel, each with its pages: what is open closes here, and what has ended says how.

import { type Model, useTraits } from "./model";
import { BrowserLines, type OpenBrowser } from "./open";
import { Root } from "./root";

interface State {
  browsers: OpenBrowser[];
  problem: string;
}

export function BrowsersWidget({ model }: { model: Model }): React.ReactNode {
  useTraits(model, "state");
  const { browsers, problem } = model.get("state") as State;
  return (
    <Root model={model} kind="sbp-browsers" label="Browsers">
      {(send) => (
        <>
          <BrowserLines browsers={browsers} send={send} />
          <p className="sbp-problem">{problem}</p>
        </>
      )}
    </Root>
  );
}
