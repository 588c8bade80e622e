import { readdirSync } from "node:fs";
import type { Tenant } from "../support/server.ts";

/** The folder of each release that has been kept, by its version: the packed build, and a backup of each engine. */
export const RELEASES = process.env["RELEASES"] ?? "test/fixtures/releases";
export const ENGINES = ["embedded", "postgresql"] as const;
export const backupOf = (version: string, engine: string): string => `${RELEASES}/${version}/${engine}.jsonl.gz`;
export const packedBuild = (version: string): string => `${RELEASES}/${version}/server.tgz`;

/** The releases, the newest last. */
export const releases = (): string[] =>
  readdirSync(RELEASES).sort((one, other) => one.localeCompare(other, "en", { numeric: true }));

/** The secret of the servers that the backups were made of. */
export const RELEASE_SECRET = "a secret of the kept releases, long enough to be one";

/** Tables that only PostgreSQL fills: the one process of an embedded database keeps budgets in its memory. */
export const ONLY_POSTGRESQL = ["budget"];

/** The reader of a backup, and the answers of its server when it was made. */
export interface Kept {
  email: string;
  urlKey: string;
  organizationId: string;
  answers: Record<string, unknown>;
}

/** Reads that no day changes, of what was typed and of what follows from it. */
const READS: Readonly<Record<string, string>> = {
  issues: `issues(first: 60) { nodes { identifier title description priority createdAt state { name } labels { nodes { name } }
    parent { identifier } project { name } comments { nodes { body } } proof { verdict reason } handover } }`,
  teams: "teams { nodes { key name issueCount states { nodes { name type } } } }",
  projects: "projects(first: 50) { nodes { name members { nodes { name } } projectMilestones { nodes { name } } } }",
  people: "users { nodes { name createdIssueCount } } externalUsers { nodes { name email } }",
  recorded: `issues(first: 1, filter: { title: { eq: "Parser drops empty lines" } }) { nodes { sessionLinks(first: 5) { nodes { kinds session {
    source totals { events failures turns toolCalls } events { nodes { kind primitiveName args result success } } } } } } }`,
};

/** Reads all of it. */
export async function answersOf({ gql }: Pick<Tenant, "gql">): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const [name, query] of Object.entries(READS)) answers[name] = await gql(`{ ${query} }`);
  return answers;
}
