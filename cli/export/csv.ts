import type { Caller } from "../api/graphql.ts";
import { isThere } from "./lines.ts";
import { listed, type Node } from "./pages.ts";

/** Beginnings that a spreadsheet may take for a formula, by OWASP's list, and the quote that stands before those. */
const FORMULA = /^(?=[=+\-@\t\r\n＝＋－＠'])/;

/** A text as it stands in CSV: with a quote before it where a spreadsheet would take it for a formula, as Linear's has. */
const guarded = (text: string): string => text.replace(FORMULA, "'");

/** The text that `guarded` was given. */
export const unguarded = <T extends string | undefined>(text: T): T =>
  (text?.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text) as T;

const PRIORITIES = ["No priority", "Urgent", "High", "Medium", "Low"];
const who = (one: Node | null, other: Node | null): string =>
  one?.["email"] ?? one?.["name"] ?? other?.["email"] ?? other?.["name"] ?? "";

/** The columns, under the names that Linear's export has: `trackway import linear-csv` reads them. */
const COLUMNS: Readonly<Record<string, (issue: Node, labels: ReadonlyMap<string, string>) => unknown>> = {
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

/** A value of CSV. */
export const cell = (value: unknown): string => `"${guarded(String(value ?? "")).replaceAll('"', '""')}"`;

/** The issues as rows of CSV, with the line of their columns first. */
export async function* exportCsv(caller: Caller): AsyncGenerator<string> {
  const labels = new Map<string, string>();
  for await (const { id, name } of listed(caller, "label")) labels.set(id, name);
  yield Object.keys(COLUMNS).map(cell).join();
  for await (const issue of listed(caller, "issue")) {
    if (isThere(issue))
      yield Object.values(COLUMNS)
        .map((column) => cell(column(issue, labels)))
        .join();
  }
}
