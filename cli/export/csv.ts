import type { ApiCredentials } from "../api/graphql.ts";
import { isExported } from "./lines.ts";
import { type ExportNode, listAll } from "./pages.ts";

/**
 * Matches the beginning of a text that a spreadsheet may treat as a formula (OWASP's list). Also matches a leading
 * single quote, because `addFormulaGuard` escapes such a quote too.
 */
const FORMULA = /^(?=[=+\-@\t\r\n＝＋－＠'])/;

/**
 * Adds a single quote before a text that a spreadsheet would treat as a formula. Linear's export escapes texts in the
 * same way.
 */
const addFormulaGuard = (text: string): string => text.replace(FORMULA, "'");

/** Reverses `guarded`. */
export const removeFormulaGuard = <T extends string | undefined>(text: T): T =>
  (text?.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text) as T;

const PRIORITIES = ["No priority", "Urgent", "High", "Medium", "Low"];
const who = (one: ExportNode | null, other: ExportNode | null): string =>
  one?.["email"] ?? one?.["name"] ?? other?.["email"] ?? other?.["name"] ?? "";

/** Columns of the CSV, with the names of Linear's export: `trackway import linear-csv` reads these names. */
const COLUMNS: Readonly<Record<string, (issue: ExportNode, labels: ReadonlyMap<string, string>) => unknown>> = {
  ID: ({ identifier }) => identifier,
  Team: ({ team }) => team.key,
  Title: ({ title }) => title,
  Description: ({ description }) => description,
  Status: ({ state }) => state.name,
  Estimate: ({ estimate }) => estimate,
  Priority: ({ priority }) => PRIORITIES[Number(priority)],
  Project: ({ project }) => project?.name,
  Creator: ({ creator, externalUserCreator }) => who(creator, externalUserCreator),
  Assignee: ({ assignee, externalUserAssignee }) => who(assignee, externalUserAssignee),
  Labels: ({ labelIds }, labels) => labelIds.flatMap((id: string) => labels.get(id) ?? []).join(", "),
  "Cycle Number": ({ cycle }) => cycle?.number,
  Created: ({ createdAt }) => createdAt,
  Updated: ({ updatedAt }) => updatedAt,
  Started: ({ startedAt }) => startedAt,
  Completed: ({ completedAt }) => completedAt,
  Canceled: ({ canceledAt }) => canceledAt,
  Archived: ({ archivedAt }) => archivedAt,
  "Due Date": ({ dueDate }) => dueDate,
  "Parent issue": ({ parent }) => parent?.identifier,
  UUID: ({ id }) => id,
};

export const toCsvCell = (value: unknown): string => `"${addFormulaGuard(String(value ?? "")).replaceAll('"', '""')}"`;

/** Returns the issues as CSV lines, after a line with the column names. */
export async function* exportCsv(caller: ApiCredentials): AsyncGenerator<string> {
  const labels = new Map<string, string>();
  for await (const { id, name } of listAll(caller, "label")) labels.set(id, name);
  yield Object.keys(COLUMNS).map(toCsvCell).join();
  for await (const issue of listAll(caller, "issue")) {
    if (isExported(issue))
      yield Object.values(COLUMNS)
        .map((column) => toCsvCell(column(issue, labels)))
        .join();
  }
}
