// What is shown where the panel itself fails: never an empty page, and nothing of a run is lost by it.

import { Component } from "react";
import { showHidden } from "../common/text";

interface Props {
  children: React.ReactNode;
}

export class Failure extends Component<Props, { words: string | null }> {
  override state = { words: null };

  static getDerivedStateFromError(error: unknown): { words: string } {
    return { words: String(error) };
  }

  override render(): React.ReactNode {
    if (this.state.words === null) return this.props.children;
    return (
      <div className="empty" role="alert">
        <p>The panel failed. Runs go on in the kernel.</p>
        <p className="problem">{showHidden(this.state.words)}</p>
        <p>
          <button type="button" className="primary" onClick={() => this.setState({ words: null })}>
            Show it again
          </button>
        </p>
      </div>
    );
  }
}
