import { ADD_CHANGES, COUNTED_BY, DROP_EMPTY, NO_ID } from "../../../db/issue-counts.ts";
import type { Statement } from "../../../db/open.ts";
import type { Raw } from "../rows.ts";
import { keyOf, type Write } from "../write.ts";

/** By how much a count changes; `key` is its kind, id and team. */
export interface CountChange {
  issue: string;
  key: readonly [kind: string, id: string, team: string];
  sums: [issues: number, shown: number, completed: number];
}

/** What a mutation comes to; none where nothing that is counted changed. */
export const countChanges = (write: Write): CountChange[] =>
  [...write.issuesBefore].flatMap(([issue, before]) =>
    changesOf(issue, before, write.rows.get(keyOf("Issue", issue)) ?? null),
  );

/** The statements that keep the counts of an organization's issues like what was written. */
export function countStatements(organization: string, changes: readonly CountChange[]): Statement[] {
  if (changes.length === 0) return [];
  const column = (at: 0 | 1 | 2) => changes.map(({ key }) => key[at]);
  const sum = (at: 0 | 1 | 2) => changes.map(({ sums }) => sums[at]);
  const ids = changes.map(({ issue }) => issue);
  const keys = [column(0), column(1), column(2)];
  const add = { name: "count-issues", text: ADD_CHANGES, values: [organization, ids, ...keys, sum(0), sum(1), sum(2)] };
  const drop = { name: "drop-counts", text: DROP_EMPTY, values: [organization, ...keys] };
  return changes.some(({ sums }) => sums[0] < 0) ? [add, drop] : [add];
}

/** What leaves the counts that an issue was part of, and comes to those that it is part of now. */
function changesOf(issue: string, before: Raw | null, after: Raw | null): CountChange[] {
  if (before && after && COUNTING.every((column) => before[column] === after[column])) return [];
  const changes = new Map<string, CountChange>();
  for (const [row, sign] of [
    [before, -1],
    [after, 1],
  ] as const) {
    if (!row) continue;
    const sums = partOf(row);
    for (const key of keysOf(row)) {
      const change = changes.get(key.join()) ?? { issue, key, sums: [0, 0, 0] };
      changes.set(key.join(), change);
      sums.forEach((is, at) => {
        change.sums[at] = (change.sums[at] ?? 0) + (is ? sign : 0);
      });
    }
  }
  return [...changes.values()].filter(({ sums }) => sums.some((each) => each !== 0));
}

/** All that `keysOf` and `partOf` read. */
const COUNTING = [...COUNTED_BY.map(({ by }) => by), "archivedAt", "trashed", "stateType"];

const keysOf = (row: Raw): CountChange["key"][] =>
  COUNTED_BY.flatMap(({ kind, by, teams }) => {
    const id = row[by];
    return id ? [[kind, String(id), teams ? String(row["teamId"]) : NO_ID] as const] : [];
  });

/** Of which sums an issue is a part: what `SUMS` asks in SQL. */
function partOf({ archivedAt, trashed, stateType }: Raw): boolean[] {
  const shown = !archivedAt && trashed !== true && stateType !== "canceled" && stateType !== "duplicate";
  return [true, shown, shown && stateType === "completed"];
}
