import { z } from "zod";
import type { GraphqlClient } from "../api/graphql.ts";
import { type FoundIssue, findIssues } from "../arguments/find-issues.ts";
import { ISSUE_FIELDS, issueInput } from "../arguments/issue-input.ts";
import { ISSUE } from "../documents/issue.ts";
import { ToolError } from "../errors.ts";
import { defineTool, EFFECT } from "../registry/define-tool.ts";

const { state, assignee, priority, project, cycle, due } = ISSUE_FIELDS;
const names = z.array(z.string()).max(50).optional();
const changes = { state, assignee, priority, project, cycle, due, add_labels: names, remove_labels: names };

const report = z.object({ issue: z.string(), status: z.enum(["updated", "failed"]), error: z.string().optional() });
type Report = z.output<typeof report>;

/** The same change to many issues, each reported by itself. */
export const updateIssues = defineTool({
  name: "update_issues",
  title: "Update issues",
  description: "Make the same change to up to 50 issues; reports each one.",
  toolset: "bulk",
  effect: EFFECT.changes,
  input: z.strictObject({ issues: z.array(z.string()).min(1).max(50), ...changes }),
  output: z.object({ updated: z.int(), failed: z.int(), results: z.array(report) }),
  async run({ issues, ...words }, { graphql }) {
    if (Object.keys(words).length === 0) throw new ToolError("Nothing to change was given. Call again with a field.");
    const { found, missing } = await findIssues(graphql, issues);
    const teams = [...new Set(found.map(({ team }) => team.key))];
    const groups = teams.map((key) => found.filter(({ team }) => team.key === key));
    const reports = await Promise.all(groups.map((group) => updateGroup(graphql, group, words)));
    const absent = missing.map((issue): Report => ({ issue, status: "failed", error: "There is no such issue." }));
    const results = [...reports.flat(), ...absent];
    const failed = results.filter(({ status }) => status === "failed").length;
    return { updated: results.length - failed, failed, results };
  },
});

type Words = Parameters<typeof issueInput>[1];

/** Issues of one team, for which names mean the same: in one transaction, or one by one when that is refused. */
async function updateGroup(graphql: GraphqlClient, group: FoundIssue[], words: Words): Promise<Report[]> {
  try {
    const input = await issueInput(graphql, { ...words, issue: group[0]?.identifier });
    if (group.length === 1) return await oneByOne(graphql, group, input);
    const together = graphql(ISSUE.updateMany, { ids: group.map(({ id }) => id), input });
    return await together.then(() => group.map(updated)).catch(() => oneByOne(graphql, group, input));
  } catch (error) {
    return failed(group, error as Error);
  }
}

async function oneByOne(graphql: GraphqlClient, group: FoundIssue[], input: object): Promise<Report[]> {
  const reports: Report[] = [];
  for (const issue of group) {
    const done = graphql(ISSUE.update, { id: issue.id, input });
    reports.push(...(await done.then(() => [updated(issue)]).catch((error: Error) => failed([issue], error))));
  }
  return reports;
}

const updated = ({ identifier }: FoundIssue): Report => ({ issue: identifier, status: "updated" });

function failed(group: FoundIssue[], error: Error): Report[] {
  if (!(error instanceof ToolError)) throw error;
  return group.map(({ identifier }) => ({ issue: identifier, status: "failed", error: error.message }));
}
