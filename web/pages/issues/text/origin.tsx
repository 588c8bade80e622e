import { HOUR_MS } from "../../../../formats/time.ts";
import { IssueFailures, type IssueFailuresQuery } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { plural } from "../../../parts/texts/format.ts";
import { Ago } from "../../../parts/time/time.tsx";
import type { IssueData } from "../issue.tsx";

/** The origin of an issue: who created it, from which failure, and who changed its title or text last. */
export function Origin({ issue }: { issue: IssueData }) {
  const { creator, externalUserCreator, createdAt, lastEdit } = issue;
  const { data } = useQuery(IssueFailures, { id: issue.id });
  const by = creator ?? externalUserCreator;
  const [failure] = data?.recordedFailureGroups.nodes ?? [];
  return (
    <p class="dim">
      {by ? <bdi>{by.name}</bdi> : "Somebody"} created it <Ago at={createdAt} prose />
      {failure && (
        <>
          {" from "}
          <a href={`/failures/${failure.id}`}>
            a failure of <bdi>{failure.tool}</bdi>
          </a>
          {sinceOf(failure, createdAt)}
        </>
      )}
      {lastEdit && (
        <>
          . {lastEdit.actor ? <bdi>{lastEdit.actor.name}</bdi> : "Trackway"} edited it{" "}
          <Ago at={lastEdit.createdAt} prose />
        </>
      )}
      .
    </p>
  );
}

type Group = IssueFailuresQuery["recordedFailureGroups"]["nodes"][number];

/** As many hours of a group are known, the newest that have failures. */
const HOURS = 72;

/** The times that it failed since. The hour of the filing says not which of its failures came after. */
function sinceOf({ hours, lastAt }: Group, createdAt: string): string {
  const filed = Math.floor(Date.parse(createdAt) / HOUR_MS) * HOUR_MS;
  const later = hours.filter(({ at }) => Date.parse(at) > filed).reduce((sum, each) => sum + each.count, 0);
  if (later === 0) return Date.parse(lastAt) > Date.parse(createdAt) ? ", which came again since" : "";
  const least = hours.length === HOURS || hours.some(({ at }) => Date.parse(at) === filed);
  return `, which came ${least ? "at least " : ""}${plural(later, "time")} since`;
}
