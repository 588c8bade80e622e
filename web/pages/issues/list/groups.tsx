import type { ComponentChildren } from "preact";
import {
  IssueCounts,
  type IssueFilter,
  type IssueGroupBy,
  type IssueUpdateInput,
  States,
  type StatesQuery,
} from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Avatar } from "../../../parts/marks.tsx";
import { WORKFLOW_STATE_TYPES } from "../filter/keys.ts";
import { PRIORITY_NAMES, PriorityIcon, StateIcon } from "../marks.tsx";
import type { IssueRow } from "./row-type.ts";

/** Groupings that the user can choose: the value of the URL parameter, and the label. */
export const GROUPING_OPTIONS: readonly [by: IssueGroupBy, name: string][] = [
  ["state", "State"],
  ["priority", "Priority"],
  ["assignee", "Assignee"],
  ["delegate", "Delegate"],
  ["holder", "Holder"],
  ["label", "Label"],
  ["project", "Project"],
  ["projectMilestone", "Milestone"],
  ["cycle", "Cycle"],
  ["team", "Team"],
  ["creator", "Creator"],
];

/** Issues that have the same value. */
export interface IssueGroup {
  /** Value that selects the group's issues in a filter; null for the group of issues without a value. */
  key: string | null;
  name: string;
  /** Project of a milestone, because projects may have milestones with equal names. */
  project?: string;
  count: number;
  icon?: ComponentChildren;
  /** Position among the groups. Groups without a rank stay in the server's order. */
  rank?: number;
}

/** Groups of an issue list, and the total number of issues. The server may not return all groups. */
export interface IssueGroups {
  groups: readonly IssueGroup[];
  total: number;
  /** Number of groups, including groups that are not shown. */
  groupCount: number;
}

type State = StatesQuery["workflowStates"]["nodes"][number];

export function buildGroupFilter(by: IssueGroupBy, key: string | null): IssueFilter {
  if (by === "holder") return { lease: key === null ? { null: true } : { holder: { id: { eq: key } } } };
  if (by === "label") {
    return { labels: key === null ? { length: { eq: 0 } } : { some: { name: { eq: key } } } };
  }
  if (by === "state") return { state: { name: { eq: key ?? "" } } };
  if (by === "priority") return { priority: { eq: Number(key) } };
  if (by === "team") return { team: { key: { eq: key ?? "" } } };
  return { [by]: key === null ? { null: true } : { id: { eq: key } } };
}

/**
 * For each grouping in which a card can be moved: the change that sets the issue's value. The grouping by state is not
 * included, because each team has states of its own.
 */
const MOVES: Partial<Record<IssueGroupBy, (key: string | null) => IssueUpdateInput>> = {
  priority: (key) => ({ priority: Number(key) }),
  assignee: (assigneeId) => ({ assigneeId }),
  delegate: (delegateId) => ({ delegateId }),
  project: (projectId) => ({ projectId }),
  cycle: (cycleId) => ({ cycleId }),
};

/** Returns the change that moves an issue into a group; undefined if the move is impossible. */
export function buildGroupMoveInput(
  by: IssueGroupBy,
  key: string | null,
  issue: IssueRow,
  states: readonly State[],
): IssueUpdateInput | undefined {
  if (by !== "state") return MOVES[by]?.(key);
  const state = states.find(({ name, team }) => name === key && team.id === issue.team.id);
  return state && { stateId: state.id };
}

/**
 * Returns the key of an issue's group. Returns undefined for labels, because an issue may have several labels, and for
 * groupings by values that list rows do not contain.
 */
export function findGroupKey(by: IssueGroupBy, issue: IssueRow): string | null | undefined {
  if (by === "state") return issue.state.name;
  if (by === "priority") return String(issue.priority);
  if (by === "assignee" || by === "delegate" || by === "project" || by === "cycle") return issue[by]?.id ?? null;
  return undefined;
}

/** Returns the change that restores an issue's current value. */
export function buildUndoMoveInput(by: IssueGroupBy, issue: IssueRow): IssueUpdateInput {
  if (by === "state") return { stateId: issue.state.id };
  const before = MOVES[by]?.(findGroupKey(by, issue) ?? null) ?? {};
  // A change of the project removes the milestone, so the milestone is restored too.
  return by === "project" ? { ...before, projectMilestoneId: issue.projectMilestone?.id ?? null } : before;
}

interface Wanted {
  filter: IssueFilter;
  by: IssueGroupBy | undefined;
  /** True to include groups without issues, as on a board. */
  empty: boolean;
  /** Keys of the teams whose states are used; empty for all teams. */
  teams: readonly string[];
}

/** Reads the groups of the issues that match a filter, and the workflow states. */
export function useIssueGroups({ filter, by, empty, teams }: Wanted) {
  const counts = useQuery(IssueCounts, { filter, groupBy: by ?? null });
  const { data } = useQuery(States, { filter: teams.length > 0 ? { team: { key: { in: teams } } } : {} });
  const states = data?.workflowStates.nodes ?? [];
  const found = counts.data?.issueGroups;
  const ready = found && (by !== "state" || data);
  const groups: IssueGroups | undefined = ready && {
    groups: by ? ordered(by, named(by, withEmpty(by, found.groups, empty ? states : []), states), empty) : [],
    total: found.count,
    groupCount: found.groupCount,
  };
  return { groups, states, error: counts.error, reload: counts.reload };
}

type Counted = { key: string | null; name: string | null; project?: { name: string } | null; count: number };

function withEmpty(by: IssueGroupBy, groups: readonly Counted[], states: readonly State[]): readonly Counted[] {
  const further = (keys: readonly string[]) =>
    keys
      .filter((key) => !groups.some((each) => each.key === key))
      .map((key) => ({ key, name: by === "state" ? key : (PRIORITY_NAMES[Number(key)] ?? key), count: 0 }));
  if (states.length === 0) return groups;
  if (by === "state") {
    const usual = states.filter(({ type }) => type !== "canceled" && type !== "duplicate");
    return [...groups, ...further([...new Set(usual.map(({ name }) => name))])];
  }
  return by === "priority" ? [...groups, ...further(["0", "1", "2", "3", "4"])] : groups;
}

const NONE: Partial<Record<IssueGroupBy, string>> = {
  assignee: "No assignee",
  delegate: "No delegate",
  holder: "No holder",
  creator: "Not a member",
  label: "No label",
  project: "No project",
  projectMilestone: "No milestone",
  cycle: "No cycle",
};
const PEOPLE: readonly IssueGroupBy[] = ["assignee", "creator", "delegate", "holder"];

function named(by: IssueGroupBy, groups: readonly Counted[], states: readonly State[]): IssueGroup[] {
  return groups.map(({ key, name, project, count }) => {
    const group = { key, name: name ?? NONE[by] ?? "None", count, ...(project && { project: project.name }) };
    const state = by === "state" ? states.find((each) => each.name === key) : undefined;
    if (state) return { ...group, icon: <StateIcon state={state} />, rank: rankOf(state) };
    if (by === "priority") {
      return { ...group, icon: <PriorityIcon priority={Number(key)} />, rank: Number(key) || LAST };
    }
    if (key === null) return { ...group, rank: LAST };
    if (PEOPLE.includes(by)) return { ...group, icon: <Avatar name={group.name} /> };
    return by === "cycle" && /^\d+$/.test(group.name) ? { ...group, name: `Cycle ${name}` } : group;
  });
}

const LAST = 1_000_000;

/** Returns the position of a state in the order of work. */
const rankOf = ({ type, position }: State): number => (WORKFLOW_STATE_TYPES.indexOf(type) + 1) * 10_000 + position;

/** Sorts groups. A list begins with the states that are nearest to completion, a board with the earliest states. */
function ordered(by: IssueGroupBy, groups: IssueGroup[], board: boolean): IssueGroup[] {
  const turned = by === "state" && !board ? -1 : 1;
  return groups.sort((a, b) => turned * ((a.rank ?? 0) - (b.rank ?? 0)));
}
