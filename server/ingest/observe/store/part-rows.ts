import type { ClientBase } from "pg";
import type { Part, Telling } from "../merge/cluster.ts";
import type { Packet } from "./packet.ts";

/** Parts of a group of equal events of a session, with and without their content. */
export interface GroupedPart extends Part {
  session_id: string;
  group_id: string;
}
export interface GroupedTelling extends Telling {
  session_id: string;
  group_id: string;
}

/**
 * Reads every part of these groups, without its content. Raw SQL, as all of this: docs/database.md says why.
 * `offset 0` keeps the lookup by key: the observe-plans test fails without it.
 */
export async function readTellings(
  client: ClientBase,
  organizationId: string,
  groups: readonly GroupedTelling[],
): Promise<GroupedTelling[]> {
  if (groups.length === 0) return [];
  // A group that is asked for twice would answer with each of its parts twice.
  const distinct = [...new Map(groups.map((group) => [group.session_id + group.group_id, group])).values()];
  const { rows } = await client.query<GroupedTelling>({
    name: "observe-tellings",
    text: `select p.session_id, p.group_id, p.part_id, p.role, p.at::float8 as at
      from unnest($2::uuid[], $3::uuid[]) n (session_id, group_id) cross join lateral (select * from recorded_part
        where organization_id = $1 and session_id = n.session_id and group_id = n.group_id offset 0) p`,
    values: [organizationId, distinct.map(({ session_id }) => session_id), distinct.map(({ group_id }) => group_id)],
  });
  return rows;
}

/** Reads the content of parts. */
export async function readParts(
  client: ClientBase,
  organizationId: string,
  parts: readonly GroupedTelling[],
): Promise<GroupedPart[]> {
  if (parts.length === 0) return [];
  const { rows } = await client.query<GroupedPart>({
    name: "observe-parts",
    text: `select p.session_id, p.group_id, p.part_id, p.role, p.at::float8 as at, p.facts
      from unnest($2::uuid[], $3::uuid[], $4::uuid[]) n (session_id, group_id, part_id)
      cross join lateral (select * from recorded_part where organization_id = $1 and session_id = n.session_id
        and group_id = n.group_id and part_id = n.part_id limit 1) p`,
    values: [
      organizationId,
      parts.map(({ session_id }) => session_id),
      parts.map(({ group_id }) => group_id),
      parts.map(({ part_id }) => part_id),
    ],
  });
  return rows;
}

/** Writes parts that are new or know more. */
export function writeParts(packet: Packet, organizationId: string, parts: readonly GroupedPart[]): void {
  if (parts.length === 0) return;
  packet.push({
    name: "observe-part-news",
    text: `insert into recorded_part (organization_id, session_id, group_id, part_id, role, at, facts)
      select $1, session_id, group_id, part_id, role, at, facts from jsonb_to_recordset($2::jsonb)
        n (session_id uuid, group_id uuid, part_id uuid, role text, at bigint, facts jsonb)
      on conflict (organization_id, session_id, group_id, part_id) do update set facts = excluded.facts`,
    values: [organizationId, JSON.stringify(parts)],
  });
}
