import { createHash } from "node:crypto";
import { accounts } from "./0101-accounts.ts";
import { tracker } from "./0102-tracker.ts";
import { issues } from "./0103-issues.ts";
import { work } from "./0104-work.ts";
import { recording } from "./0105-recording.ts";
import { analytics } from "./0106-analytics.ts";
import { stream } from "./0107-stream.ts";
import { oauth } from "./0108-oauth.ts";
import { signIn } from "./0109-sign-in.ts";
import { notices } from "./0110-notices.ts";

/** One step of the schema: statements run one a call, each safe to run again. */
export interface Migration {
  /** Four digits, by which migrations are ordered, and an area. */
  id: string;
  statements: readonly string[];
}

/** Every migration, oldest first. Until 0.2.0 is cut the schema is changed in these files; from then on the list only grows. */
export const migrations: readonly Migration[] = [
  ...[accounts, tracker, issues, work, recording, analytics, stream, oauth],
  ...[signIn, notices],
];

/** The name that a database records a migration under. It ends in a digest: a file that was changed is another migration. */
export function nameOf({ id, statements }: Migration): string {
  const text = statements.map((statement) => statement.replaceAll(/\s+/g, " ")).join(";");
  return `${id}-${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
}

const orderOf = (name: string): string => name.slice(0, 4);

/** Tells whether a migration, by its recorded name, comes after all of this release. */
export const isNewer = (name: string): boolean => migrations.every(({ id }) => orderOf(id) < orderOf(name));

/** The release before runs beside the new one, so migrations after all of this build are no reason to refuse; others are. */
const isForeign = (name: string): boolean => !migrations.some((each) => nameOf(each) === name) && !isNewer(name);

/** The reason why a database with these recorded migrations is not this build's; undefined where it is. */
export const refusal = (recorded: readonly string[]): string | undefined =>
  recorded.some(isForeign)
    ? "the database is of an unreleased build: npm run backup -- FILE with that build, " +
      "then npm run restore -- FILE with this one, into an empty DATA_DIR or database"
    : undefined;
