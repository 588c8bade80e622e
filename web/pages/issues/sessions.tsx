import { useChanges } from "../../data/changes.ts";
import { IssueSessions, type IssueSessionsQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Cost } from "../../parts/cost.tsx";
import { Failures, State } from "../../parts/marks.tsx";
import { Failure } from "../../parts/states.tsx";
import { duration } from "../../parts/texts/format.ts";
import { Ago } from "../../parts/time/time.tsx";
import { stateOf, titleOf, tookOf } from "../sessions/row.tsx";
import { DeletedSessions } from "./deleted-sessions.tsx";

type Link = IssueSessionsQuery["issue"]["sessionLinks"]["nodes"][number];

/** The recorded sessions that worked on an issue, filed it, or name it. */
export function Sessions({ issueId, identifier }: { issueId: string; identifier: string }) {
  const { data, error, reload } = useQuery(IssueSessions, { id: issueId });
  useChanges(({ type, data: { id } }) => type === "Issue" && id === issueId, reload, issueId);
  const page = data?.issue.sessionLinks;
  if (!page && !error) return null;
  return (
    <section class="sec" aria-labelledby="worked">
      <header>
        <h2 id="worked">Sessions</h2>
        {page?.pageInfo.hasNextPage && <span class="dim">the latest 20</span>}
      </header>
      {!page && error && <Failure words={error.message} retry={reload} />}
      {page?.nodes.length === 0 && <p class="dim">No recorded session claimed, filed or mentioned {identifier}.</p>}
      {page && page.nodes.length > 0 && (
        <ul class="links">
          {page.nodes.map((link) => (
            <One key={link.id} link={link} />
          ))}
        </ul>
      )}
      {data && <DeletedSessions rows={data.issue.deletedSessions.nodes} reload={reload} />}
    </section>
  );
}

function One({ link: { kinds, session } }: { link: Link }) {
  const { totals, startedAt } = session;
  return (
    <li>
      <State {...stateOf(session)} />
      <a class="cut grow" href={`/sessions/${session.id}`} title={titleOf(session)}>
        <bdi>{titleOf(session)}</bdi>
      </a>
      {kinds.map((kind) => (
        <span key={kind} class="badge">
          {kind}
        </span>
      ))}
      <span class="only-wide">
        <Failures count={totals.failures} />
      </span>
      <span class="dim only-wide">{duration(tookOf(session))}</span>
      {(totals.cost ?? 0) > 0 && (
        <span class="dim only-wide">
          <Cost {...totals} />
        </span>
      )}
      <span class="dim">
        <Ago at={startedAt} prose />
      </span>
    </li>
  );
}
