import { z } from "zod";
import type { GraphqlClient } from "../../api/graphql.ts";
import { NAME_OR_KEYWORD_SCHEMA } from "../../arguments/filters.ts";
import { buildIssueInput, ISSUE_FIELD_SCHEMAS } from "../../arguments/issue-input.ts";
import { toToolErrorMessage } from "../../arguments/parse.ts";
import { ISSUE_DOCUMENTS } from "../../documents/issue.ts";
import { ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";

const MOST = 50;
const { state, assignee, priority, project, cycle, milestone, due } = ISSUE_FIELD_SCHEMAS;
const names = z.array(z.string()).max(50).optional();
const labels = { add_labels: names, remove_labels: names };
const fields = { state, assignee, priority, project, cycle, milestone, due, ...labels };
const word = NAME_OR_KEYWORD_SCHEMA.optional();

/** Schema of one issue with its own changes. The descriptions of the allowed values are at the common arguments. */
const row = z.strictObject({
  issue: z.string(),
  title: z.string().min(1).optional(),
  state: word,
  assignee: word,
  priority,
  project: word,
  cycle: word,
  milestone: word,
  parent: word,
  due: word,
  ...labels,
});

const inputSchema = z.strictObject({
  issues: z.array(z.string()).max(MOST).optional(),
  team: z.string().optional().describe("moves them"),
  ...fields,
  changes: z.array(row).max(MOST).optional().describe("issues with values of their own"),
});

const report = z.object({ issue: z.string(), status: z.enum(["updated", "failed"]), error: z.string().optional() });
type IssueReport = z.output<typeof report>;

/** Makes the same change to many issues, or a different change to each. The result reports every issue. */
export const updateIssues = defineTool({
  name: "update_issues",
  title: "Update issues",
  description: "Change up to 50 issues, identically or individually; returns each issue's result.",
  toolset: "bulk",
  annotations: ANNOTATIONS.changes,
  inputSchema,
  outputSchema: z.object({ updated: z.int(), failed: z.int(), results: z.array(report) }),
  async handler(args, { graphql }) {
    const wanted = changesOf(args);
    const found = await findIssues(graphql, [...wanted.keys()]);
    const reports: IssueReport[] = [];
    for (const { issues, changes } of groupsOf(wanted, found))
      reports.push(...(await updateGroup(graphql, issues, changes)));
    const missing = [...wanted.keys()].filter((text) => !found.has(text));
    const notFound = missing.map(
      (issue): IssueReport => ({ issue, status: "failed", error: "There is no such issue." }),
    );
    const results = [...reports, ...notFound];
    const failed = results.filter(({ status }) => status === "failed").length;
    return { updated: results.length - failed, failed, results };
  },
});

type Changes = Parameters<typeof buildIssueInput>[1];

/**
 * Returns a map from each issue, as named in the call, to its changes. An issue's own changes override the common
 * changes.
 * @throws ToolError
 */
function changesOf({ issues = [], changes = [], ...common }: z.output<typeof inputSchema>): Map<string, Changes> {
  const each = [
    ...issues.map((issue) => [issue.trim(), common] as const),
    ...changes.map(({ issue, ...own }) => [issue.trim(), { ...common, ...own }] as const),
  ];
  if (each.length === 0) throw new ToolError("No issue was named. Call again with issues or changes.");
  if (each.length > MOST) throw new ToolError(`A call changes at most ${MOST} issues. Make several calls.`);
  if (each.some(([, changed]) => Object.keys(changed).length === 0))
    throw new ToolError("The call changes nothing. Add a field and call again.");
  return new Map(each);
}

/** Issue that was found by its identifier or id. */
interface FoundIssue {
  id: string;
  identifier: string;
  previousIdentifiers: string[];
  team: { id: string; key: string };
  project: { id: string } | null;
}

/**
 * Finds up to 50 issues with one request. Returns a map from the name in the call to the issue; issues that do not
 * exist are absent.
 */
async function findIssues(graphql: GraphqlClient, texts: string[]): Promise<Map<string, FoundIssue>> {
  const { issues } = await graphql<{ issues: { nodes: FoundIssue[] } }>(ISSUE_DOCUMENTS.find, { ids: texts });
  const byName = new Map(
    issues.nodes.flatMap((node) =>
      [node.id, node.identifier, ...node.previousIdentifiers].map((name) => [name.toLowerCase(), node] as const),
    ),
  );
  return new Map(
    texts.flatMap((text) => {
      const issue = byName.get(text.toLowerCase());
      return issue ? [[text, issue] as const] : [];
    }),
  );
}

interface Group {
  issues: FoundIssue[];
  changes: Changes;
}

/**
 * Groups issues of the same team that have the same changes. If the changes set a milestone, a group contains only
 * issues of the same project. Within such a group, a name in the changes always means the same entity. Each issue is in
 * one group only, even if the call names the issue twice.
 */
function groupsOf(wanted: Map<string, Changes>, found: Map<string, FoundIssue>): Iterable<Group> {
  const last = new Map([...found].map(([text, issue]) => [issue.id, { issue, changes: wanted.get(text) ?? {} }]));
  const groups = new Map<string, Group>();
  for (const { issue, changes } of last.values()) {
    const projectId = changes.milestone === undefined ? "" : issue.project?.id;
    const key = `${issue.team.key} ${projectId} ${JSON.stringify(changes)}`;
    const group = groups.get(key) ?? { issues: [], changes };
    group.issues.push(issue);
    groups.set(key, group);
  }
  return groups.values();
}

/** Updates a group in one transaction. If the server refuses the transaction, updates each issue alone. */
async function updateGroup(graphql: GraphqlClient, group: FoundIssue[], changes: Changes): Promise<IssueReport[]> {
  try {
    const input = await buildIssueInput(graphql, { ...changes, issue: group[0]?.identifier });
    if (group.length === 1) return await updateEach(graphql, group, input);
    const batch = graphql(ISSUE_DOCUMENTS.updateMany, { ids: group.map(({ id }) => id), input });
    return await batch.then(() => group.map(updated)).catch(() => updateEach(graphql, group, input));
  } catch (error) {
    return failed(group, error as Error);
  }
}

async function updateEach(graphql: GraphqlClient, group: FoundIssue[], input: object): Promise<IssueReport[]> {
  const reports: IssueReport[] = [];
  for (const issue of group) {
    const update = graphql(ISSUE_DOCUMENTS.update, { id: issue.id, input });
    reports.push(...(await update.then(() => [updated(issue)]).catch((error: Error) => failed([issue], error))));
  }
  return reports;
}

const updated = ({ identifier }: FoundIssue): IssueReport => ({ issue: identifier, status: "updated" });

function failed(group: FoundIssue[], error: Error): IssueReport[] {
  if (!(error instanceof ToolError)) throw error;
  return group.map(({ identifier }) => ({
    issue: identifier,
    status: "failed",
    error: toToolErrorMessage(error.message, Object.keys(inputSchema.shape)),
  }));
}
