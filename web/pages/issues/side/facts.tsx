import { PropertyRow } from "../../../parts/property.tsx";
import { CopyButton } from "../../../parts/texts/copy.tsx";
import { Age } from "../../../parts/time/time.tsx";
import type { IssueData } from "../issue.tsx";
import { toAppPath } from "../path.ts";

/** Further details of an issue. */
export const IssueDetails = ({ issue }: { issue: IssueData }) => (
  <section aria-labelledby="facts">
    <h2 id="facts">Details</h2>
    <dl>
      <PropertyRow name="Team">
        <a href={`${toAppPath(issue.url).split("/issue/")[0]}/team/${issue.team.key}`}>{issue.team.name}</a>
      </PropertyRow>
      {issue.estimate !== null && <PropertyRow name="Estimate">{issue.estimate}</PropertyRow>}
      {issue.project && (
        <PropertyRow name="Project">
          <a href={toAppPath(issue.project.url)}>{issue.project.name}</a>
        </PropertyRow>
      )}
      {issue.projectMilestone && (
        <PropertyRow name="Milestone">
          <bdi>{issue.projectMilestone.name}</bdi>
        </PropertyRow>
      )}
      {issue.cycle && (
        <PropertyRow name="Cycle">
          <a href={`/cycles/${issue.cycle.id}`}>{issue.cycle.name ?? `Cycle ${issue.cycle.number}`}</a>
        </PropertyRow>
      )}
      {issue.parent && (
        <PropertyRow name="Parent issue">
          <a href={toAppPath(issue.parent.url)} title={issue.parent.title}>
            {issue.parent.identifier}
          </a>
        </PropertyRow>
      )}
      {!issue.assignee && issue.externalUserAssignee && (
        <PropertyRow name="Imported assignee">
          <bdi>{issue.externalUserAssignee.name}</bdi> <span class="dim">not a member</span>
        </PropertyRow>
      )}
      <PropertyRow name="Branch">
        <code class="cut" title={issue.branchName}>
          {issue.branchName}
        </code>
        <CopyButton text={issue.branchName} label="Copy the branch name" />
      </PropertyRow>
      <PropertyRow name="Started">
        <Moment at={issue.startedAt} />
      </PropertyRow>
      <PropertyRow name="Completed">
        <Moment at={issue.completedAt} />
      </PropertyRow>
    </dl>
  </section>
);

/**
 * Time of an event, or “not yet” if the event has not happened. The line always exists, so that the layout does not
 * move when the event happens.
 */
const Moment = ({ at }: { at: string | null }) => (at ? <Age at={at} prose /> : <span class="dim">not yet</span>);
