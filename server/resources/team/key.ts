import { compiled, knex, toStatement } from "../../../db/builder.ts";
import { conflict } from "../../errors.ts";
import { addLink } from "../../write/change.ts";
import type { Write } from "../../write/write.ts";

const TEAM = { "t.organizationId": "k.organizationId", "t.id": "k.teamId" };

/**
 * Gives a team a key. Keys it had before stay its own, so that its old identifiers resolve; those of deleted teams are
 * free again. A trial checks all of it, and changes nothing.
 * @throws conflict when the key belongs to another team, or did and is kept for it.
 */
export async function claimKey(write: Write, teamId: string, key: string, trial = false): Promise<void> {
  const { organizationId } = write.scope;
  const [claim] = await write.trx.query<{ teamId: string; alive: boolean }>(claimOf({ organizationId, key }));
  if (!claim) return addLink(write, "teamKey", { key, teamId });
  if (claim.teamId === teamId) return;
  if (claim.alive) throw conflict(`key: ${key} belongs to another team; choose another`, undefined, "key");
  if (trial) return;
  await write.trx.query(toStatement(knex("teamKey").where({ organizationId, key }).update({ teamId })));
}

const claimOf = compiled(
  "claim-of-key",
  ["organizationId", "key"],
  ({ organizationId, key }) =>
    knex("teamKey as k")
      .leftJoin("team as t", TEAM)
      .where({ "k.organizationId": organizationId, "k.key": key })
      .select("k.teamId", { alive: knex.raw("t.id is not null") }),
  { reads: ["teamKey", "team"] },
);

/** A free key from the first letters of a name, with a number when it is taken. */
export async function freeKey(write: Write, teamName: string): Promise<string> {
  const letters = teamName.toUpperCase().replace(/[^A-Z0-9]/g, "");
  const stem = letters.replace(/^[0-9]+/, "").slice(0, 3) || "TEAM";
  const { organizationId } = write.scope;
  const alike = knex("teamKey as k").join("team as t", TEAM).where({ "k.organizationId": organizationId });
  const rows = await write.trx.query<{ key: string }>(
    toStatement(alike.whereRaw("starts_with(k.key, ?)", [stem]).select("k.key")),
  );
  const taken = new Set(rows.map((row) => row.key));
  if (!taken.has(stem)) return stem;
  for (let number = 2; ; number += 1) if (!taken.has(`${stem}${number}`)) return `${stem}${number}`;
}
