import type { Statement } from "../../../db/open.ts";
import { newId } from "../../id.ts";
import type { EncodedEvent } from "../tuple/index.ts";
import type { Placed } from "./load.ts";

const HOUR_MS = 60 * 60 * 1000;

type Event = Placed<EncodedEvent>;

/**
 * Raw SQL, as docs/database.md says why. SQL that marks the hours whose counts of tools and failures the events change,
 * in the transaction that stores them: a job counts those hours again, and readers read their events until then.
 * It holds ids and times alone. Undefined when nothing that is counted is among them.
 */
export function insertMarks(events: readonly Event[]): string | undefined {
  const hours = hoursOf(events);
  if (hours.length === 0) return undefined;
  const list = (type: string, read: (mark: Mark) => string) => `'{${hours.map(read).join()}}'::${type}[]`;
  return `insert into recorded_mark (organization_id, hour, mark_id) select o, h, '${newId()}' from unnest(
    ${list("uuid", ([organizationId]) => organizationId)},
    ${list("timestamptz", ([, hour]) => new Date(hour * HOUR_MS).toISOString())}) n (o, h)`;
}

/** An organization, and an hour since 1970. */
type Mark = [string, number];

function hoursOf(events: readonly Event[]): Mark[] {
  const marks = new Map<string, Mark>();
  let at: Mark = ["", Number.NaN];
  for (const { organization_id, row } of events) {
    if (row.kind !== "tool" && row.success) continue;
    const hour = Math.floor(row.timestamp / HOUR_MS);
    // Most events of a commit are of one organization and hour.
    if (at[1] === hour && at[0] === organization_id) continue;
    at = [organization_id, hour];
    marks.set(organization_id + hour, at);
  }
  return [...marks.values()];
}

/** Marks the hours of some moments, epoch ms. */
export function markHours(organizationId: string, moments: readonly number[]): Statement[] {
  const hours = new Set(moments.map((at) => Math.floor(at / HOUR_MS)));
  if (hours.size === 0) return [];
  const text = `insert into recorded_mark (organization_id, hour, mark_id)
    select $1, to_timestamp(h * 3600), $3 from unnest($2::float8[]) h`;
  return [{ name: "mark-hours", text, values: [organizationId, [...hours], newId()] }];
}
