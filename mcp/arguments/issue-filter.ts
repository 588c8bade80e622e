import { z } from "zod";
import { isSameName, toComparableName } from "../../formats/names.ts";
import { isUuid } from "../../formats/uuid.ts";
import type { GraphqlClient } from "../api/graphql.ts";
import { NAME_LOOKUP_DOCUMENTS } from "../documents/names.ts";
import { ToolError } from "../errors.ts";
import { PRIORITIES, toPriorityNumber } from "../results.ts";
import { ENTITY_FILTER_BUILDERS, NAME_OR_KEYWORD_SCHEMA, parseDay, parsePastTime } from "./filters.ts";
import { createNameResolver, type NameArguments, type NameLookupResult } from "./names.ts";

/** Arguments that select issues. An issue must match all given arguments. */
export const ISSUE_FILTER_SCHEMAS = {
  team: z.string().optional(),
  state: NAME_OR_KEYWORD_SCHEMA.optional().describe("name, type or open"),
  assignee: NAME_OR_KEYWORD_SCHEMA.optional().describe("name, email, me or none"),
  creator: NAME_OR_KEYWORD_SCHEMA.optional(),
  priority: z.enum(PRIORITIES).optional(),
  labels: z.array(z.string()).max(10).optional().describe("all of them"),
  project: NAME_OR_KEYWORD_SCHEMA.optional().describe("name or none"),
  cycle: NAME_OR_KEYWORD_SCHEMA.optional().describe("number, name, current or none"),
  milestone: NAME_OR_KEYWORD_SCHEMA.optional(),
  due: NAME_OR_KEYWORD_SCHEMA.optional().describe("by ISO date, P7D or none"),
  created_since: z.string().optional().describe("ISO date or P7D"),
  updated_since: z.string().optional(),
  completed_since: z.string().optional(),
};

const filters = z.object(ISSUE_FILTER_SCHEMAS);

export type IssueFilterArguments = z.output<typeof filters>;

/**
 * Returns the names in the arguments that must exist. A check of these names turns an unknown name into an error
 * instead of an empty list. Omits `me`, `current` and `none`.
 */
export function extractNameArguments(args: IssueFilterArguments): NameArguments {
  const { team, assignee, creator, project, labels, cycle, milestone } = args;
  const real = (text: string | undefined) =>
    text === "none" || text === "me" || text === "current" ? undefined : text;
  const people = { user: real(assignee), creator: real(creator) };
  return { team, ...people, project: real(project), labels, cycle: real(cycle), milestone: real(milestone) };
}

/**
 * If a name matches several teams, users or projects, returns the ids to filter by; otherwise undefined. @throws
 * ToolError for an unknown or ambiguous name
 */
export async function resolveAmbiguous(
  graphql: GraphqlClient,
  named: NameArguments,
  data: NameLookupResult,
): Promise<Partial<IssueFilterArguments> | undefined> {
  const resolve = createNameResolver(graphql, named, data);
  const team = named.team === undefined ? undefined : (await resolve.team()).id;
  const assignee = named.user === undefined ? undefined : (await resolve.user()).id;
  const creator = named.creator === undefined ? undefined : (await resolve.creator()).id;
  const project = named.project === undefined ? undefined : (await resolve.project()).id;
  const labels = new Set((data.namedLabels?.nodes ?? []).map(({ name }) => toComparableName(name)));
  await resolve.labels(
    undefined,
    (named.labels ?? []).filter((text) => !labels.has(toComparableName(text))),
  );
  if (named.cycle !== undefined && data.namedCycles?.nodes.length === 0) await resolve.cycle();
  if (named.milestone !== undefined && data.namedMilestones?.nodes.length === 0) await resolve.milestone(project);
  const people = new Set([assignee, creator].filter(Boolean)).size;
  const several = (found: { nodes: unknown[] } | undefined, most: number) => (found?.nodes.length ?? 0) > most;
  if (!several(data.namedTeams, 1) && !several(data.namedUsers, people) && !several(data.namedProjects, 1))
    return undefined;
  const ids = Object.entries({ team, assignee, creator, project }).filter(([, id]) => id);
  return Object.fromEntries(ids);
}

/** Converts the arguments to a GraphQL filter. @throws ToolError for an invalid date */
export function buildIssueFilter(args: IssueFilterArguments): Record<string, unknown> {
  const { team, state, assignee, creator, project, cycle, milestone, due, priority, labels } = args;
  const given = <Value>(name: string, value: Value | undefined, filter: (value: Value) => unknown) =>
    value === undefined ? {} : { [name]: filter(value) };
  const orNone = (filter: (text: string) => unknown) => (text: string) =>
    text === "none" ? { null: true } : filter(text);
  const since = (name: "created_since" | "updated_since" | "completed_since") => (text: string) => ({
    gte: parsePastTime(name, text),
  });
  return {
    ...given("team", team, ENTITY_FILTER_BUILDERS.team),
    ...given("state", state, ENTITY_FILTER_BUILDERS.state),
    ...given("assignee", assignee, orNone(ENTITY_FILTER_BUILDERS.user)),
    ...given("creator", creator, orNone(ENTITY_FILTER_BUILDERS.user)),
    ...given("project", project, orNone(ENTITY_FILTER_BUILDERS.project)),
    ...given("cycle", cycle, orNone(ENTITY_FILTER_BUILDERS.cycle)),
    ...given("projectMilestone", milestone, orNone(ENTITY_FILTER_BUILDERS.milestone)),
    ...given(
      "dueDate",
      due,
      orNone((text) => ({ lte: parseDay("due", text) })),
    ),
    ...given("priority", priority, (name) => ({ eq: toPriorityNumber(name) })),
    ...(labels?.length && { and: labels.map((name) => ({ labels: { some: ENTITY_FILTER_BUILDERS.label(name) } })) }),
    ...given("createdAt", args.created_since, since("created_since")),
    ...given("updatedAt", args.updated_since, since("updated_since")),
    ...given("completedAt", args.completed_since, since("completed_since")),
  };
}

interface Choices {
  choices: { nodes: { name: string; type: string; position: number }[] };
}

/**
 * Checks that a state with this name or type exists. Called only after an empty list, so that a list with rows needs
 * only one request.
 */
export async function assertStateExists(
  graphql: GraphqlClient,
  state: string,
  team: string | undefined,
): Promise<void> {
  if (state === "open" || isUuid(state)) return;
  const filter = team === undefined ? {} : { team: ENTITY_FILTER_BUILDERS.team(team) };
  const { choices } = await graphql<Choices>(NAME_LOOKUP_DOCUMENTS.states, { filter });
  if (choices.nodes.some(({ name, type }) => isSameName(name, state) || type === state.toLowerCase())) return;
  const known = [...new Set(choices.nodes.toSorted((a, b) => a.position - b.position).map(({ name }) => name))].join(
    ", ",
  );
  throw new ToolError(`There is no state "${state}". Call again with one of: ${known}, or open.`);
}
