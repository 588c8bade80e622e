import type { IssueSessionsQuery } from "../../../data/documents.ts";
import { Cost } from "../../../parts/cost.tsx";
import { Course, Failures, State } from "../../../parts/marks.tsx";
import { duration } from "../../../parts/texts/format.ts";
import { Ago } from "../../../parts/time/time.tsx";
import { stateOf, titleOf, tookOf } from "../../sessions/row.tsx";

/** A session, and what it has to do with the issue. */
export type SessionLink = IssueSessionsQuery["issue"]["sessionLinks"]["nodes"][number];

/** A recorded session within the conversation: its title, its course and its cost. */
export function SessionItem({ link: { kinds, session } }: { link: SessionLink }) {
  const { totals, startedAt, brief } = session;
  const { state, label } = stateOf(session);
  return (
    <li>
      <span class="dot">
        <State state={state} label={label} />
      </span>
      <div class="session-item">
        <p class="row">
          <a class="cut grow" href={`/sessions/${session.id}`} title={titleOf(session)}>
            <bdi>{titleOf(session)}</bdi>
          </a>
          {kinds.map((kind) => (
            <span key={kind} class="badge">
              {kind}
            </span>
          ))}
        </p>
        <p class="row dim">
          <bdi class="cut">{brief.agent ?? "session"}</bdi>
          <Ago at={startedAt} prose />
          <span class="only-wide">{duration(tookOf(session))}</span>
          {totals.failures > 0 && <Failures count={totals.failures} />}
          {(totals.cost ?? 0) > 0 && <Cost {...totals} />}
          <span class="to-right only-wide">
            <Course course={brief.course} live={brief.open} failures={totals.failures} />
          </span>
        </p>
      </div>
    </li>
  );
}
