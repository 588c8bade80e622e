import { type IssueFilter, IssuePage, type IssueRowFragment } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useRecountOnEvents } from "../../data/touched.ts";
import { Avatar } from "../../parts/marks.tsx";
import { LoadError } from "../../parts/states.tsx";
import { CLOSED_STATE_TYPES } from "../issues/filter/keys.ts";
import { LatestSessionActivity, LeaseHolder } from "../issues/list/rows.tsx";
import { PriorityIcon, ProofVerdictBadge, StateIcon } from "../issues/marks.tsx";
import { toAppPath } from "../issues/path.ts";
import { DayText } from "./day.tsx";
import type { ProjectProgressData } from "./progress.tsx";
import type { ProjectData } from "./project.tsx";

/** Maximum number of issues shown per milestone, and maximum number of milestones shown. */
const SHOWN = 6;
const GROUPS = 8;

type Milestone = ProjectData["projectMilestones"]["nodes"][number];

interface PlannedProps {
  project: ProjectData;
  /** Milestones sorted by date. */
  milestones: readonly Milestone[];
  counts: ProjectProgressData["counts"];
}

/** Open issues of a project by milestone. Issues without a milestone come last. */
export function OpenIssuesByMilestone({ project, milestones, counts }: PlannedProps) {
  if (!counts) return null;
  const open = (id: string | null) => {
    const counted = counts(id);
    return counted ? counted.shown - counted.done : 0;
  };
  const all = milestones.filter(({ id }) => open(id) > 0);
  const groups: (Milestone | null)[] = all.slice(0, GROUPS);
  if (open(null) > 0) groups.push(null);
  return (
    <>
      {groups.map((milestone) => (
        <Group
          key={milestone?.id ?? ""}
          project={project}
          milestone={milestone}
          name={milestone?.name ?? (milestones.length > 0 ? "No milestone" : "Issues")}
          open={open(milestone?.id ?? null)}
        />
      ))}
      {all.length > GROUPS && (
        <p class="dim">
          This page shows the first {GROUPS} milestones with open issues.{" "}
          <a href={`/issues?${new URLSearchParams({ project: project.name, group: "projectMilestone" })}`}>
            Show all in the list of issues
          </a>
        </p>
      )}
    </>
  );
}

interface GroupProps {
  project: ProjectData;
  milestone: Milestone | null;
  name: string;
  open: number;
}

function Group({ project, milestone, name, open }: GroupProps) {
  const filter: IssueFilter = {
    project: { id: { eq: project.id } },
    projectMilestone: milestone ? { id: { eq: milestone.id } } : { null: true },
    state: { type: { nin: CLOSED_STATE_TYPES } },
  };
  const sort = [{ ready: { order: "Ascending" as const } }];
  const { data, error, reload } = useQuery(IssuePage, { filter, sort, first: SHOWN, after: null });
  useRecountOnEvents(reload);
  const issues = data?.issues.nodes;
  const address = new URLSearchParams({
    project: project.name,
    milestone: milestone ? `${project.name}/${milestone.name}` : "none",
  });
  const id = `planned-${milestone?.id ?? "none"}`;
  return (
    <section class="sec" aria-labelledby={id}>
      <header>
        <h2 id={id} class="cut">
          <bdi>{name}</bdi>
        </h2>
        <a class="dim" href={`/issues?${address}`}>
          {open.toLocaleString()} open{open > SHOWN && `, first ${SHOWN} shown`}
          <span class="sr"> of {name}</span>
        </a>
        {milestone?.targetDate && (
          <span class="dim to-right">
            due <DayText at={milestone.targetDate} />
          </span>
        )}
      </header>
      {!issues && error && <LoadError words={error.message} retry={reload} />}
      <ul class="links planned">
        {issues
          ? issues.map((issue) => <Row key={issue.id} issue={issue} />)
          : Array.from({ length: Math.min(SHOWN, open) }, (_, at) => <li key={at} />)}
      </ul>
    </section>
  );
}

const Row = ({ issue }: { issue: IssueRowFragment }) => (
  <li>
    <span title={issue.priorityLabel}>
      <PriorityIcon priority={issue.priority} />
      <span class="sr">{issue.priorityLabel}</span>
    </span>
    <code class="dim only-wide">{issue.identifier}</code>
    <StateIcon state={issue.state} />
    <span class="sr">{issue.state.name}</span>
    <a class="cut grow" href={toAppPath(issue.url)} title={issue.title} data-row={issue.id}>
      <bdi>{issue.title}</bdi>
    </a>
    <span class="only-wide row few">
      {issue.lease && <LeaseHolder lease={issue.lease} />}
      <LatestSessionActivity issue={issue} />
    </span>
    {issue.proof && <ProofVerdictBadge verdict={issue.proof.verdict} />}
    {issue.assignee ? (
      <span title={issue.assignee.name}>
        <Avatar name={issue.assignee.name} />
        <span class="sr">{issue.assignee.name}</span>
      </span>
    ) : (
      <span class="nobody" title="No assignee">
        <span class="sr">No assignee</span>
      </span>
    )}
  </li>
);
