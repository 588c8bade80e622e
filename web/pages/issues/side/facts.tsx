import { Copy } from "../../../parts/texts/copy.tsx";
import { Ago } from "../../../parts/time/time.tsx";
import type { IssueData } from "../issue.tsx";
import { pathOf } from "../path.ts";

/** Further facts about an issue. */
export const Facts = ({ issue }: { issue: IssueData }) => (
  <section aria-labelledby="facts">
    <h2 id="facts">More</h2>
    <dl>
      <Fact name="Team">
        <a href={`${pathOf(issue.url).split("/issue/")[0]}/team/${issue.team.key}`}>{issue.team.name}</a>
      </Fact>
      {issue.estimate !== null && <Fact name="Estimate">{issue.estimate}</Fact>}
      {issue.project && (
        <Fact name="Project">
          <a href={pathOf(issue.project.url)}>{issue.project.name}</a>
        </Fact>
      )}
      {issue.projectMilestone && (
        <Fact name="Milestone">
          <bdi>{issue.projectMilestone.name}</bdi>
        </Fact>
      )}
      {issue.cycle && (
        <Fact name="Cycle">
          <a href={`/cycles/${issue.cycle.id}`}>{issue.cycle.name ?? `Cycle ${issue.cycle.number}`}</a>
        </Fact>
      )}
      {issue.parent && (
        <Fact name="Part of">
          <a href={pathOf(issue.parent.url)} title={issue.parent.title}>
            {issue.parent.identifier}
          </a>
        </Fact>
      )}
      {!issue.assignee && issue.externalUserAssignee && (
        <Fact name="Was with">
          <bdi>{issue.externalUserAssignee.name}</bdi> <span class="dim">no member here</span>
        </Fact>
      )}
      {issue.startedAt && (
        <Fact name="Started">
          <Ago at={issue.startedAt} prose />
        </Fact>
      )}
      {issue.completedAt && (
        <Fact name="Completed">
          <Ago at={issue.completedAt} prose />
        </Fact>
      )}
      <Fact name="Branch">
        <code class="cut" title={issue.branchName}>
          {issue.branchName}
        </code>
        <Copy text={issue.branchName} label="Copy the branch name" />
      </Fact>
    </dl>
  </section>
);

const Fact = ({ name, children }: { name: string; children: preact.ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);
