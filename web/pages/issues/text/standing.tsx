import { readOwn } from "../../../../formats/own.ts";
import { IssueProof } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { countdown } from "../../../parts/texts/format.ts";
import { now } from "../../../parts/time/time.tsx";
import type { IssueData } from "../issue.tsx";
import { PriorityIcon, ProofMark, StateIcon } from "../marks.tsx";

const STATES: Readonly<Record<string, string>> = { started: "run", completed: "ok" };
const VERDICTS: Readonly<Record<string, string>> = { verified: "ok", contradicted: "fail" };

/**
 * Priority, state and proof of an issue, and its holder in a line of its own, under its title where its properties are far
 * below. Nothing moves when a holder comes or goes.
 */
export function Standing({ issue }: { issue: IssueData }) {
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
        <span class={`badge ${readOwn(STATES, state.type) ?? ""}`}>
          <StateIcon state={state} />
          <bdi class="cut">{state.name}</bdi>
        </span>
        {verdict && (
          <span class={`badge ${readOwn(VERDICTS, verdict) ?? ""}`}>
            <ProofMark verdict={verdict} named />
          </span>
        )}
      </p>
      <p class="row">
        {lease ? (
          <span class="badge acc">
            <Icon name="lock" />
            <bdi class="cut">{lease.holder.name}</bdi>
            {countdown(Date.parse(lease.expiresAt) - now.value)} left
          </span>
        ) : (
          <span class="badge dim">Held by nobody</span>
        )}
      </p>
    </div>
  );
}
