import { SessionIssues } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { pathOf } from "../issues/table.tsx";

/** Issues that a session's facts name; the rest are counted. */
const SHOWN = 3;

/** The issues that a session claimed, filed or names, as one of its facts; nothing where there are none. */
export function IssuesFact({ sessionId }: { sessionId: string }) {
  const { data } = useQuery(SessionIssues, { id: sessionId });
  const page = data?.recordedSession.issueLinks;
  if (!page || page.nodes.length === 0) return null;
  const rest = page.nodes.length - SHOWN;
  return (
    <div>
      <dt>Issues</dt>
      <dd>
        {page.nodes.slice(0, SHOWN).map(({ id, kinds, issue }) => (
          <span key={id}>
            <a href={pathOf(issue.url)} title={`${issue.title} (${kinds.join(", ")})`}>
              {issue.identifier}
            </a>{" "}
          </span>
        ))}
        {rest > 0 && (
          <small>
            +{rest}
            {page.pageInfo.hasNextPage && " or more"}
          </small>
        )}
      </dd>
    </div>
  );
}
