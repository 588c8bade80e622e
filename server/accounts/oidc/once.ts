import { createHash } from "node:crypto";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Queryable } from "../audit.ts";
import type { Person } from "./person.ts";

/** The time that a person has at the provider's pages, and then for their password. */
export const PATIENCE_MS = 15 * 60 * 1000;

/**
 * Something that counts once, in one organization: the state of a sign-in that was begun, a person who has yet to give
 * their password, a logout token. Rows, since any server may be asked the next time.
 */
interface Once {
  organizationId: string;
  kind: "state" | "person" | "logout";
  /** All that has to be presented. Only a hash of it is stored. */
  parts: readonly string[];
}

/** The values that are kept with it. */
interface Kept {
  returnTo: string | null;
  person: Person | null;
}

const hashOf = ({ kind, parts }: Once): Buffer =>
  createHash("sha256")
    .update(JSON.stringify([kind, ...parts]))
    .digest();

/** Notes something until a moment. @returns false when it is there already */
export async function noteOnce(db: Queryable, once: Once, until: Date, kept: Partial<Kept> = {}): Promise<boolean> {
  const { organizationId } = once;
  const row = { organizationId, hash: hashOf(once), expiresAt: until, returnTo: kept.returnTo ?? null };
  const insert = knex("oidcOnce").insert({ ...row, person: kept.person ? JSON.stringify(kept.person) : null });
  const noted = await db.query(toStatement(insert.onConflict(["organizationId", "hash"]).ignore().returning("hash")));
  return noted.length > 0;
}

const rowOf = (once: Once) =>
  knex("oidcOnce")
    .where({ organizationId: once.organizationId, hash: hashOf(once) })
    .where("expiresAt", ">", new Date());

/** Reads what was noted, and leaves it there. */
export async function readOnce(db: Queryable, once: Once): Promise<Kept | undefined> {
  const [found] = await db.query<Kept>(toStatement(rowOf(once).select("returnTo", "person")));
  return found;
}

/** Removes and reads in one statement: of two that come at once, one finds it. */
export async function takeOnce(db: Queryable, once: Once): Promise<Kept | undefined> {
  const [taken] = await db.query<Kept>(toStatement(rowOf(once).delete(["returnTo", "person"])));
  return taken;
}
