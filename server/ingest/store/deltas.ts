import { newId } from "../../id.ts";
import { NANODOLLARS_PER_DOLLAR } from "../../prices/prices.ts";
import { SESSION_SUM_COLUMNS, TOKEN_COLUMNS } from "../../resources/recorded/kinds.ts";
import type { EncodedEvent, EventMeasurements } from "../tuple/index.ts";
import type { RowToStore } from "./load.ts";

/** Amounts that the events of one commit add to the totals of one session. */
interface Delta {
  organization_id: string;
  session_id: string;
  events: number;
  failures: number;
  turns: number;
  tools: number;
  /** Start of the first event, and end of the last event, in epoch ms. */
  began: number;
  ended: number;
  measured: EventMeasurements[];
}

type Event = RowToStore<EncodedEvent>;

/**
 * Raw SQL; docs/database.md explains why. Returns SQL that records how much events add to the totals of their
 * sessions. The SQL runs in the transaction that stores the events, so the totals of a session always include all
 * stored events. The SQL contains only ids and numbers; names from callers are written as hexadecimal digits.
 * Undefined for no events.
 */
export function insertDeltasSql(events: readonly Event[]): string | undefined {
  if (events.length === 0) return undefined;
  const deltas = deltasOf(events);
  const list = (type: string, read: (delta: Delta) => string | number) => `'{${deltas.map(read).join()}}'::${type}[]`;
  const counts = `insert into recorded_delta (organization_id, session_id, delta_id, events, failures, turns, tool_calls, began_at, ended_at)
    select o, s, '${newId()}', e, f, u, t, to_timestamp(b / 1000), to_timestamp(x / 1000) from unnest(
      ${list("uuid", (delta) => delta.organization_id)}, ${list("uuid", (delta) => delta.session_id)},
      ${list("bigint", ({ events: all }) => all)}, ${list("bigint", ({ failures }) => failures)},
      ${list("bigint", ({ turns }) => turns)}, ${list("bigint", ({ tools }) => tools)}, ${list("float8", ({ began }) => began)},
      ${list("float8", ({ ended }) => ended)}) n (o, s, e, f, u, t, b, x)`;
  const measures = insertMeasures(deltas);
  return measures === undefined ? counts : `${counts}; ${measures}`;
}

function deltasOf(events: readonly Event[]): Delta[] {
  const deltas = new Map<string, Delta>();
  let at: Delta | undefined;
  for (const { organization_id, row } of events) {
    const { session_id, success, kind, measured, timestamp, ended_at } = row;
    // Events of one session usually arrive one after another, so the code looks up the delta only when the session
    // changes.
    if (at?.session_id !== session_id || at.organization_id !== organization_id) {
      const key = organization_id + session_id;
      at = deltas.get(key) ?? {
        organization_id,
        session_id,
        events: 0,
        failures: 0,
        turns: 0,
        tools: 0,
        began: timestamp,
        ended: ended_at,
        measured: [],
      };
      deltas.set(key, at);
    }
    at.events += 1;
    if (!success) at.failures += 1;
    if (kind === "turn") at.turns += 1;
    if (kind === "tool") at.tools += 1;
    if (timestamp < at.began) at.began = timestamp;
    if (ended_at > at.ended) at.ended = ended_at;
    if (measured) at.measured.push(measured);
  }
  return [...deltas.values()];
}

const MEASURES = SESSION_SUM_COLUMNS.join(", ");

function insertMeasures(deltas: readonly Delta[]): string | undefined {
  const rows = deltas.flatMap(({ organization_id, session_id, measured }) =>
    measured.length > 0 ? [{ organization_id, session_id, ...sumOf(measured) }] : [],
  );
  if (rows.length === 0) return undefined;
  return `insert into recorded_delta (organization_id, session_id, delta_id, events, failures, turns, tool_calls,
      ${MEASURES}, models)
    select organization_id, session_id, '${newId()}', 0, 0, 0, 0, ${MEASURES}, models
    from jsonb_to_recordset(convert_from(decode('${Buffer.from(JSON.stringify(rows)).toString("hex")}', 'hex'), 'utf8')::jsonb)
      n (organization_id uuid, session_id uuid, ${SESSION_SUM_COLUMNS.map((name) => `${name} numeric`).join(", ")}, models jsonb)`;
}

function sumOf(all: readonly EventMeasurements[]) {
  const sum = (name: keyof Omit<EventMeasurements, "model">) =>
    all.reduce((total, each) => total + (each[name] ?? 0), 0);
  const models = new Map<string, number>();
  for (const { model } of all) if (model !== undefined) models.set(model, (models.get(model) ?? 0) + 1);
  return {
    ...Object.fromEntries(TOKEN_COLUMNS.map((name) => [name, sum(name)])),
    cost: ((sum("cost") + sum("computed_cost")) / NANODOLLARS_PER_DOLLAR).toFixed(9),
    ...costCounts(all),
    models: Object.fromEntries(models),
  };
}

/** Counts the events with a reported cost, with a computed cost, and with tokens but no known cost. */
function costCounts(all: readonly EventMeasurements[]) {
  const reported = all.filter(({ cost }) => cost !== undefined).length;
  const computed = all.filter(({ computed_cost }) => computed_cost !== undefined).length;
  const hasTokens = (each: EventMeasurements) => TOKEN_COLUMNS.some((name) => each[name] !== undefined);
  const costly = all.filter((each) => each.cost !== undefined || hasTokens(each)).length;
  return { reported_costs: reported, computed_costs: computed, missing_costs: costly - reported - computed };
}
