import { HOUR_MS } from "../../../../formats/time.ts";
import { IssueFailures, type IssueFailuresQuery } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { formatPlural } from "../../../parts/texts/format.ts";
import { Age } from "../../../parts/time/time.tsx";
import type { IssueData } from "../issue.tsx";

/** Origin of an issue: the creator, the failure that the issue was created from, and the last editor. */
export function IssueOrigin({ issue }: { issue: IssueData }) {
  const { creator, externalUserCreator, createdAt, lastEdit } = issue;
  const { data } = useQuery(IssueFailures, { id: issue.id });
  const by = creator ?? externalUserCreator;
  const [failure] = data?.recordedFailureGroups.nodes ?? [];
  return (
    <p class="dim">
      {by ? <bdi>{by.name}</bdi> : "An unknown user"} created the issue <Age at={createdAt} prose />
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
          . {lastEdit.actor ? <bdi>{lastEdit.actor.name}</bdi> : "Trackway"} edited the issue{" "}
          <Age at={lastEdit.createdAt} prose />
        </>
      )}
      .
    </p>
  );
}

type Group = IssueFailuresQuery["recordedFailureGroups"]["nodes"][number];

/**
 * Maximum number of hours for which the server returns the number of failures in a failure group. The server returns
 * the newest hours with failures.
 */
const HOURS = 72;

/**
 * Describes how often the failure occurred after the issue was created. The numbers are per hour, so failures in the
 * hour of creation may have occurred before or after the creation. The count excludes the failures in that hour.
 */
function sinceOf({ hours, lastAt }: Group, createdAt: string): string {
  const filed = Math.floor(Date.parse(createdAt) / HOUR_MS) * HOUR_MS;
  const later = hours.filter(({ at }) => Date.parse(at) > filed).reduce((sum, each) => sum + each.count, 0);
  if (later === 0) return Date.parse(lastAt) > Date.parse(createdAt) ? ", which has occurred again since" : "";
  const least = hours.length === HOURS || hours.some(({ at }) => Date.parse(at) === filed);
  return `, which has occurred ${least ? "at least " : ""}${formatPlural(later, "time")} since`;
}
