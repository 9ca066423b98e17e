/** Why nothing can begin yet. */
export function NoTab(): React.ReactNode {
  return <p className="note">Share this tab first, at the top.</p>;
}
