import type { IssueSessionsQuery } from "../../../data/documents.ts";
import { CostText } from "../../../parts/cost.tsx";
import { ActivityChart, FailureCount, StatusIcon } from "../../../parts/marks.tsx";
import { formatDuration } from "../../../parts/texts/format.ts";
import { Age } from "../../../parts/time/time.tsx";
import { computeSessionDuration, formatSessionState, formatSessionTitle } from "../../sessions/row.tsx";

/** Recorded session with the kinds of its link to an issue. */
export type SessionLink = IssueSessionsQuery["issue"]["sessionLinks"]["nodes"][number];

/** Recorded session in the conversation: title, activity chart and cost. */
export function LinkedSessionItem({ link: { kinds, session } }: { link: SessionLink }) {
  const { totals, startedAt, brief } = session;
  const { state, label } = formatSessionState(session);
  return (
    <li>
      <span class="dot">
        <StatusIcon state={state} label={label} />
      </span>
      <div class="session-item">
        <p class="row">
          <a class="cut grow" href={`/sessions/${session.id}`} title={formatSessionTitle(session)}>
            <bdi>{formatSessionTitle(session)}</bdi>
          </a>
          {kinds.map((kind) => (
            <span key={kind} class="badge">
              {kind}
            </span>
          ))}
        </p>
        <p class="row dim">
          <bdi class="cut">{brief.agent ?? "session"}</bdi>
          <Age at={startedAt} prose />
          <span class="only-wide">{formatDuration(computeSessionDuration(session))}</span>
          {totals.failures > 0 && <FailureCount count={totals.failures} />}
          {(totals.cost ?? 0) > 0 && <CostText {...totals} />}
          <span class="to-right only-wide">
            <ActivityChart course={brief.course} live={brief.open} failures={totals.failures} />
          </span>
        </p>
      </div>
    </li>
  );
}
