import { z } from "zod";
import type { GraphqlClient } from "../api/graphql.ts";
import { PRIORITIES, toPriorityNumber } from "../results.ts";
import { NAME_OR_KEYWORD_SCHEMA, parseDay } from "./filters.ts";
import { createNameResolver, fetchNamedEntities, type NameArguments } from "./names.ts";

/** Common arguments of create_issue and update_issue. */
export const ISSUE_FIELD_SCHEMAS = {
  description: z.string().optional().describe("Markdown"),
  state: NAME_OR_KEYWORD_SCHEMA.optional(),
  assignee: NAME_OR_KEYWORD_SCHEMA.optional().describe("name, email, me or none"),
  priority: z.enum(PRIORITIES).optional(),
  labels: z.array(z.string()).max(50).optional(),
  project: NAME_OR_KEYWORD_SCHEMA.optional().describe("name or none"),
  cycle: NAME_OR_KEYWORD_SCHEMA.optional().describe("number, name, current or none"),
  milestone: NAME_OR_KEYWORD_SCHEMA.optional().describe("of the project, or none"),
  parent: NAME_OR_KEYWORD_SCHEMA.optional().describe("issue, or none"),
  estimate: z.int().min(0).max(1000).optional(),
  due: NAME_OR_KEYWORD_SCHEMA.optional().describe("ISO date, P7D or none"),
};

const fields = z.object(ISSUE_FIELD_SCHEMAS);

/** Arguments that set the fields of an issue, and the team or the existing issue to which the fields belong. */
export type IssueArguments = z.output<typeof fields> & {
  title?: string | undefined;
  team?: string | undefined;
  issue?: string | undefined;
  add_labels?: string[] | undefined;
  remove_labels?: string[] | undefined;
};

/**
 * Creates the input of issueCreate or issueUpdate. Replaces every name with an id. Sends at most one request if every
 * name is known.
 * @throws ToolError with the choices for the first name that is unknown or ambiguous
 */
export async function buildIssueInput(graphql: GraphqlClient, args: IssueArguments): Promise<Record<string, unknown>> {
  const named = namedIn(args);
  const found = await fetchNamedEntities(graphql, named);
  const resolve = createNameResolver(graphql, named, found);
  const team = named.team === undefined ? found.namedIssue?.team : await resolve.team();
  const labels = async (texts: string[] | undefined) =>
    texts ? (await resolve.labels(team?.id, texts)).map(({ id }) => id) : undefined;
  const project = named.project === undefined ? found.namedIssue?.project : await resolve.project();
  const input = {
    ...plainFields(args),
    teamId: named.team === undefined ? undefined : team?.id,
    stateId: named.state === undefined ? undefined : (await resolve.state(team)).id,
    assigneeId: args.assignee === "none" ? null : named.user && (await resolve.user()).id,
    projectId: args.project === "none" ? null : named.project && project?.id,
    cycleId: args.cycle === "none" ? null : named.cycle && (await resolve.cycle(team?.id)).id,
    projectMilestoneId: args.milestone === "none" ? null : named.milestone && (await resolve.milestone(project?.id)).id,
    labelIds: await labels(args.labels),
    addedLabelIds: await labels(args.add_labels),
    removedLabelIds: await labels(args.remove_labels),
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

function plainFields({ title, description, priority, estimate, due, parent }: IssueArguments) {
  return {
    title,
    description,
    priority: priority && toPriorityNumber(priority),
    estimate,
    dueDate: due === "none" ? null : due === undefined ? undefined : parseDay("due", due),
    parentId: parent === "none" ? null : parent,
  };
}

/**
 * Returns the names to look up. Includes the existing issue only if another name depends on the issue's team or
 * project.
 */
function namedIn(args: IssueArguments): NameArguments {
  const real = (text: string | undefined) => (text === "none" ? undefined : text);
  const labels = [...(args.labels ?? []), ...(args.add_labels ?? []), ...(args.remove_labels ?? [])];
  const cycle = real(args.cycle);
  const milestone = real(args.milestone);
  const dependsOnTeam = args.state !== undefined || labels.length > 0 || cycle !== undefined;
  const dependsOnIssue =
    (dependsOnTeam && args.team === undefined) || (milestone !== undefined && args.project === undefined);
  return {
    issue: dependsOnIssue ? args.issue : undefined,
    team: args.team,
    state: args.state,
    user: real(args.assignee),
    project: real(args.project),
    labels,
    cycle,
    milestone,
  };
}
