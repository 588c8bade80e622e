import type { IssueFilter } from "../../../data/documents.ts";
import type { DrawingName } from "../../../parts/drawings.tsx";
import type { FilterKey } from "./keys.ts";

/** The key of a row that issues are planned for, by its name. */
export const plan = (
  name: string,
  member: "project" | "projectMilestone",
  says: string,
  icon: DrawingName,
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

/** A row that may be meant: its name, and the project where that was said too. */
interface Named {
  member: "project" | "projectMilestone";
  name: string;
  project?: string;
}

/** The rows that a value may mean: `Checkout/Beta` is the milestone of a project, or one that is called so. */
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
