/** A kind of thing that a command line names: its type and list in the API, what is asked of it, and how it is called. */
interface Kind {
  type: string;
  list: string;
  nodes: string;
  /** The fields that hold its names. */
  by: readonly string[];
  /** The most that are read of one name. */
  most: number;
}

/** A team with the states of its issues. */
export const TEAM = "id key name states(first: 100) { nodes { id name type position } }";

/** Everything that a command line names. */
export const KINDS = {
  team: { type: "Team", list: "teams", nodes: TEAM, by: ["key", "name"], most: 20 },
  user: {
    type: "User",
    list: "users",
    nodes: "id name displayName email app",
    by: ["email", "displayName", "name"],
    most: 10,
  },
  project: { type: "Project", list: "projects", nodes: "id name slugId", by: ["name", "slugId"], most: 10 },
  label: { type: "IssueLabel", list: "issueLabels", nodes: "id name team { id }", by: ["name"], most: 100 },
  cycle: { type: "Cycle", list: "cycles", nodes: "id name team { id }", by: ["name"], most: 20 },
  milestone: {
    type: "ProjectMilestone",
    list: "projectMilestones",
    nodes: "id name project { id }",
    by: ["name"],
    most: 50,
  },
  state: { type: "WorkflowState", list: "workflowStates", nodes: "id name", by: ["name"], most: 10 },
} as const satisfies Record<string, Kind>;

/** The name of a kind. */
export type KindName = keyof typeof KINDS;

const all = Object.entries(KINDS);
const given = all.map(([name, { type }]) => `$${name}: ${type}Filter, $by_${name}: Boolean = false`);
const lists = all.map(
  ([name, { list, nodes, most }]) =>
    `  ${name}: ${list}(filter: $${name}, first: ${most}) @include(if: $by_${name}) { nodes { ${nodes} } }`,
);

/** The documents that look names up. */
export const NAME = {
  find: `query Names($issue: String = "", $ofIssue: Boolean = false, ${given.join(", ")}) {
  issue(id: $issue) @include(if: $ofIssue) { team { ${TEAM} } project { id } }
${lists.join("\n")}
}`,
  ...(Object.fromEntries(
    all.map(([name, { list, by }]) => [
      `${name}s`,
      `query Choices { choices: ${list}(first: 20) { nodes { name${name === "team" ? `: ${by[0]}` : ""} } } }`,
    ]),
  ) as Record<`${KindName}s`, string>),
} as const;
