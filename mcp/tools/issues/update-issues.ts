import { z } from "zod";
import type { GraphqlClient } from "../../api/graphql.ts";
import { ISSUE_FIELDS, issueInput } from "../../arguments/issue-input.ts";
import { inParameters } from "../../arguments/parameter-names.ts";
import { ISSUE } from "../../documents/issue.ts";
import { ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";

const { state, assignee, priority, project, cycle, due } = ISSUE_FIELDS;
const names = z.array(z.string()).max(50).optional();
const changes = { state, assignee, priority, project, cycle, due, add_labels: names, remove_labels: names };

const report = z.object({ issue: z.string(), status: z.enum(["updated", "failed"]), error: z.string().optional() });
type IssueReport = z.output<typeof report>;

/** The same change to many issues, each reported by itself. */
export const updateIssues = defineTool({
  name: "update_issues",
  title: "Update issues",
  description: "Make the same change to up to 50 issues; reports each one.",
  toolset: "bulk",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({ issues: z.array(z.string()).min(1).max(50), ...changes }),
  outputSchema: z.object({ updated: z.int(), failed: z.int(), results: z.array(report) }),
  async handler({ issues, ...changed }, { graphql }) {
    if (Object.keys(changed).length === 0) throw new ToolError("Nothing to change was given. Call again with a field.");
    const { found, missing } = await findIssues(graphql, issues);
    const teams = [...new Set(found.map(({ team }) => team.key))];
    const groups = teams.map((key) => found.filter(({ team }) => team.key === key));
    const reports = await Promise.all(groups.map((group) => updateGroup(graphql, group, changed)));
    const notFound = missing.map(
      (issue): IssueReport => ({ issue, status: "failed", error: "There is no such issue." }),
    );
    const results = [...reports.flat(), ...notFound];
    const failed = results.filter(({ status }) => status === "failed").length;
    return { updated: results.length - failed, failed, results };
  },
});

/** An issue that was found by its identifier or id. */
interface FoundIssue {
  id: string;
  identifier: string;
  previousIdentifiers: string[];
  team: { id: string; key: string };
}

/** Finds up to 50 issues in one request, each once; those that do not exist are answered as they were written. */
async function findIssues(
  graphql: GraphqlClient,
  texts: string[],
): Promise<{ found: FoundIssue[]; missing: string[] }> {
  const ids = [...new Set(texts.map((text) => text.trim()))];
  const { issues } = await graphql<{ issues: { nodes: FoundIssue[] } }>(ISSUE.find, { ids });
  const namedBy = ({ id, identifier, previousIdentifiers }: FoundIssue) =>
    [id, identifier, ...previousIdentifiers].map((name) => name.toLowerCase());
  const known = new Set(issues.nodes.flatMap(namedBy));
  return { found: issues.nodes, missing: ids.filter((text) => !known.has(text.toLowerCase())) };
}

type Changes = Parameters<typeof issueInput>[1];

/** Issues of one team, for which names mean the same: in one transaction, or one by one when that is refused. */
async function updateGroup(graphql: GraphqlClient, group: FoundIssue[], changed: Changes): Promise<IssueReport[]> {
  try {
    const input = await issueInput(graphql, { ...changed, issue: group[0]?.identifier });
    if (group.length === 1) return await updateEach(graphql, group, input);
    const batch = graphql(ISSUE.updateMany, { ids: group.map(({ id }) => id), input });
    return await batch.then(() => group.map(updated)).catch(() => updateEach(graphql, group, input));
  } catch (error) {
    return failed(group, error as Error);
  }
}

async function updateEach(graphql: GraphqlClient, group: FoundIssue[], input: object): Promise<IssueReport[]> {
  const reports: IssueReport[] = [];
  for (const issue of group) {
    const update = graphql(ISSUE.update, { id: issue.id, input });
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
    error: inParameters(error.message, Object.keys(changes)),
  }));
}
