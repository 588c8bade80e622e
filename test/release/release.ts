import { readdirSync } from "node:fs";
import type { Tenant } from "../support/server.ts";

/**
 * Folder of the kept releases. Each release has a folder, named by version, with the packed build and a backup of
 * each engine.
 */
export const RELEASES = process.env["RELEASES"] ?? "test/fixtures/releases";
export const ENGINES = ["embedded", "postgresql"] as const;
export const backupOf = (version: string, engine: string): string => `${RELEASES}/${version}/${engine}.jsonl.gz`;
export const packedBuild = (version: string): string => `${RELEASES}/${version}/server.tgz`;

/** Returns the kept releases, newest last. */
export const releases = (): string[] =>
  readdirSync(RELEASES).sort((one, other) => one.localeCompare(other, "en", { numeric: true }));

/** Secret of the servers from which the backups were made. */
export const RELEASE_SECRET = "a secret of the kept releases, long enough to be one";

/** Tables that only PostgreSQL fills. On the embedded engine, the server keeps budgets in memory. */
export const ONLY_POSTGRESQL = ["budget"];

/** The owner of a backup's data, and the responses of the server at the time of the backup. */
export interface Kept {
  email: string;
  urlKey: string;
  organizationId: string;
  answers: Record<string, unknown>;
}

/** Queries whose results do not depend on the date, about written and derived values. */
const READS: Readonly<Record<string, string>> = {
  issues: `issues(first: 60) { nodes { identifier title description priority createdAt state { name } labels { nodes { name } }
    parent { identifier } project { name } comments { nodes { body } } proof { verdict reason } handover } }`,
  teams: "teams { nodes { key name issueCount states { nodes { name type } } } }",
  projects: "projects(first: 50) { nodes { name members { nodes { name } } projectMilestones { nodes { name } } } }",
  people: "users { nodes { name createdIssueCount } } externalUsers { nodes { name email } }",
  recorded: `issues(first: 1, filter: { title: { eq: "Parser drops empty lines" } }) { nodes { sessionLinks(first: 5) { nodes { kinds session {
    source totals { events failures turns toolCalls } events { nodes { kind primitiveName args result success } } } } } } }`,
};

/** Runs all of the queries and returns the results by name. */
export async function answersOf({ gql }: Pick<Tenant, "gql">): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const [name, query] of Object.entries(READS)) answers[name] = await gql(`{ ${query} }`);
  return answers;
}
