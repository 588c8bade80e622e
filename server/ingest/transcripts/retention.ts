import type { ClientBase } from "pg";
import { DAY_MS } from "../../../formats/time.ts";
import { retentionDaysSql } from "../../resources/recorded/retention/due.ts";
import type { CleanedObservations } from "../observe/prepare.ts";

/** Raw SQL; docs/database.md explains why. Returns the retention of an agent's sessions in days, null for unlimited. */
const DAYS = `select ${retentionDaysSql("session", { alias: "s", organization: "$1::uuid" }, "$2::integer")} as days
  from (select $3::text as source, null::uuid as session_id) s`;

/**
 * Rejects transcript lines that are older than the organization's retention for the agent. Retention counts from the
 * day of receipt, so imported sessions would otherwise stay for the whole retention time again.
 */
export async function rejectExpiredTranscriptLines(
  client: ClientBase,
  { organizationId, most, now }: { organizationId: string; most: number; now: number },
  { prepared, rejected }: CleanedObservations,
): Promise<CleanedObservations> {
  const first = prepared.find(({ observation }) => observation.isTranscript);
  if (!first) return { prepared, rejected };
  const values = [organizationId, most, first.observation.source];
  const { rows } = await client.query<{ days: number | null }>({ name: "transcript-days", text: DAYS, values });
  const days = rows[0]?.days ?? null;
  if (days === null) return { prepared, rejected };
  const least = now - days * DAY_MS;
  for (const { index, observation } of prepared) {
    const at = observation.endedAt ?? observation.startedAt ?? now;
    if (observation.isTranscript && at < least)
      rejected.set(index, `is older than the ${days} days that such sessions stay`);
  }
  return { prepared: prepared.filter(({ index }) => !rejected.has(index)), rejected };
}
