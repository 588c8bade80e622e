import { getOwnProperty } from "../../../../formats/own.ts";
import { IssueProof } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { formatCountdown } from "../../../parts/texts/format.ts";
import { currentTime } from "../../../parts/time/time.tsx";
import type { IssueData } from "../issue.tsx";
import { PriorityIcon, ProofVerdictBadge, StateIcon } from "../marks.tsx";

const STATES: Readonly<Record<string, string>> = { started: "run", completed: "ok" };
const VERDICTS: Readonly<Record<string, string>> = { verified: "ok", contradicted: "fail" };

/**
 * Priority, state, proof and holder of an issue. Narrow screens show this summary under the title, because the
 * properties are far below. The line of the holder always exists, so that the layout does not move.
 */
export function IssueSummary({ issue }: { issue: IssueData }) {
  const { state, priority, priorityLabel, lease } = issue;
  const verdict = useQuery(IssueProof, { id: issue.id }).data?.issue.proof?.verdict;
  return (
    <div class="only-thin standing">
      <p class="row">
        {priority > 0 && (
          <span class={priority === 1 ? "badge fail" : "badge"}>
            <PriorityIcon priority={priority} />
            {priorityLabel}
          </span>
        )}
        <span class={`badge ${getOwnProperty(STATES, state.type) ?? ""}`}>
          <StateIcon state={state} />
          <bdi class="cut">{state.name}</bdi>
        </span>
        {verdict && (
          <span class={`badge ${getOwnProperty(VERDICTS, verdict) ?? ""}`}>
            <ProofVerdictBadge verdict={verdict} named />
          </span>
        )}
      </p>
      <p class="row">
        {lease ? (
          <span class="badge acc">
            <Icon name="lock" />
            <bdi class="cut">{lease.holder.name}</bdi>
            {formatCountdown(Date.parse(lease.expiresAt) - currentTime.value)} left
          </span>
        ) : (
          <span class="badge dim">Not claimed</span>
        )}
      </p>
    </div>
  );
}
