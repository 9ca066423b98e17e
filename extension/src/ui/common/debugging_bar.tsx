/** Why Chrome shows a bar above the page, which alarms whoever doesn't know it. */
export function DebuggingBar(): React.ReactNode {
  return (
    <details className="soft">
      <summary>Why does Chrome say that a tab is being debugged?</summary>
      <p>
        While a kernel works in a tab, Chrome shows “skillbook started debugging this browser”. That is
        normal: skillbook clicks and types by way of Chrome's debugger, only in tabs that it may see. The bar
        goes when the work is over. Its <i>Cancel</i> takes the debugger away, and so stops the work.
      </p>
    </details>
  );
}
