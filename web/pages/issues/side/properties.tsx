import { useRef, useState } from "preact/hooks";
import type { ApiError } from "../../../data/api.ts";
import { type IssueUpdateInput, UpdateIssue } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import { ErrorNote } from "../../../parts/states.tsx";
import type { IssueData } from "../issue.tsx";
import { IssueClaimBox } from "./claim.tsx";
import { IssueCost } from "./cost.tsx";
import { IssueDetails } from "./facts.tsx";
import { PropertyFields } from "./fields.tsx";
import { moveToProject } from "./move.ts";
import { IssueFailureLinks } from "./seen-in.tsx";
import { findRefusedCompletion, type RefusedCompletion, UnprovenNotice } from "./unproven.tsx";

/** Editable properties of an issue. */
export function IssueProperties({ issue, reload }: { issue: IssueData; reload: () => Promise<void> }) {
  const [error, setError] = useState("");
  const [refused, setRefused] = useState<RefusedCompletion>();
  const [underWay, setUnderWay] = useState(0);
  const [chosen, setChosen] = useState<IssueUpdateInput>({});
  const waiting = useRef(0);
  const act = async (what: Promise<unknown>) => {
    setUnderWay(++waiting.current);
    setError("");
    setRefused(undefined);
    await what.catch((failure: Error) => setError(failure.message));
    await reload();
    setUnderWay(--waiting.current);
    if (waiting.current === 0) setChosen({});
  };
  const change = (input: IssueUpdateInput) => {
    setChosen((before) => ({ ...before, ...input }));
    const sent =
      input.projectId === undefined
        ? requestGraphQL(UpdateIssue, { id: issue.id, input })
        : moveToProject(issue, input.projectId, reload);
    void act(
      sent.catch((failure: ApiError) => {
        const unproven = findRefusedCompletion(failure, input);
        if (!unproven) throw failure;
        setRefused(unproven);
      }),
    );
  };
  return (
    <aside class="props" aria-label="Properties" aria-busy={underWay > 0}>
      <ErrorNote words={error} />
      {refused && <UnprovenNotice issue={issue} refused={refused} done={() => act(Promise.resolve())} />}
      <IssueClaimBox key={issue.id} issue={issue} act={act} />
      <section aria-labelledby="properties">
        <h2 id="properties">Properties</h2>
        <PropertyFields issue={issue} chosen={chosen} change={change} />
      </section>
      <IssueDetails issue={issue} />
      {/* In the last place, because failures and sessions load later and must not move the controls above. */}
      <IssueFailureLinks issueId={issue.id} />
      <IssueCost issueId={issue.id} />
    </aside>
  );
}
