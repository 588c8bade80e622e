import { useRef, useState } from "preact/hooks";
import type { ApiError } from "../../../data/api.ts";
import { type IssueUpdateInput, UpdateIssue } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import { Problem } from "../../../parts/states.tsx";
import type { IssueData } from "../issue.tsx";
import { Claim } from "./claim.tsx";
import { CostOf } from "./cost.tsx";
import { Facts } from "./facts.tsx";
import { Fields } from "./fields.tsx";
import { moveToProject } from "./move.ts";
import { SeenIn } from "./seen-in.tsx";
import { type Refused, refusedOf, Unproven } from "./unproven.tsx";

/** The properties of an issue, to be changed in place. */
export function Properties({ issue, reload }: { issue: IssueData; reload: () => Promise<void> }) {
  const [error, setError] = useState("");
  const [refused, setRefused] = useState<Refused>();
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
        ? request(UpdateIssue, { id: issue.id, input })
        : moveToProject(issue, input.projectId, reload);
    void act(
      sent.catch((failure: ApiError) => {
        const unproven = refusedOf(failure, input);
        if (!unproven) throw failure;
        setRefused(unproven);
      }),
    );
  };
  return (
    <aside class="props" aria-label="Properties" aria-busy={underWay > 0}>
      <Problem words={error} />
      {refused && <Unproven issue={issue} refused={refused} done={() => act(Promise.resolve())} />}
      <Claim key={issue.id} issue={issue} act={act} />
      <section aria-labelledby="properties">
        <h2 id="properties">Properties</h2>
        <Fields issue={issue} chosen={chosen} change={change} />
      </section>
      <Facts issue={issue} />
      {/* Last, since they come with a failure and with a session: what is pressed meanwhile must not move. */}
      <SeenIn issueId={issue.id} />
      <CostOf issueId={issue.id} />
    </aside>
  );
}
