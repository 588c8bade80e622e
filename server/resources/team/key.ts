import { conflict } from "../../errors.ts";
import { addLink } from "../../write/change.ts";
import type { Write } from "../../write/write.ts";

/**
 * Gives a team a key. Keys it had before stay its own, so that its old identifiers resolve; those of deleted teams are
 * free again.
 * @throws conflict when the key belongs to another team, or did and is kept for it.
 */
export async function claimKey(write: Write, teamId: string, key: string): Promise<void> {
  const { organizationId } = write.scope;
  const [claim] = await write.trx.query<{ teamId: string; alive: boolean }>({
    name: "claim-of-key",
    text: `select k."teamId", t.id is not null as alive from "teamKey" k
      left join team t on t."organizationId" = k."organizationId" and t.id = k."teamId"
      where k."organizationId" = $1 and k.key = $2`,
    values: [organizationId, key],
  });
  if (!claim) return addLink(write, "teamKey", { key, teamId });
  if (claim.teamId === teamId) return;
  if (claim.alive) throw conflict(`key: ${key} belongs to another team; choose another`, undefined, "key");
  await write.trx.query({
    text: `update "teamKey" set "teamId" = $3 where "organizationId" = $1 and key = $2`,
    values: [organizationId, key, teamId],
  });
}

/** A free key from the first letters of a name, with a number when it is taken. */
export async function freeKey(write: Write, teamName: string): Promise<string> {
  const letters = teamName.toUpperCase().replace(/[^A-Z0-9]/g, "");
  const stem = letters.replace(/^[0-9]+/, "").slice(0, 3) || "TEAM";
  const rows = await write.trx.query<{ key: string }>({
    text: `select k.key from "teamKey" k join team t on t."organizationId" = k."organizationId" and t.id = k."teamId"
      where k."organizationId" = $1 and starts_with(k.key, $2)`,
    values: [write.scope.organizationId, stem],
  });
  const taken = new Set(rows.map((row) => row.key));
  if (!taken.has(stem)) return stem;
  for (let number = 2; ; number += 1) if (!taken.has(`${stem}${number}`)) return `${stem}${number}`;
}
