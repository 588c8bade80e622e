import type { ClientBase } from "pg";
import { DAY_MS } from "../../../formats/time.ts";
import { daysOf } from "../../resources/recorded/retention/due.ts";
import type { PreparedAll } from "../observe/prepare.ts";

/** Raw SQL, as docs/database.md says why. The days that sessions of an agent stay, null for ever. */
const DAYS = `select ${daysOf("session", { alias: "s", organization: "$1::uuid" }, "$2::integer")} as days
  from (select $3::text as source, null::uuid as session_id) s`;

/**
 * Rejects lines of transcripts that are older than the organization keeps sessions of their agent. Retention counts from the
 * day on which something was received: what is imported would otherwise stay as long again.
 */
export async function withoutExpired(
  client: ClientBase,
  { organizationId, most, now }: { organizationId: string; most: number; now: number },
  { prepared, rejected }: PreparedAll,
): Promise<PreparedAll> {
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
