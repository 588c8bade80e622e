import { z } from "zod";
import type { GraphqlClient } from "../../api/graphql.ts";
import { assertStateExists } from "../../arguments/assert-state-exists.ts";
import { parsePastTime } from "../../arguments/dates.ts";
import { FILTERS, NAME_OR_WORD } from "../../arguments/filters.ts";
import { type FoundNames, type NameArguments, nameVariables } from "../../arguments/look-up-names.ts";
import { nameResolver } from "../../arguments/resolve-names.ts";
import { ISSUE } from "../../documents/issue.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { PRIORITIES, priorityNumber } from "../../results/format.ts";
import { type IssueNode, issueRow, toIssueRow } from "../../results/issue.ts";
import { type Connection, PAGE_ARGUMENTS, PAGE_RESULT, toPage } from "../../results/page.ts";

const inputSchema = z.strictObject({
  team: z.string().optional(),
  state: NAME_OR_WORD.optional().describe("name, type or open"),
  assignee: NAME_OR_WORD.optional().describe("name, email, me or none"),
  priority: z.enum(PRIORITIES).optional(),
  labels: z.array(z.string()).max(10).optional().describe("all of them"),
  project: NAME_OR_WORD.optional().describe("name or none"),
  cycle: NAME_OR_WORD.optional().describe("number, name, current or none"),
  query: z.string().min(1).optional().describe("words to search for; best match first"),
  created_since: z.string().optional().describe("ISO date or P7D"),
  updated_since: z.string().optional(),
  order_by: z.enum(["created", "updated"]).default("created"),
  archived: z.boolean().default(false),
  ...PAGE_ARGUMENTS,
});
type Args = z.output<typeof inputSchema>;

type Data = { issues: Connection<IssueNode> } & FoundNames;

/** Issues, filtered by their fields or searched by words. */
export const listIssues = defineTool({
  name: "list_issues",
  title: "List issues",
  description: "Find issues, newest first. Filters combine.",
  toolset: "core",
  annotations: ANNOTATIONS.reads,
  inputSchema,
  outputSchema: z.object({ issues: z.array(issueRow), ...PAGE_RESULT }),
  async handler(args, { graphql }) {
    const named = namedIn(args);
    const data = await listPage(graphql, args, named);
    const ids = await resolveAmbiguous(graphql, named, data);
    const { issues } = ids ? await listPage(graphql, { ...args, ...ids }, {}) : data;
    if (args.state !== undefined && issues.edges.length === 0) await assertStateExists(graphql, args.state, args.team);
    const { rows, rest } = toPage(issues, toIssueRow);
    return { issues: rows, ...rest };
  },
});

function listPage(graphql: GraphqlClient, args: Args, named: NameArguments): Promise<Data> {
  const { query, limit, cursor, order_by, archived } = args;
  return graphql<Data>(query === undefined ? ISSUE.list : ISSUE.search, {
    filter: filterOf(args),
    first: limit,
    after: cursor,
    includeArchived: archived,
    ...(query === undefined ? { orderBy: `${order_by}At` } : { term: query }),
    ...nameVariables(named),
  });
}

/** The names to check, so that an unknown name is not an empty list. `me`, `current` and `none` cannot be unknown. */
function namedIn({ team, assignee, project, labels, cycle }: Args): NameArguments {
  const real = (text: string | undefined) =>
    text === "none" || text === "me" || text === "current" ? undefined : text;
  return { team, user: real(assignee), project: real(project), labels, cycle: real(cycle) };
}

/** Throws for unknown names; answers ids to filter by when some name matches more than one thing. */
async function resolveAmbiguous(
  graphql: GraphqlClient,
  named: NameArguments,
  data: Data,
): Promise<Partial<Args> | undefined> {
  const resolve = nameResolver(graphql, named, data);
  const team = named.team === undefined ? undefined : (await resolve.team()).id;
  const assignee = named.user === undefined ? undefined : (await resolve.user()).id;
  const project = named.project === undefined ? undefined : (await resolve.project()).id;
  const labels = new Set((data.namedLabels?.nodes ?? []).map(({ name }) => name.toLowerCase()));
  await resolve.labels(
    undefined,
    (named.labels ?? []).filter((text) => !labels.has(text.toLowerCase())),
  );
  if (named.cycle !== undefined && data.namedCycles?.nodes.length === 0) await resolve.cycle();
  const several = [data.namedTeams, data.namedUsers, data.namedProjects].some(
    (found) => (found?.nodes.length ?? 0) > 1,
  );
  if (!several) return undefined;
  return { ...(team && { team }), ...(assignee && { assignee }), ...(project && { project }) };
}

function filterOf(args: Args): Record<string, unknown> {
  const orNone = (text: string, filter: (text: string) => object) => (text === "none" ? { null: true } : filter(text));
  return {
    ...(args.team !== undefined && { team: FILTERS.team(args.team) }),
    ...(args.state !== undefined && { state: FILTERS.state(args.state) }),
    ...(args.assignee !== undefined && { assignee: orNone(args.assignee, FILTERS.user) }),
    ...(args.project !== undefined && { project: orNone(args.project, FILTERS.project) }),
    ...(args.cycle !== undefined && { cycle: orNone(args.cycle, FILTERS.cycle) }),
    ...(args.priority && { priority: { eq: priorityNumber(args.priority) } }),
    ...(args.labels?.length && { and: args.labels.map((name) => ({ labels: { some: FILTERS.label(name) } })) }),
    ...(args.created_since !== undefined && { createdAt: { gte: parsePastTime("created_since", args.created_since) } }),
    ...(args.updated_since !== undefined && { updatedAt: { gte: parsePastTime("updated_since", args.updated_since) } }),
  };
}
