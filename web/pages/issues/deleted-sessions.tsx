import { BlankQuotation, type QuotingQuery } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { useRequest } from "../../parts/sending.ts";
import { ErrorNote } from "../../parts/states.tsx";
import { Age } from "../../parts/time/time.tsx";
import { toAppPath } from "./path.ts";

type Row = QuotingQuery["issueDeletedSessions"]["nodes"][number];
/** On the page of a single issue, the rows have no `issue`. */
type Deleted = Omit<Row, "issue"> & Partial<Pick<Row, "issue">>;

/** Deleted sessions that the text of issues may still quote, with a button that blanks each quotation. */
export function QuotedDeletedSessions({ rows, reload }: { rows: readonly Deleted[]; reload: () => void }) {
  const { busy, error, send } = useRequest();
  const blank = (id: string) => send(requestGraphQL(BlankQuotation, { id }).then(reload));
  return (
    <>
      <ul class="links">
        {rows.map(({ id, issue, createdAt, blankedAt, deletedBy }) => (
          <li key={id}>
            {issue && (
              <a class="cut grow" href={toAppPath(issue.url)} title={issue.title}>
                {issue.identifier} <bdi>{issue.title}</bdi>
              </a>
            )}
            <span class={issue ? "dim only-wide" : "cut grow dim"}>
              {issue ? "session deleted" : "A session was deleted"}
              {deletedBy && ` by ${deletedBy.name}`} <Age at={createdAt} prose />
            </span>
            {blankedAt ? (
              <span class="badge">quotation removed</span>
            ) : (
              <button class="btn" type="button" disabled={busy} onClick={() => blank(id)}>
                Remove the quotation
                {issue && <span class="sr"> in {issue.identifier}</span>}
              </button>
            )}
          </li>
        ))}
      </ul>
      <ErrorNote words={error} />
    </>
  );
}
