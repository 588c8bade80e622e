import type { ClientBase } from "pg";
import type { StatementPacket } from "./packet.ts";

/** Folded part, and the component of the part. */
export interface PartRow {
  part: string;
  /** Id of the component: the smallest id among the parts that influence each other. */
  component: string;
  /**
   * Time in epoch ms; null if the part is not sealed. Observations and events that were received until this time never
   * change again.
   */
  sealed_at: number | null;
}

const PART = "part, component, (extract(epoch from sealed_at) * 1000)::float8 as sealed_at";

/**
 * Raw SQL, like all statements here; docs/database.md explains why. Reads the given parts and all other parts of their
 * components. `offset 0` ensures the lookup by key: without it, the observe-plans test fails.
 */
export async function readParts(
  client: ClientBase,
  organizationId: string,
  parts: readonly string[],
): Promise<PartRow[]> {
  if (parts.length === 0) return [];
  const { rows } = await client.query<PartRow>({
    name: "observe-parts",
    text: `select p.* from (select distinct k.component from unnest($2::uuid[]) n (id) cross join lateral (
        select component from recorded_part where organization_id = $1 and part between n.id and n.id order by part limit 1) k) c
      cross join lateral (select ${PART} from recorded_part where organization_id = $1 and component between c.component and c.component
        order by component offset 0) p`,
    values: [organizationId, parts],
  });
  return rows;
}

/**
 * Writes the component and the sealing time of each part. Sets `received_at`, the time of the latest observation, to
 * `now`.
 */
export function writeParts(
  packet: StatementPacket,
  organizationId: string,
  rows: readonly PartRow[],
  now: number,
): void {
  if (rows.length === 0) return;
  const sorted = [...rows].sort((a, b) => (a.part < b.part ? -1 : 1));
  packet.push({
    name: "observe-part-news",
    text: `insert into recorded_part (organization_id, part, component, sealed_at, received_at)
      select $1, p, c, to_timestamp(s / 1000), to_timestamp($5::float8 / 1000) from unnest($2::uuid[], $3::uuid[], $4::float8[]) n (p, c, s)
      on conflict (organization_id, part) do update set component = excluded.component, sealed_at = excluded.sealed_at,
        received_at = excluded.received_at`,
    values: [
      organizationId,
      sorted.map(({ part }) => part),
      sorted.map(({ component }) => component),
      sorted.map(({ sealed_at }) => sealed_at),
      now,
    ],
  });
}
