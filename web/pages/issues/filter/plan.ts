import type { IssueFilter } from "../../../data/documents.ts";
import type { TrackerIconName } from "../../../parts/drawings.tsx";
import type { FilterKey } from "./keys.ts";

/** Builds the filter key for a project or a milestone, by name. */
export const buildPlanningFilterKey = (
  name: string,
  member: "project" | "projectMilestone",
  says: string,
  icon: TrackerIconName,
): FilterKey => ({
  name,
  says,
  icon,
  groups: member,
  values: ["none"],
  filter: (value) => (value === "none" ? { [member]: { null: true } } : anyOf(placesOf(member, value).map(isAt))),
  others: (value) =>
    value === "none" ? { [member]: { null: false } } : { and: placesOf(member, value).map(isElsewhere) },
});

/**
 * One possible meaning of a filter value: the name of a project or milestone, and the milestone's project if the value
 * names a project.
 */
interface Named {
  member: "project" | "projectMilestone";
  name: string;
  project?: string;
}

/**
 * Returns the possible meanings of a value. `Checkout/Beta` is the milestone Beta of the project Checkout, or a
 * milestone with that full name.
 */
const placesOf = (member: Named["member"], value: string): Named[] => [
  { member, name: value },
  ...(member === "projectMilestone" ? [...value.matchAll(/\//g)] : []).map(({ index }) => ({
    member,
    name: value.slice(index + 1),
    project: value.slice(0, index),
  })),
];

const anyOf = (filters: IssueFilter[]): IssueFilter => (filters.length > 1 ? { or: filters } : (filters[0] ?? {}));

const isAt = ({ member, name, project }: Named): IssueFilter => ({
  [member]: { name: { eqIgnoreCase: name } },
  ...(project !== undefined && { project: { name: { eqIgnoreCase: project } } }),
});

const isElsewhere = ({ member, name, project }: Named): IssueFilter => ({
  or: [
    { [member]: { null: true } },
    { [member]: { name: { neqIgnoreCase: name } } },
    ...(project === undefined ? [] : [{ project: { name: { neqIgnoreCase: project } } }]),
  ],
});
