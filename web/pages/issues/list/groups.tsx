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
import { TYPES } from "../filter/keys.ts";
import { PRIORITIES, PriorityIcon, StateIcon } from "../marks.tsx";
import type { IssueRow } from "./row-type.ts";

/** Groupings by their names in the address, with their names for people. */
export const GROUPINGS: readonly [by: IssueGroupBy, name: string][] = [
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
export interface Group {
  /** The value as filters compare it; null for none. */
  key: string | null;
  name: string;
  /** The project of a milestone: another one may have a milestone of the same name. */
  project?: string;
  count: number;
  icon?: ComponentChildren;
  /** Its place among the groups; those without one stay in the order of the server. */
  rank?: number;
}

/** The groups of a list, as far as they are known. */
export interface Groups {
  groups: readonly Group[];
  total: number;
  /** The number of groups, also of those that are not shown. */
  groupCount: number;
}

type State = StatesQuery["workflowStates"]["nodes"][number];

/** The filter that finds a group's issues. */
export function filterOfGroup(by: IssueGroupBy, key: string | null): IssueFilter {
  if (by === "holder") return { lease: key === null ? { null: true } : { holder: { id: { eq: key } } } };
  if (by === "label") {
    return { labels: key === null ? { length: { eq: 0 } } : { some: { name: { eq: key } } } };
  }
  if (by === "state") return { state: { name: { eq: key ?? "" } } };
  if (by === "priority") return { priority: { eq: Number(key) } };
  if (by === "team") return { team: { key: { eq: key ?? "" } } };
  return { [by]: key === null ? { null: true } : { id: { eq: key } } };
}

/** Groupings whose value a card takes when it is moved there, and how. The last one is for states, which teams have each. */
const MOVES: Partial<Record<IssueGroupBy, (key: string | null) => IssueUpdateInput>> = {
  priority: (key) => ({ priority: Number(key) }),
  assignee: (assigneeId) => ({ assigneeId }),
  delegate: (delegateId) => ({ delegateId }),
  project: (projectId) => ({ projectId }),
  cycle: (cycleId) => ({ cycleId }),
};

/** The change of an issue that is moved into a group; undefined where it cannot be moved there. */
export function moveTo(
  by: IssueGroupBy,
  key: string | null,
  issue: IssueRow,
  states: readonly State[],
): IssueUpdateInput | undefined {
  if (by !== "state") return MOVES[by]?.(key);
  const state = states.find(({ name, team }) => name === key && team.id === issue.team.id);
  return state && { stateId: state.id };
}

/** The group that an issue is in; undefined for labels, of which it may have several, and for what rows do not tell. */
export function groupOf(by: IssueGroupBy, issue: IssueRow): string | null | undefined {
  if (by === "state") return issue.state.name;
  if (by === "priority") return String(issue.priority);
  if (by === "assignee" || by === "delegate" || by === "project" || by === "cycle") return issue[by]?.id ?? null;
  return undefined;
}

/** The value that an issue has, as a change that sets it. */
export function setBack(by: IssueGroupBy, issue: IssueRow): IssueUpdateInput {
  if (by === "state") return { stateId: issue.state.id };
  const before = MOVES[by]?.(groupOf(by, issue) ?? null) ?? {};
  // An issue that gets another project loses its milestone.
  return by === "project" ? { ...before, projectMilestoneId: issue.projectMilestone?.id ?? null } : before;
}

interface Wanted {
  filter: IssueFilter;
  by: IssueGroupBy | undefined;
  /** Groups are shown that have no issue: those of a board. */
  empty: boolean;
  /** Keys of the teams whose states count; all where there is none. */
  teams: readonly string[];
}

/** The groups of the issues that pass a filter, and the states that there are. */
export function useGroups({ filter, by, empty, teams }: Wanted) {
  const counts = useQuery(IssueCounts, { filter, groupBy: by ?? null });
  const { data } = useQuery(States, { filter: teams.length > 0 ? { team: { key: { in: teams } } } : {} });
  const states = data?.workflowStates.nodes ?? [];
  const found = counts.data?.issueGroups;
  const ready = found && (by !== "state" || data);
  const groups: Groups | undefined = ready && {
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
      .map((key) => ({ key, name: by === "state" ? key : (PRIORITIES[Number(key)] ?? key), count: 0 }));
  if (states.length === 0) return groups;
  if (by === "state") {
    const usual = states.filter(({ type }) => type !== "canceled" && type !== "duplicate");
    return [...groups, ...further([...new Set(usual.map(({ name }) => name))])];
  }
  return by === "priority" ? [...groups, ...further(["0", "1", "2", "3", "4"])] : groups;
}

const NONE: Partial<Record<IssueGroupBy, string>> = {
  assignee: "Nobody",
  delegate: "Not delegated",
  holder: "Held by nobody",
  creator: "Nobody of here",
  label: "No label",
  project: "No project",
  projectMilestone: "No milestone",
  cycle: "No cycle",
};
const PEOPLE: readonly IssueGroupBy[] = ["assignee", "creator", "delegate", "holder"];

function named(by: IssueGroupBy, groups: readonly Counted[], states: readonly State[]): Group[] {
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

/** The place of a state in the order of work. */
const rankOf = ({ type, position }: State): number => (TYPES.indexOf(type) + 1) * 10_000 + position;

/** A list begins with the states that are nearest to their end, a board with the others. */
function ordered(by: IssueGroupBy, groups: Group[], board: boolean): Group[] {
  const turned = by === "state" && !board ? -1 : 1;
  return groups.sort((a, b) => turned * ((a.rank ?? 0) - (b.rank ?? 0)));
}
