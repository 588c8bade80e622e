import { useState } from "preact/hooks";
import { type IssueUpdateInput, UpdateIssue } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import type { IssueData } from "../issue.tsx";
import { Claim } from "./claim.tsx";
import { Facts } from "./facts.tsx";
import { Fields } from "./fields.tsx";
import { SeenIn } from "./seen-in.tsx";

/** What an issue is like, to be changed in place. */
export function Properties({ issue, reload }: { issue: IssueData; reload: () => void }) {
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const act = (what: Promise<unknown>) => {
    setBusy(true);
    setError("");
    what
      .catch((failure: Error) => setError(failure.message))
      .finally(() => {
        setBusy(false);
        reload();
      });
  };
  return (
    <aside class="props" aria-label="Properties" aria-busy={busy}>
      {error && (
        <p class="err" role="alert">
          {error}
        </p>
      )}
      <Claim issue={issue} act={act} />
      <section aria-labelledby="properties">
        <h2 id="properties">Properties</h2>
        <Fields
          issue={issue}
          change={(input: IssueUpdateInput) => act(request(UpdateIssue, { id: issue.id, input }))}
        />
      </section>
      <SeenIn issueId={issue.id} />
      <Facts issue={issue} />
    </aside>
  );
}
