// Standing words of the person, for all sites or one, which each run gets.

import { useId, useState } from "react";
import type { Preference } from "../common/asks";
import { showHidden } from "../common/text";
import { useAction, usePanel, useQuery } from "./context";
import { Problem } from "./problem";

export function Preferences(): React.ReactNode {
  const { data, error, reload } = useQuery("list_preferences", {});
  if (!data) return <Problem error={error} />;
  const general = data.preferences.find(({ site }) => site === null);
  const ofSites = data.preferences.filter(({ site }) => site !== null);
  return (
    <div className="page preferences">
      <p className="note">Each run gets these words, such as “prices with tax” or “never book anything”.</p>
      <Words key={`all ${general?.words}`} site={null} words={general?.words ?? ""} saved={reload} />
      {ofSites.map((each) => (
        <Words key={`${each.site} ${each.words}`} site={each.site} words={each.words} saved={reload} />
      ))}
      <NewSite known={data.preferences} saved={reload} />
      <Grants />
    </div>
  );
}

/** What the person granted in advance, and what was learned from approvals for good. */
function Grants(): React.ReactNode {
  const { client, kernel } = usePanel();
  const { data, error, reload } = useQuery("list_grants", {});
  const revoking = useAction(async (id: string) => {
    await client.ask(kernel, "revoke_grant", { id });
    reload();
  });
  if (!data || data.grants.length === 0) return <Problem error={error} />;
  return (
    <section aria-label="Granted in advance">
      <h2>Granted in advance</h2>
      <ul className="grants">
        {data.grants.map(({ id, words, left }) => (
          <li key={id} className="row">
            <span className="grow" dir="auto">
              {showHidden(words)} <span className="soft">Left: {left}</span>
            </span>
            <button type="button" className="small" onClick={() => revoking.act(id)}>
              Revoke
            </button>
          </li>
        ))}
      </ul>
      <Problem error={revoking.error} />
    </section>
  );
}

interface WordsProps extends Preference {
  saved: () => void;
}

function Words({ site, words: kept, saved }: WordsProps): React.ReactNode {
  const { client, kernel } = usePanel();
  const [words, setWords] = useState(kept);
  const id = useId();
  const { busy, error, act } = useAction(async (words: string) => {
    await client.ask(kernel, "set_preference", { site, words });
    saved();
  });
  return (
    <form
      className="inputs"
      onSubmit={(event) => {
        event.preventDefault();
        act(words);
      }}
    >
      <div className="field">
        <label htmlFor={id} dir="auto">
          {site === null ? "For all sites" : showHidden(site)}
        </label>
        <textarea
          id={id}
          rows={3}
          dir="auto"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </div>
      <div className="row">
        <button type="submit" className="primary" disabled={busy || words === kept}>
          Save
        </button>
        {kept && (
          <button type="button" disabled={busy} onClick={() => act("")}>
            Remove
          </button>
        )}
        {kept && words === kept && <span className="note">saved</span>}
      </div>
      <Problem error={error} />
    </form>
  );
}

function NewSite({ known, saved }: { known: Preference[]; saved: () => void }): React.ReactNode {
  const [site, setSite] = useState("");
  const [chosen, setChosen] = useState("");
  const id = useId();
  const add = (event: React.SyntheticEvent): void => {
    event.preventDefault();
    if (site.trim()) setChosen(site.trim());
  };
  const isNew = chosen !== "" && !known.some((each) => each.site === chosen);
  return (
    <>
      {isNew && <Words key={chosen} site={chosen} words="" saved={saved} />}
      <form className="inputs" onSubmit={add}>
        <div className="field">
          <label htmlFor={id}>For another site</label>
          <div className="row">
            <input
              id={id}
              className="grow"
              placeholder="shop.example"
              dir="auto"
              value={site}
              onChange={(event) => setSite(event.target.value)}
            />
            <button type="submit">Add</button>
          </div>
        </div>
      </form>
    </>
  );
}
