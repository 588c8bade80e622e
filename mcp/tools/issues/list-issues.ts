import { z } from "zod";
import type { GraphqlClient } from "../../api/graphql.ts";
import {
  assertStateExists,
  buildIssueFilter,
  extractNameArguments,
  ISSUE_FILTER_SCHEMAS,
  type IssueFilterArguments,
  resolveAmbiguous,
} from "../../arguments/issue-filter.ts";
import { buildNameVariables, type NameArguments, type NameLookupResult } from "../../arguments/names.ts";
import { ISSUE_DOCUMENTS } from "../../documents/issue.ts";
import { ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import {
  type GraphqlConnection,
  type IssueNode,
  issueRowSchema,
  PAGE_ARGUMENT_SCHEMAS,
  PAGE_RESULT_SCHEMAS,
  toIssueRow,
  toPage,
} from "../../results.ts";

/**
 * Sort orders of the list, as input for GraphQL. `created` needs no input, because every list is sorted by creation by
 * default.
 */
const ORDERS = {
  created: undefined,
  updated: { updatedAt: { order: "Descending" } },
  completed: { completedAt: { order: "Descending" } },
  due: { dueDate: { order: "Ascending" } },
  // The order `ready` puts urgent issues first and issues without a priority last. An order by the priority's number
  // would put issues without a priority first.
  priority: { ready: { order: "Ascending" } },
  title: { title: { order: "Ascending" } },
} as const;
type Order = keyof typeof ORDERS;

const GROUPS = ["state", "assignee", "creator", "label", "project", "priority", "team", "cycle", "milestone"] as const;

const inputSchema = z.strictObject({
  ...ISSUE_FILTER_SCHEMAS,
  query: z.string().min(1).optional().describe("words to search for; best match first"),
  sort: z
    .enum(Object.keys(ORDERS) as [Order, ...Order[]])
    .optional()
    .describe("default created"),
  count: z.boolean().optional().describe("only how many"),
  group_by: z.enum(GROUPS).optional().describe("counts instead of issues"),
  archived: z.boolean().default(false),
  ...PAGE_ARGUMENT_SCHEMAS,
});
type Args = z.output<typeof inputSchema>;

const outputSchema = z.object({
  issues: z.array(issueRowSchema).optional(),
  unmatched_words: z.array(z.string()).optional(),
  count: z.int().optional(),
  groups: z.array(z.object({ name: z.string(), project: z.string().optional(), count: z.int() })).optional(),
  ...PAGE_RESULT_SCHEMAS,
});
type Output = z.input<typeof outputSchema>;

interface Groups {
  count: number;
  groupCount: number;
  groups: { name: string | null; count: number; project?: { name: string } | null }[];
}

type Found = GraphqlConnection<IssueNode> & { unmatchedWords?: string[] | null };
type Data = { issues?: Found; found?: { totalCount: number }; issueGroups?: Groups } & NameLookupResult;

/** Lists, searches or counts issues. */
export const listIssues = defineTool({
  name: "list_issues",
  title: "List issues",
  description: "Find or count issues, newest first. Filters combine.",
  toolset: "core",
  annotations: ANNOTATIONS.reads,
  inputSchema,
  outputSchema,
  async handler(args, { graphql }) {
    checkTogether(args);
    const named = extractNameArguments(args);
    const first = await ask(graphql, args, named);
    const ids = await resolveAmbiguous(graphql, named, first);
    const data = ids ? await ask(graphql, { ...args, ...ids }, {}) : first;
    const result = toResult(data);
    if (args.state !== undefined && isEmpty(result)) await assertStateExists(graphql, args.state, args.team);
    return result;
  },
});

/**
 * Refuses a search with a sort order or with groups, because search results are ordered by relevance.
 * @throws ToolError
 */
function checkTogether({ query, sort, group_by }: Args): void {
  if (query === undefined) return;
  if (sort !== undefined) throw new ToolError("Query results are sorted by best match. Leave out sort or query.");
  if (group_by !== undefined) throw new ToolError("Query results cannot be grouped. Leave out group_by or query.");
}

function ask(graphql: GraphqlClient, args: Args, named: NameArguments): Promise<Data> {
  const { query, limit, cursor, sort, count, group_by, archived } = args;
  const variables = {
    filter: buildIssueFilter(args as IssueFilterArguments),
    includeArchived: archived,
    ...buildNameVariables(named),
  };
  const page = { ...variables, first: limit, after: cursor };
  const counts = count === true || group_by !== undefined;
  if (query !== undefined)
    return counts
      ? graphql<Data>(ISSUE_DOCUMENTS.countFound, { ...variables, term: query })
      : graphql<Data>(ISSUE_DOCUMENTS.search, { ...page, term: query });
  if (counts)
    return graphql<Data>(ISSUE_DOCUMENTS.count, {
      ...variables,
      ...(group_by === "milestone" ? { groupBy: "projectMilestone", ofProjects: true } : { groupBy: group_by }),
    });
  const order = ORDERS[sort ?? "created"];
  return graphql<Data>(ISSUE_DOCUMENTS.list, order ? { ...page, sort: [order] } : page);
}

function toResult({ issues, found, issueGroups }: Data): Output {
  if (found) return { count: found.totalCount };
  if (issueGroups) {
    const { count, groups, groupCount } = issueGroups;
    const named = groups.map(({ name, project, count: size }) => ({
      name: name ?? "none",
      project: project?.name,
      count: size,
    }));
    return { count, groups: named.length > 0 ? named : undefined, truncated: groupCount > groups.length || undefined };
  }
  if (!issues) throw new Error("an answer without issues");
  const { rows, rest } = toPage(issues, toIssueRow);
  return { issues: rows, unmatched_words: issues.unmatchedWords ?? undefined, ...rest };
}

const isEmpty = ({ issues, count }: Output): boolean => count === 0 || issues?.length === 0;
