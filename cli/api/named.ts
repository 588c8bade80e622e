/**
 * A kind of entity that a user can name in a command-line argument. Contains the GraphQL type and list of the kind, the
 * fields to request, and the fields to search for the name.
 */
interface Kind {
  type: string;
  list: string;
  nodes: string;
  /** Fields that are searched for the name that the user gave. */
  by: readonly string[];
  /** Maximum number of entities that are read for one name. */
  most: number;
}

/** Fields of a team, with the states of its issues. */
export const TEAM_FIELDS = "id key name states(first: 100) { nodes { id name type position } }";

/** All kinds of entities that command-line arguments name. */
export const NAMED_ENTITY_KINDS = {
  team: { type: "Team", list: "teams", nodes: TEAM_FIELDS, by: ["key", "name"], most: 20 },
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

export type NamedEntityKind = keyof typeof NAMED_ENTITY_KINDS;

const all = Object.entries(NAMED_ENTITY_KINDS);
const given = all.map(([name, { type }]) => `$${name}: ${type}Filter, $by_${name}: Boolean = false`);
const lists = all.map(
  ([name, { list, nodes, most }]) =>
    `  ${name}: ${list}(filter: $${name}, first: ${most}) @include(if: $by_${name}) { nodes { ${nodes} } }`,
);

/** GraphQL documents that look up names. */
export const NAME_LOOKUP_DOCUMENTS = {
  find: `query Names($issue: String = "", $ofIssue: Boolean = false, ${given.join(", ")}) {
  issue(id: $issue) @include(if: $ofIssue) { team { ${TEAM_FIELDS} } project { id } }
${lists.join("\n")}
}`,
  ...(Object.fromEntries(
    all.map(([name, { list, by }]) => [
      `${name}s`,
      `query Choices { choices: ${list}(first: 20) { nodes { name${name === "team" ? `: ${by[0]}` : ""} } } }`,
    ]),
  ) as Record<`${NamedEntityKind}s`, string>),
} as const;
