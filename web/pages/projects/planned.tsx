import { type IssueFilter, IssuePage, type IssueRowFragment } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useRecount } from "../../data/touched.ts";
import { Avatar } from "../../parts/marks.tsx";
import { Failure } from "../../parts/states.tsx";
import { OVER } from "../issues/filter/keys.ts";
import { Holder, NewestCourse } from "../issues/list/rows.tsx";
import { PriorityIcon, ProofMark, StateIcon } from "../issues/marks.tsx";
import { pathOf } from "../issues/path.ts";
import { Day } from "./day.tsx";
import type { ProgressRead } from "./progress.tsx";
import type { ProjectData } from "./project.tsx";

/** Issues of a group that are shown, and groups that are read. */
const SHOWN = 6;
const GROUPS = 8;

type Milestone = ProjectData["projectMilestones"]["nodes"][number];

interface PlannedProps {
  project: ProjectData;
  /** By their dates. */
  milestones: readonly Milestone[];
  counts: ProgressRead["counts"];
}

/** The open issues of a project by their milestones, those of none last. */
export function Planned({ project, milestones, counts }: PlannedProps) {
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
          Only the first {GROUPS} milestones with open issues are shown.{" "}
          <a href={`/issues?${new URLSearchParams({ project: project.name, group: "projectMilestone" })}`}>
            All of them in the list of issues
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
    state: { type: { nin: OVER } },
  };
  const sort = [{ ready: { order: "Ascending" as const } }];
  const { data, error, reload } = useQuery(IssuePage, { filter, sort, first: SHOWN, after: null });
  useRecount(reload);
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
          {open.toLocaleString()} open{open > SHOWN && `, the first ${SHOWN}`}
          <span class="sr"> of {name}</span>
        </a>
        {milestone?.targetDate && (
          <span class="dim to-right">
            by <Day at={milestone.targetDate} />
          </span>
        )}
      </header>
      {!issues && error && <Failure words={error.message} retry={reload} />}
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
    <a class="cut grow" href={pathOf(issue.url)} title={issue.title} data-row={issue.id}>
      <bdi>{issue.title}</bdi>
    </a>
    <span class="only-wide row few">
      {issue.lease && <Holder lease={issue.lease} />}
      <NewestCourse issue={issue} />
    </span>
    {issue.proof && <ProofMark verdict={issue.proof.verdict} />}
    {issue.assignee ? (
      <span title={issue.assignee.name}>
        <Avatar name={issue.assignee.name} />
        <span class="sr">{issue.assignee.name}</span>
      </span>
    ) : (
      <span class="nobody" title="Nobody">
        <span class="sr">Nobody</span>
      </span>
    )}
  </li>
);
