import type { Transaction } from "../../../db/open.ts";
import { isObject } from "../../../formats/json.ts";
import { readOwn } from "../../../formats/own.ts";
import { marksIn, type Redactor } from "../../../redaction/index.ts";
import type { Redaction } from "../../ingest/rules/redaction.ts";
import { cutText, tidy } from "../../ingest/rules/tidy.ts";
import type { Entity } from "../../read/entity.ts";
import { model } from "../../resources/index.ts";
import { markHours } from "../../resources/recorded/analytics/index.ts";
import { groupIdOf, lineOf, messageIn, messageOf } from "../../resources/recorded/failures/message.ts";
import type { Scan } from "../../scans/index.ts";
import { systemScope } from "../../scope.ts";
import { update } from "../../write/change.ts";
import { find } from "../../write/find.ts";
import { load } from "../../write/load.ts";
import { mutate } from "../../write/mutate.ts";
import type { Means } from "../commands.ts";
import { type Row, readRows, type Target, writeRow } from "./rows.ts";

/** The rules by which stored values are read. */
interface Rules {
  redaction: Redaction;
  scan: Scan;
}

/** The same for one attempt of the scan. */
interface Attempted {
  redaction: Redaction;
  redactor: Redactor;
}

/** The values of a row that are others without secrets. */
const redactedValues = async (target: Target, row: Row, { redaction, scan }: Rules): Promise<Record<string, string>> =>
  scan.run((redactor) => valuesBy(target, row, { redaction, redactor }));

function valuesBy({ columns, most = {} }: Target, { values }: Row, rules: Attempted): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const { name, type } of columns) {
    const value = readOwn(values, name);
    if (value === null || value === undefined) continue;
    const kept = type.startsWith("json") ? redactedJson(value, name === "metadata", rules) : rules.redactor.text(value);
    if (kept !== value) changed[name] = cutText(kept, readOwn(most, name) ?? Number.POSITIVE_INFINITY);
  }
  return changed;
}

const WRAPPING = '{"value":';

/** JSON that holds no secret stays as it is spelled. */
function redactedJson(json: string, redact: boolean, { redaction, redactor }: Attempted): string {
  const wrapped: { value: unknown } = { value: JSON.parse(json) };
  const bounds = { levels: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER, redact };
  const reading = { now: 0, suspicious: false, redact: redaction.keys, redactor };
  const tidied = tidy(wrapped, bounds, reading);
  if (!("json" in tidied)) throw new Error(`stored JSON ${tidied.words}`);
  return tidied.isChanged ? tidied.json.slice(WRAPPING.length, -1) : json;
}

/** The number of secrets of each kind that are marked now and were not before. */
function newMarks(before: string | null | undefined, after: string): Record<string, number> {
  const [known, all] = [before ?? null, after].map(
    (text) => JSON.parse(marksIn([text]) ?? "{}") as Record<string, number>,
  );
  const kinds = Object.entries(all ?? {}).map(([kind, count]) => [kind, count - (readOwn(known, kind) ?? 0)] as const);
  return Object.fromEntries(kinds.filter(([, count]) => count > 0));
}

/** A row that is locked, and its values without secrets. */
interface Change {
  tenant: string;
  row: Row;
  values: Record<string, string>;
}

/** Writes a row whose other columns or tables follow from its texts. */
interface Follower {
  /** SQL of further values of the row `t` that it reads, by name. */
  more: Readonly<Record<string, string>>;
  write(trx: Transaction, target: Target, change: Change): Promise<void>;
}

/** The tables of that sort. */
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

async function writeEvent(trx: Transaction, target: Target, { tenant, row, values }: Change): Promise<void> {
  const { event_id = "", result = "", message } = row.values;
  const all: Record<string, string | null> = { ...row.values, ...values };
  const patch: Record<string, string | null> = {
    ...values,
    redacted: marksIn(TEXTS.map((name) => readOwn(all, name) ?? null)),
  };
  // A message is cut: half a secret at its end is found in the whole result alone.
  if (values.result !== undefined && message === messageIn(result ?? "")) patch.message = messageIn(values.result);
  const before = await groupOf(trx, tenant, event_id ?? "");
  await writeRow(trx, target, { tenant, key: row.key, values: patch });
  const after = await groupOf(trx, tenant, event_id ?? "");
  if (before !== after) await trx.query({ text: RELINK, values: [tenant, before, after] });
  await countAnew(trx, target, { tenant, row, values });
}

/** Raw SQL: it shares the planner's rule of which failures say the same. */
const GROUP = `select ${groupIdOf("$1::uuid", "e.primitive_name", messageOf(lineOf("e")))} as id
  from recorded_event e where e.organization_id = $1 and e.event_id = $2 and not e.success`;

async function groupOf(trx: Transaction, tenant: string, eventId: string): Promise<string | undefined> {
  const [group] = await trx.query<{ id: string }>({ text: GROUP, values: [tenant, eventId] });
  return group?.id;
}

/** The issue about failures stays theirs when their message is another one. */
const RELINK = `update "failureIssue" f set "groupId" = $3 where f."organizationId" = $1 and f."groupId" = $2
  and not exists (select from "failureIssue" o where o."organizationId" = $1 and o."groupId" = $3)`;

async function countAnew(trx: Transaction, _target: Target, { tenant, row }: Change): Promise<void> {
  for (const statement of markHours(tenant, [Number(row.values.at)])) await trx.query(statement);
}

/** The number of secrets that were found, by column and kind. */
export type Found = Map<string, Map<string, number>>;

/** A table of an organization that is gone through. */
export interface Work {
  means: Means;
  tenant: string;
  target: Target;
  rules: Rules;
  isApplied: boolean;
  found: Found;
}

/** Reads some rows and takes the secrets out of them. Most rows hold none, and nobody waits for the reading. */
export async function redactSlice(work: Work, keys: readonly string[][]): Promise<void> {
  const { means, target, tenant, rules, isApplied } = work;
  const rows = await means.db.query<Row>(readRows(target, { tenant, keys }));
  const changed: Changed[] = [];
  for (const row of rows) {
    const values = await redactedValues(target, row, rules);
    note(work, row, values);
    if (Object.keys(values).length > 0) changed.push({ row, values });
  }
  if (!isApplied || changed.length === 0) return;
  const entity = [...model.values()].find(({ table, event }) => table === target.name && event !== undefined);
  if (entity) await changeEntities(work, entity, changed);
  else for (const each of changed) await changeRow(work, each);
}

/** A row as it was read, and its values without secrets. */
interface Changed {
  row: Row;
  values: Record<string, string>;
}

/** The values of a row under its lock without secrets. Mostly they are as they were read, and were scanned without a lock. */
async function valuesAgain(
  { target, rules }: Work,
  { row, values }: Changed,
  now: Row,
): Promise<Record<string, string>> {
  const isSame = target.columns.every(({ name }) => readOwn(row.values, name) === readOwn(now.values, name));
  return isSame ? values : redactedValues(target, now, rules);
}

function note({ target, found }: Work, row: Row, values: Readonly<Record<string, string>>): void {
  for (const [column, value] of Object.entries(values)) {
    const name = `${target.name}.${column}`;
    const kinds = found.get(name) ?? new Map<string, number>();
    found.set(name, kinds);
    for (const [kind, count] of Object.entries(newMarks(readOwn(row.values, column), value)))
      kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
}

/** Reads the row again under its lock: it may have changed since. */
async function changeRow(work: Work, read: Changed): Promise<void> {
  const { means, target, tenant } = work;
  const { key } = read.row;
  const follower = readOwn(FOLLOWED, target.name);
  const again = readRows(target, { tenant, keys: [key], isLocked: true, ...(follower && { more: follower.more }) });
  await means.db.transaction(async (trx) => {
    const [row] = await trx.query<Row>(again);
    const values = row && (await valuesAgain(work, read, row));
    if (!values || Object.keys(values).length === 0) return;
    if (follower) await follower.write(trx, target, { tenant, row, values });
    else await writeRow(trx, target, { tenant, key, values });
  });
}

/** Rows of the change log's entities are changed by mutations, so that open pages, searches and caches follow. */
async function changeEntities(work: Work, entity: Entity, changed: readonly Changed[]) {
  const { means, target, tenant } = work;
  const scope = systemScope(means, tenant);
  await mutate(scope, model, async (write) => {
    await load(
      write,
      changed.map(({ row: { key } }) => [entity.name, key[0]]),
    );
    for (const each of changed) {
      const [id = ""] = each.row.key;
      const row = await find(write, entity.name, id);
      if (!row) continue;
      const texts = target.columns.map(({ name }) => [
        name,
        isObject(readOwn(row, name)) ? JSON.stringify(readOwn(row, name)) : readOwn(row, name),
      ]);
      const values = await valuesAgain(work, each, { key: [id], values: Object.fromEntries(texts) });
      update(write, entity.name, row, values, { forgets: true });
    }
    return {};
  });
}
