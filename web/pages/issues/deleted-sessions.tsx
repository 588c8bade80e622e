import { BlankQuotation, type QuotingQuery } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { useSending } from "../../parts/sending.ts";
import { Problem } from "../../parts/states.tsx";
import { Ago } from "../../parts/time/time.tsx";
import { pathOf } from "./path.ts";

type Row = QuotingQuery["issueDeletedSessions"]["nodes"][number];
/** The issue is left out where the page is about it. */
type Deleted = Omit<Row, "issue"> & Partial<Pick<Row, "issue">>;

/** Deleted sessions that texts of issues may still quote, with a button that blanks each quotation. */
export function DeletedSessions({ rows, reload }: { rows: readonly Deleted[]; reload: () => void }) {
  const { busy, error, send } = useSending();
  const blank = (id: string) => send(request(BlankQuotation, { id }).then(reload));
  return (
    <>
      <ul class="links">
        {rows.map(({ id, issue, createdAt, blankedAt, deletedBy }) => (
          <li key={id}>
            {issue && (
              <a class="cut grow" href={pathOf(issue.url)} title={issue.title}>
                {issue.identifier} <bdi>{issue.title}</bdi>
              </a>
            )}
            <span class={issue ? "dim only-wide" : "cut grow dim"}>
              {issue ? "session deleted" : "A session was deleted"}
              {deletedBy && ` by ${deletedBy.name}`} <Ago at={createdAt} prose />
            </span>
            {blankedAt ? (
              <span class="badge">quotation blanked</span>
            ) : (
              <button class="btn" type="button" disabled={busy} onClick={() => blank(id)}>
                Blank the quotation
                {issue && <span class="sr"> in {issue.identifier}</span>}
              </button>
            )}
          </li>
        ))}
      </ul>
      <Problem words={error} />
    </>
  );
}
