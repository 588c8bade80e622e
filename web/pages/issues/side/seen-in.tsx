import { useReloadOnChange } from "../../../data/changes.ts";
import { IssueFailures } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { formatPlural } from "../../../parts/texts/format.ts";
import { Age } from "../../../parts/time/time.tsx";

/** Recorded failures that an issue is about. */
export function IssueFailureLinks({ issueId }: { issueId: string }) {
  const { data, reload } = useQuery(IssueFailures, { id: issueId });
  useReloadOnChange(({ type, data: { id } }) => type === "Issue" && id === issueId, reload, issueId);
  const page = data?.recordedFailureGroups;
  if (!page || page.nodes.length === 0) return null;
  return (
    <section class="seen" aria-labelledby="seen">
      <h2 id="seen">Failures{page.pageInfo.hasNextPage && <span class="dim">, latest 5</span>}</h2>
      <ul>
        {page.nodes.map(({ id, tool, message, count, sessions, lastAt, sessionId, eventId }) => (
          <li key={id}>
            <p class="row">
              <Icon name="fail" class="i-14 c-fail" />
              <a class="cut mono" href={`/tools/${encodeURIComponent(tool)}`} title={message}>
                <bdi>{message || tool}</bdi>
              </a>
            </p>
            <p class="dim">
              {count === 1 ? "once" : `${count.toLocaleString()} times`} in {formatPlural(sessions, "session")}, last{" "}
              <a href={`/sessions/${sessionId}/events/${eventId}`}>
                <Age at={lastAt} prose />
              </a>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
