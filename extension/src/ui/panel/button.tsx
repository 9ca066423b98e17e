// The panel's buttons; one that a key presses shows the key.

type Props = React.ButtonHTMLAttributes<HTMLButtonElement> & {
  kind?: string;
  /** The key that presses it. */
  letter?: string;
  ref?: React.Ref<HTMLButtonElement>;
};

export function Button({ kind = "", letter, children, ...more }: Props): React.ReactNode {
  return (
    <button type="button" className={`sbp-button ${kind}`.trim()} aria-keyshortcuts={letter} {...more}>
      {letter ? (
        <>
          <span>{children}</span>
          {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a button says its key by itself */}
          <kbd className="sbp-key" aria-hidden="true">
            {letter}
          </kbd>
        </>
      ) : (
        children
      )}
    </button>
  );
}
