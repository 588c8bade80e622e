import { useChanges } from "../../../data/changes.ts";
import { IssueFailures } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { plural } from "../../../parts/texts/format.ts";
import { Ago } from "../../../parts/time/time.tsx";

/** The recorded failures that an issue is about. */
export function SeenIn({ issueId }: { issueId: string }) {
  const { data, reload } = useQuery(IssueFailures, { id: issueId });
  useChanges(({ type, data: { id } }) => type === "Issue" && id === issueId, reload, issueId);
  const page = data?.recordedFailureGroups;
  if (!page || page.nodes.length === 0) return null;
  return (
    <section class="seen" aria-labelledby="seen">
      <h2 id="seen">Seen in{page.pageInfo.hasNextPage && <span class="dim">, the latest 5</span>}</h2>
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
              {count === 1 ? "once" : `${count.toLocaleString()} times`} in {plural(sessions, "session")}, last{" "}
              <a href={`/sessions/${sessionId}/events/${eventId}`}>
                <Ago at={lastAt} prose />
              </a>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
