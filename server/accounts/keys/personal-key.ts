import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { invalidateCredentialCache } from "../../auth/credential-cache.ts";
import { mintPersonalKey } from "../../auth/key.ts";
import { notFound } from "../../errors.ts";
import { createRow, updateRow } from "../../write/change.ts";
import { findRow } from "../../write/find.ts";
import type { WriteContext } from "../../write/write.ts";
import { writeAuditEntry } from "../audit.ts";
import { lockAndCheckRowLimit, ROW_LIMITS } from "../bound.ts";

/** A personal key as shown to its holder, without the key itself. */
interface PersonalKey {
  id: string;
  label: string;
  last4: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** Expiry of the key; null if the key is valid until it is deleted. */
  expiresAt: Date | null;
}

/** The holder of keys: a member of an organization. */
export interface KeyHolder {
  organizationId: string;
  userId: string;
}

/**
 * Creates a personal key for a member. `token` is the key and is returned only here; the server stores only its hash.
 * @throws conflict `limit_reached` at 200 keys.
 */
export function createPersonalKey(
  db: Database,
  input: KeyHolder & { label: string; expiresAt?: Date | undefined },
): Promise<{ id: string; label: string; token: string; createdAt: Date; expiresAt: Date | null }> {
  const { key, hash, last4 } = mintPersonalKey();
  const { organizationId, userId, label, expiresAt = null } = input;
  const id = uuidv7();
  const createdAt = new Date();
  return db.transaction(async (trx) => {
    await lockAndCheckRowLimit(trx, "personalKeys", input);
    const row = { hash, id, organizationId, userId, label, last4, createdAt, expiresAt };
    await trx.query(toStatement(knex("apiKey").insert(row)));
    await writeAuditEntry(trx, {
      event: "apiKey.created",
      organizationId,
      accountId: userId,
      detail: { id, label, expiresAt },
    });
    return { id, label, token: key, createdAt, expiresAt };
  });
}

/** Lists a member's own keys, newest first. */
export const listPersonalKeys = (db: Database, { organizationId, userId }: KeyHolder): Promise<PersonalKey[]> =>
  db.query(
    toStatement(
      knex("apiKey")
        .where({ organizationId, userId })
        .orderBy("id", "desc")
        .limit(ROW_LIMITS.personalKeys.most)
        .select("id", "label", "last4", "createdAt", "lastUsedAt", "expiresAt"),
    ),
  );

/**
 * Deletes a member's own key, immediately and permanently.
 * @throws notFound, also for a key of another member.
 */
export async function deletePersonalKey(
  db: Database,
  { organizationId, userId }: KeyHolder,
  id: string,
): Promise<void> {
  await db.transaction(async (trx) => {
    const removal = knex("apiKey").where({ organizationId, userId, id }).delete("label");
    const [deleted] = await trx.query<{ label: string }>(toStatement(removal));
    if (!deleted) throw notFound("API key", id);
    const detail = { id, label: deleted.label };
    await writeAuditEntry(trx, { event: "apiKey.deleted", organizationId, accountId: userId, detail });
  });
  invalidateCredentialCache(db);
}

/** An agent as shown to owners, without its key. */
interface Agent {
  id: string;
  name: string;
  last4: string | null;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/**
 * Creates an agent: a user with its own key and the rights of a member, who acts on behalf of the creator. Returns
 * the id and the key, which is shown only once.
 * @throws conflict `limit_reached` at 500 agents
 */
export async function createAgent(write: WriteContext, name: string): Promise<{ id: string; token: string }> {
  const { organizationId, userId } = write.scope;
  await lockAndCheckRowLimit(write.trx, "agents", { organizationId, userId });
  const id = uuidv7();
  const email = `${id}@agents.invalid`;
  const agent = { app: true, active: true, role: "member", onBehalfOfId: userId };
  createRow(write, "User", { ...agent, id, accountId: id, name, displayName: name, email });
  const { key, hash, last4 } = mintPersonalKey();
  const row = { hash, id: uuidv7(), organizationId, userId: id, label: name, last4, createdAt: new Date() };
  await write.trx.query(toStatement(knex("apiKey").insert(row)));
  await writeAuditEntry(write.trx, { event: "agent.created", organizationId, accountId: userId, detail: { id, name } });
  return { id, token: key };
}

/** Lists an organization's agents, newest first. */
export const listAgents = (db: Database, organizationId: string): Promise<Agent[]> =>
  db.query(
    toStatement(
      knex("user as u")
        .leftJoin("apiKey as k", { "k.organizationId": "u.organizationId", "k.userId": "u.id" })
        .where({ "u.organizationId": organizationId, "u.app": true, "u.active": true })
        .orderBy("u.id", "desc")
        .limit(ROW_LIMITS.agents.most)
        .select("u.id", "u.name", "k.last4", "u.createdAt", "k.lastUsedAt"),
    ),
  );

/**
 * Deletes an agent and its key. The agent's issues and comments stay. Call `invalidateCredentialCache` after the commit.
 * @throws notFound, also for a user who is no agent
 */
export async function deleteAgent(write: WriteContext, id: string): Promise<void> {
  const { organizationId, userId } = write.scope;
  const agent = await findRow(write, "User", id);
  if (!agent?.app || !agent.active) throw notFound("agent", id);
  updateRow(write, "User", agent, { active: false });
  await write.trx.query(toStatement(knex("apiKey").where({ organizationId, userId: id }).delete()));
  await writeAuditEntry(write.trx, {
    event: "agent.deleted",
    organizationId,
    accountId: userId,
    detail: { id, name: agent.name },
  });
}
