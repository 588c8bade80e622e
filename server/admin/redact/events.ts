import type { Transaction } from "../../../db/open.ts";
import { marksIn } from "../../../redaction/index.ts";
import { markHours } from "../../resources/recorded/analytics/index.ts";
import { groupIdOf, lineOf, messageIn, messageOf } from "../../resources/recorded/failures/message.ts";
import type { Target } from "./catalog.ts";
import { type Row, writeRow } from "./rows.ts";

/** A row that is locked, and its values without secrets. */
export interface Change {
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
export const FOLLOWED: Readonly<Record<string, Follower>> = {
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
  const patch: Record<string, string | null> = { ...values, redacted: marksIn(TEXTS.map((name) => all[name] ?? null)) };
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
