import { members } from "../fold/merge.ts";
import type { Observation } from "../observation.ts";
import type { Packet } from "./packet.ts";

/** Whose users they are, and the time of arrival. */
export interface Arrival {
  organizationId: string;
  /** Epoch ms. */
  now: number;
}

/**
 * Writes users and their traits. Unchanged users are left alone: the lock on the row would make all of a key's requests
 * wait for each other. Raw SQL, as all of this: docs/database.md says why.
 */
export function writeUsers(
  packet: Packet,
  { organizationId, now }: Arrival,
  changes: readonly { user_id: string | null }[],
  observations: readonly Observation[],
): void {
  const traits = new Map<string, Record<string, unknown>>();
  for (const { user_id } of changes) if (user_id !== null) traits.set(user_id, {});
  for (const { user } of observations) {
    const known = user && traits.get(user.id);
    if (user?.traits && known) traits.set(user.id, members(known, user.traits));
  }
  const rows = [...traits].sort(([a], [b]) => (a < b ? -1 : 1)).map(([user_id, own]) => ({ user_id, traits: own }));
  packet.push({
    name: "observe-users",
    text: `insert into recorded_user as known (organization_id, user_id, traits, first_seen_at)
      select $1, n.user_id, n.traits, to_timestamp($3::float8 / 1000) from jsonb_to_recordset($2::jsonb) n (user_id text, traits jsonb)
      left join lateral (select traits from recorded_user where organization_id = $1
        and user_id between n.user_id and n.user_id order by user_id limit 1) k on true
      where k.traits is null or k.traits || n.traits <> k.traits
      on conflict (organization_id, user_id) do update set traits = known.traits || excluded.traits
        where known.traits || excluded.traits <> known.traits`,
    values: [organizationId, JSON.stringify(rows), now],
  });
}
