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
      {issue.startedAt && (
        <Property name="Started">
          <Ago at={issue.startedAt} prose />
        </Property>
      )}
      {issue.completedAt && (
        <Property name="Completed">
          <Ago at={issue.completedAt} prose />
        </Property>
      )}
      <Property name="Branch">
        <code class="cut" title={issue.branchName}>
          {issue.branchName}
        </code>
        <Copy text={issue.branchName} label="Copy the branch name" />
      </Property>
    </dl>
  </section>
);
