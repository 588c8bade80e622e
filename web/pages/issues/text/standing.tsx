import { IssueProof } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { countdown } from "../../../parts/texts/format.ts";
import { now } from "../../../parts/time/time.tsx";
import type { IssueData } from "../issue.tsx";
import { PriorityIcon, ProofMark, StateIcon } from "../marks.tsx";

const STATES: Readonly<Record<string, string>> = { started: "run", completed: "ok" };
const VERDICTS: Readonly<Record<string, string>> = { verified: "ok", contradicted: "fail" };

/** State, priority, proof and holder of an issue, under its title where its properties are far below. */
export function Standing({ issue }: { issue: IssueData }) {
  const { state, priority, priorityLabel, lease } = issue;
  const verdict = useQuery(IssueProof, { id: issue.id }).data?.issue.proof?.verdict;
  return (
    <p class="only-thin row standing">
      <span class={`badge ${STATES[state.type] ?? ""}`}>
        <StateIcon state={state} />
        <bdi>{state.name}</bdi>
      </span>
      {priority > 0 && (
        <span class={priority === 1 ? "badge fail" : "badge"}>
          <PriorityIcon priority={priority} />
          {priorityLabel}
        </span>
      )}
      {verdict && (
        <span class={`badge ${VERDICTS[verdict] ?? ""}`}>
          <ProofMark verdict={verdict} named />
        </span>
      )}
      {lease && (
        <span class="badge acc">
          <Icon name="lock" />
          <span>
            <bdi>{lease.holder.name}</bdi>, {countdown(Date.parse(lease.expiresAt) - now.value)} left
          </span>
        </span>
      )}
    </p>
  );
}
