import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { mintPersonalKey } from "../../auth/key.ts";
import { notFound } from "../../errors.ts";
import { create, update } from "../../write/change.ts";
import { find } from "../../write/find.ts";
import type { Write } from "../../write/write.ts";
import { audit } from "../audit.ts";
import { BOUNDS, takeRoom } from "../bound.ts";

/** A personal key as its holder sees it later: never the key itself. */
interface PersonalKey {
  id: string;
  label: string;
  last4: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** The moment from which it opens nothing; null for a key that holds until it is deleted. */
  expiresAt: Date | null;
}

/** Whose keys: a member of an organization. */
export interface Holder {
  organizationId: string;
  userId: string;
}

/**
 * Mints a personal key for a member. `token` is the key, shown this once; only its hash is kept.
 * @throws conflict `limit_reached` at 200 keys.
 */
export function createPersonalKey(
  db: Database,
  input: Holder & { label: string; expiresAt?: Date | undefined },
): Promise<{ id: string; label: string; token: string; createdAt: Date; expiresAt: Date | null }> {
  const { key, hash, last4 } = mintPersonalKey();
  const { organizationId, userId, label, expiresAt = null } = input;
  const id = uuidv7();
  const createdAt = new Date();
  return db.transaction(async (trx) => {
    await takeRoom(trx, "personalKeys", input);
    const row = { hash, id, organizationId, userId, label, last4, createdAt, expiresAt };
    await trx.query(toStatement(knex("apiKey").insert(row)));
    await audit(trx, { event: "apiKey.created", organizationId, accountId: userId, detail: { id, label, expiresAt } });
    return { id, label, token: key, createdAt, expiresAt };
  });
}

/** A member's own keys, newest first. */
export const listPersonalKeys = (db: Database, { organizationId, userId }: Holder): Promise<PersonalKey[]> =>
  db.query(
    toStatement(
      knex("apiKey")
        .where({ organizationId, userId })
        .orderBy("id", "desc")
        .limit(BOUNDS.personalKeys.most)
        .select("id", "label", "last4", "createdAt", "lastUsedAt", "expiresAt"),
    ),
  );

/**
 * Deletes one of a member's own keys, at once and for good.
 * @throws notFound, also for a key of somebody else.
 */
export async function deletePersonalKey(db: Database, { organizationId, userId }: Holder, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    const removal = knex("apiKey").where({ organizationId, userId, id }).delete("label");
    const [deleted] = await trx.query<{ label: string }>(toStatement(removal));
    if (!deleted) throw notFound("API key", id);
    const detail = { id, label: deleted.label };
    await audit(trx, { event: "apiKey.deleted", organizationId, accountId: userId, detail });
  });
  credentialsRevoked(db);
}

/** An agent as owners see it later: never its key. */
interface Agent {
  id: string;
  name: string;
  last4: string | null;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/**
 * Makes an agent: a user that acts by a key of its own, on behalf of its maker, with the rights of a member. Resolves
 * to its id and the key, which is shown this once.
 * @throws conflict `limit_reached` at 500 agents
 */
export async function createAgent(write: Write, name: string): Promise<{ id: string; token: string }> {
  const { organizationId, userId } = write.scope;
  await takeRoom(write.trx, "agents", { organizationId, userId });
  const id = uuidv7();
  const email = `${id}@agents.invalid`;
  const agent = { app: true, active: true, role: "member", onBehalfOfId: userId };
  create(write, "User", { ...agent, id, accountId: id, name, displayName: name, email });
  const { key, hash, last4 } = mintPersonalKey();
  const row = { hash, id: uuidv7(), organizationId, userId: id, label: name, last4, createdAt: new Date() };
  await write.trx.query(toStatement(knex("apiKey").insert(row)));
  await audit(write.trx, { event: "agent.created", organizationId, accountId: userId, detail: { id, name } });
  return { id, token: key };
}

/** An organization's agents, newest first. */
export const listAgents = (db: Database, organizationId: string): Promise<Agent[]> =>
  db.query(
    toStatement(
      knex("user as u")
        .leftJoin("apiKey as k", { "k.organizationId": "u.organizationId", "k.userId": "u.id" })
        .where({ "u.organizationId": organizationId, "u.app": true, "u.active": true })
        .orderBy("u.id", "desc")
        .limit(BOUNDS.agents.most)
        .select("u.id", "u.name", "k.last4", "u.createdAt", "k.lastUsedAt"),
    ),
  );

/**
 * Deletes an agent: its key opens nothing any more, its texts stay. Call `credentialsRevoked` after the commit.
 * @throws notFound, also for a person
 */
export async function deleteAgent(write: Write, id: string): Promise<void> {
  const { organizationId, userId } = write.scope;
  const agent = await find(write, "User", id);
  if (!agent?.app || !agent.active) throw notFound("agent", id);
  update(write, "User", agent, { active: false });
  await write.trx.query(toStatement(knex("apiKey").where({ organizationId, userId: id }).delete()));
  await audit(write.trx, {
    event: "agent.deleted",
    organizationId,
    accountId: userId,
    detail: { id, name: agent.name },
  });
}
