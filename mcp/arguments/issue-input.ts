import { z } from "zod";
import type { GraphqlClient } from "../api/graphql.ts";
import { PRIORITIES, priorityNumber } from "../results/format.ts";
import { parseDay } from "./dates.ts";
import { lookUpNames, type NameArguments } from "./look-up-names.ts";
import { nameResolver } from "./resolve-names.ts";

/** What create_issue and update_issue both take, in words. */
export const ISSUE_FIELDS = {
  description: z.string().optional().describe("Markdown"),
  state: z.string().optional(),
  assignee: z.string().optional().describe("name, email, me or none"),
  priority: z.enum(PRIORITIES).optional(),
  labels: z.array(z.string()).max(50).optional(),
  project: z.string().optional().describe("name or none"),
  cycle: z.string().optional().describe("number, name, current or none"),
  parent: z.string().optional().describe("issue, or none"),
  estimate: z.int().min(0).max(1000).optional(),
  due: z.string().optional().describe("ISO date, P7D or none"),
};

const fields = z.object(ISSUE_FIELDS);

/** The fields in words, and where they apply: in a team, or on an issue of one. */
export type IssueArguments = z.output<typeof fields> & {
  title?: string | undefined;
  team?: string | undefined;
  issue?: string | undefined;
  add_labels?: string[] | undefined;
  remove_labels?: string[] | undefined;
};

/**
 * The input of issueCreate or issueUpdate for some words: every name looked up, in one request at most.
 * @throws ToolError with the choices for the first name that is unknown or ambiguous.
 */
export async function issueInput(graphql: GraphqlClient, words: IssueArguments): Promise<Record<string, unknown>> {
  const named = namedIn(words);
  const found = await lookUpNames(graphql, named);
  const choose = nameResolver(graphql, named, found);
  const team = named.team === undefined ? found.namedIssue?.team : await choose.team();
  const labels = async (texts: string[] | undefined) =>
    texts ? (await choose.labels(team?.id, texts)).map(({ id }) => id) : undefined;
  const input = {
    ...plainFields(words),
    teamId: named.team === undefined ? undefined : team?.id,
    stateId: named.state === undefined ? undefined : (await choose.state(team)).id,
    assigneeId: words.assignee === "none" ? null : named.user && (await choose.user()).id,
    projectId: words.project === "none" ? null : named.project && (await choose.project()).id,
    cycleId: words.cycle === "none" ? null : named.cycle && (await choose.cycle(team?.id)).id,
    labelIds: await labels(words.labels),
    addedLabelIds: await labels(words.add_labels),
    removedLabelIds: await labels(words.remove_labels),
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

function plainFields({ title, description, priority, estimate, due, parent }: IssueArguments) {
  return {
    title,
    description,
    priority: priority && priorityNumber(priority),
    estimate,
    dueDate: due === "none" ? null : due === undefined ? undefined : parseDay("due", due),
    parentId: parent === "none" ? null : parent,
  };
}

/** What has to be looked up. The issue only for what depends on its team. */
function namedIn(words: IssueArguments): NameArguments {
  const real = (text: string | undefined) => (text === "none" ? undefined : text);
  const labels = [...(words.labels ?? []), ...(words.add_labels ?? []), ...(words.remove_labels ?? [])];
  const cycle = real(words.cycle);
  const dependsOnTeam = words.state !== undefined || labels.length > 0 || cycle !== undefined;
  return {
    issue: words.team === undefined && dependsOnTeam ? words.issue : undefined,
    team: words.team,
    state: words.state,
    user: real(words.assignee),
    project: real(words.project),
    labels,
    cycle,
  };
}
