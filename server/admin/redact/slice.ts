import type { Transaction } from "../../../db/open.ts";
import { isObject } from "../../../formats/json.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { countRedactionMarksAsJson, type Redactor } from "../../../redaction/index.ts";
import type { MetadataRedaction } from "../../ingest/rules/redaction.ts";
import { cleanObject, truncateText } from "../../ingest/rules/tidy.ts";
import type { Entity } from "../../read/entity.ts";
import { entityModel } from "../../resources/index.ts";
import { createMarkHoursStatements } from "../../resources/recorded/analytics/index.ts";
import {
  extractMessage,
  failureGroupIdSql,
  normalizedFailureMessageSql,
  storedFailureMessageSql,
} from "../../resources/recorded/failures/message.ts";
import type { RequestScan } from "../../scans/index.ts";
import { createSystemScope } from "../../scope.ts";
import { updateRow } from "../../write/change.ts";
import { findRow } from "../../write/find.ts";
import { loadRows } from "../../write/load.ts";
import { runMutationTransaction } from "../../write/mutate.ts";
import type { CommandContext } from "../commands.ts";
import { buildReadRowsStatement, type ScannedRow, type TableToScan, updateRedactedRow } from "./rows.ts";

/** The redaction setting and the scanner for stored values. */
interface Rules {
  redaction: MetadataRedaction;
  scan: RequestScan;
}

/** The redaction setting, and the redactor of one attempt of the scan. */
interface Attempted {
  redaction: MetadataRedaction;
  redactor: Redactor;
}

/** Resolves to the redacted values of a row, by column. Omits columns that redaction does not change. */
const redactedValues = async (
  target: TableToScan,
  row: ScannedRow,
  { redaction, scan }: Rules,
): Promise<Record<string, string>> => scan.run((redactor) => valuesBy(target, row, { redaction, redactor }));

function valuesBy(
  { columns, most = {} }: TableToScan,
  { values }: ScannedRow,
  rules: Attempted,
): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const { name, type } of columns) {
    const value = getOwnProperty(values, name);
    if (value === null || value === undefined) continue;
    const kept = type.startsWith("json") ? redactedJson(value, name === "metadata", rules) : rules.redactor.text(value);
    if (kept !== value) changed[name] = truncateText(kept, getOwnProperty(most, name) ?? Number.POSITIVE_INFINITY);
  }
  return changed;
}

const WRAPPING = '{"value":';

/** Returns JSON without secrets exactly as spelled. */
function redactedJson(json: string, redact: boolean, { redaction, redactor }: Attempted): string {
  const wrapped: { value: unknown } = { value: JSON.parse(json) };
  const bounds = { levels: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER, redact };
  const reading = { now: 0, suspicious: false, redact: redaction.keys, redactor };
  const tidied = cleanObject(wrapped, bounds, reading);
  if (!("json" in tidied)) throw new Error(`stored JSON ${tidied.words}`);
  return tidied.isChanged ? tidied.json.slice(WRAPPING.length, -1) : json;
}

/** Counts the secrets of each kind that redaction newly marked. */
function newMarks(before: string | null | undefined, after: string): Record<string, number> {
  const [known, all] = [before ?? null, after].map(
    (text) => JSON.parse(countRedactionMarksAsJson([text]) ?? "{}") as Record<string, number>,
  );
  const kinds = Object.entries(all ?? {}).map(
    ([kind, count]) => [kind, count - (getOwnProperty(known, kind) ?? 0)] as const,
  );
  return Object.fromEntries(kinds.filter(([, count]) => count > 0));
}

/** A locked row, and the redacted values of the row. */
interface Change {
  tenant: string;
  row: ScannedRow;
  values: Record<string, string>;
}

/**
 * Applies a redacted row on whose content other columns or tables depend: writes the row with everything that depends
 * on the row, or has the row counted again.
 */
interface Follower {
  /** SQL expressions for further values that `write` needs from the row `t`, by name. */
  more: Readonly<Record<string, string>>;
  write(trx: Transaction, target: TableToScan, change: Change): Promise<void>;
}

const FOLLOWED: Readonly<Record<string, Follower>> = {
  recorded_event: {
    more: { event_id: "t.event_id", success: "t.success", at: "extract(epoch from t.timestamp) * 1000" },
    write: writeEvent,
  },
  recorded_tool_hour: { more: { at: "extract(epoch from t.hour) * 1000" }, write: countAnew },
  recorded_usage_hour: { more: { at: "extract(epoch from t.hour) * 1000" }, write: countAnew },
  recorded_usage_day: { more: { at: "extract(epoch from t.day) * 1000" }, write: countAnew },
  recorded_tool_day: { more: { at: "extract(epoch from t.day) * 1000" }, write: countAnew },
};

const TEXTS = ["primitive_name", "primitive_type", "args", "result", "metadata"];

async function writeEvent(trx: Transaction, target: TableToScan, { tenant, row, values }: Change): Promise<void> {
  const { event_id = "", result = "", message } = row.values;
  const all: Record<string, string | null> = { ...row.values, ...values };
  const patch: Record<string, string | null> = {
    ...values,
    redacted: countRedactionMarksAsJson(TEXTS.map((name) => getOwnProperty(all, name) ?? null)),
  };
  // The stored `message` is truncated and may end in half a secret, which no rule recognizes. The message is therefore
  // extracted again from the whole redacted result.
  if (values.result !== undefined && message === extractMessage(result ?? ""))
    patch.message = extractMessage(values.result);
  const before = await groupOf(trx, tenant, event_id ?? "");
  await updateRedactedRow(trx, target, { tenant, key: row.key, values: patch });
  const after = await groupOf(trx, tenant, event_id ?? "");
  if (before !== after) await trx.query({ text: RELINK, values: [tenant, before, after] });
  await countAnew(trx, target, { tenant, row, values });
}

/**
 * Raw SQL: computes the id of a failure's group with the planner's SQL. Failures with the same name and message form a
 * group.
 */
const GROUP = `select ${failureGroupIdSql("$1::uuid", "e.primitive_name", normalizedFailureMessageSql(storedFailureMessageSql("e")))} as id
  from recorded_event e where e.organization_id = $1 and e.event_id = $2 and not e.success`;

async function groupOf(trx: Transaction, tenant: string, eventId: string): Promise<string | undefined> {
  const [group] = await trx.query<{ id: string }>({ text: GROUP, values: [tenant, eventId] });
  return group?.id;
}

/**
 * SQL that moves the issue of a failure group to the group's new id, because redaction changed the failures' message.
 */
const RELINK = `update "failureIssue" f set "groupId" = $3 where f."organizationId" = $1 and f."groupId" = $2
  and not exists (select from "failureIssue" o where o."organizationId" = $1 and o."groupId" = $3)`;

async function countAnew(trx: Transaction, _target: TableToScan, { tenant, row }: Change): Promise<void> {
  for (const statement of createMarkHoursStatements(tenant, [Number(row.values.at)])) await trx.query(statement);
}

export interface FoundSecrets {
  /** The number of secrets by column and kind. */
  columns: Map<string, Map<string, number>>;
  /** Positions of the first and the last secret: the column, and the key of the row. */
  first?: string;
  last?: string;
}

/** A table to scan for one organization, and the secrets found so far. */
export interface TableScan {
  means: CommandContext;
  tenant: string;
  target: TableToScan;
  rules: Rules;
  isApplied: boolean;
  found: FoundSecrets;
}

/** Reads and redacts a slice of rows. The scan takes no locks, because most rows contain no secret. */
export async function redactSlice(work: TableScan, keys: readonly string[][]): Promise<void> {
  const { means, target, tenant, rules, isApplied } = work;
  const rows = await means.db.query<ScannedRow>(buildReadRowsStatement(target, { tenant, keys }));
  const changed: Changed[] = [];
  for (const row of rows) {
    const values = await redactedValues(target, row, rules);
    note(work, row, values);
    if (Object.keys(values).length > 0) changed.push({ row, values });
  }
  if (!isApplied || changed.length === 0) return;
  const entity = [...entityModel.values()].find(({ table, event }) => table === target.name && event !== undefined);
  if (entity) await changeEntities(work, entity, changed);
  else for (const each of changed) await changeRow(work, each);
}

/** A row at the time of the scan, and its redacted values. */
interface Changed {
  row: ScannedRow;
  values: Record<string, string>;
}

/** The redacted values of a locked row. Reuses the values of the earlier scan when the row did not change meanwhile. */
async function valuesAgain(
  { target, rules }: TableScan,
  { row, values }: Changed,
  now: ScannedRow,
): Promise<Record<string, string>> {
  const isSame = target.columns.every(
    ({ name }) => getOwnProperty(row.values, name) === getOwnProperty(now.values, name),
  );
  return isSame ? values : redactedValues(target, now, rules);
}

function note({ target, found }: TableScan, row: ScannedRow, values: Readonly<Record<string, string>>): void {
  for (const [column, value] of Object.entries(values)) {
    const name = `${target.name}.${column}`;
    const kinds = found.columns.get(name) ?? new Map<string, number>();
    found.columns.set(name, kinds);
    found.last = `${name} of ${row.key.join(" ")}`;
    found.first ??= found.last;
    for (const [kind, count] of Object.entries(newMarks(getOwnProperty(row.values, column), value)))
      kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
}

/** Locks a row and redacts the row. Reads the row again, because another transaction may have changed the row. */
async function changeRow(work: TableScan, read: Changed): Promise<void> {
  const { means, target, tenant } = work;
  const { key } = read.row;
  const follower = getOwnProperty(FOLLOWED, target.name);
  const again = buildReadRowsStatement(target, {
    tenant,
    keys: [key],
    isLocked: true,
    ...(follower && { more: follower.more }),
  });
  await means.db.transaction(async (trx) => {
    const [row] = await trx.query<ScannedRow>(again);
    const values = row && (await valuesAgain(work, read, row));
    if (!values || Object.keys(values).length === 0) return;
    if (follower) await follower.write(trx, target, { tenant, row, values });
    else await updateRedactedRow(trx, target, { tenant, key, values });
  });
}

/**
 * Redacts rows of entities that are in the change log. Uses a mutation, so that open pages, the search and caches
 * receive the changes.
 */
async function changeEntities(work: TableScan, entity: Entity, changed: readonly Changed[]) {
  const { means, target, tenant } = work;
  const scope = createSystemScope(means, tenant);
  await runMutationTransaction(scope, entityModel, async (write) => {
    await loadRows(
      write,
      changed.map(({ row: { key } }) => [entity.name, key[0]]),
    );
    for (const each of changed) {
      const [id = ""] = each.row.key;
      const row = await findRow(write, entity.name, id);
      if (!row) continue;
      const texts = target.columns.map(({ name }) => [
        name,
        isObject(getOwnProperty(row, name)) ? JSON.stringify(getOwnProperty(row, name)) : getOwnProperty(row, name),
      ]);
      const values = await valuesAgain(work, each, { key: [id], values: Object.fromEntries(texts) });
      updateRow(write, entity.name, row, values, { forgets: true });
    }
    return {};
  });
}
