import { Property } from "../../../parts/property.tsx";
import { Copy } from "../../../parts/texts/copy.tsx";
import { Ago } from "../../../parts/time/time.tsx";
import type { IssueData } from "../issue.tsx";
import { pathOf } from "../path.ts";

/** Further facts about an issue. */
export const Facts = ({ issue }: { issue: IssueData }) => (
  <section aria-labelledby="facts">
    <h2 id="facts">More</h2>
    <dl>
      <Property name="Team">
        <a href={`${pathOf(issue.url).split("/issue/")[0]}/team/${issue.team.key}`}>{issue.team.name}</a>
      </Property>
      {issue.estimate !== null && <Property name="Estimate">{issue.estimate}</Property>}
      {issue.project && (
        <Property name="Project">
          <a href={pathOf(issue.project.url)}>{issue.project.name}</a>
        </Property>
      )}
      {issue.projectMilestone && (
        <Property name="Milestone">
          <bdi>{issue.projectMilestone.name}</bdi>
        </Property>
      )}
      {issue.cycle && (
        <Property name="Cycle">
          <a href={`/cycles/${issue.cycle.id}`}>{issue.cycle.name ?? `Cycle ${issue.cycle.number}`}</a>
        </Property>
      )}
      {issue.parent && (
        <Property name="Part of">
          <a href={pathOf(issue.parent.url)} title={issue.parent.title}>
            {issue.parent.identifier}
          </a>
        </Property>
      )}
      {!issue.assignee && issue.externalUserAssignee && (
        <Property name="Was with">
          <bdi>{issue.externalUserAssignee.name}</bdi> <span class="dim">no member here</span>
        </Property>
      )}
      <Property name="Branch">
        <code class="cut" title={issue.branchName}>
          {issue.branchName}
        </code>
        <Copy text={issue.branchName} label="Copy the branch name" />
      </Property>
      <Property name="Started">
        <Moment at={issue.startedAt} />
      </Property>
      <Property name="Completed">
        <Moment at={issue.completedAt} />
      </Property>
    </dl>
  </section>
);

/** A moment that may be still to come: its line is there before, so that nothing moves then. */
const Moment = ({ at }: { at: string | null }) => (at ? <Ago at={at} prose /> : <span class="dim">not yet</span>);
