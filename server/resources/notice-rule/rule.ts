import { knex, toStatement } from "../../../db/builder.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { writeAuditEntry } from "../../accounts/audit.ts";
import { lockAndCheckRowLimit } from "../../accounts/bound.ts";
import { enforceNoticeTestLimit } from "../../accounts/mail-limits.ts";
import { requireSameSecretReceiver, secretReceiverOfUrl } from "../../auth/receiver.ts";
import { decryptSecret, encryptSecret } from "../../auth/secret.ts";
import { conflict, notFound } from "../../errors.ts";
import { newId } from "../../id.ts";
import { checkTeamExists } from "../webhook/registration.ts";
import { toAuditActor, type WebhookScope } from "../webhook/scope.ts";
import { type NoticeRuleKind, validateNoticeRuleFields } from "./check-members.ts";
import type { NoticeChannel, NoticeRuleCreate, NoticeRuleUpdate } from "./input.ts";
import { hasMaxPendingMessages, writeMessage } from "./message.ts";

/** Default minimum number of calls for a meaningful failure rate. */
const MINIMUM_CALLS = 20;

/** States of a session that only a user can end. */
const NEEDS_A_PERSON = ["waitingForPermission", "waitingForAnswer", "stuck", "looping"];

/**
 * Returns the name to which the encryption binds a rule's URL or secret, so that the encrypted value cannot be used for
 * another rule or field.
 */
export const formatEncryptionOwner = (ruleId: string, part: "target" | "secret"): string => `notice ${part} ${ruleId}`;

/** Decrypts the URL of a rule. @throws if the URL was encrypted with another server secret */
export const decryptNoticeRuleUrl = (root: Uint8Array, ruleId: string, sealed: Uint8Array): string =>
  decryptSecret(root, formatEncryptionOwner(ruleId, "target"), sealed);

/**
 * Creates a rule. The server ignores events before the creation of the rule.
 * @throws invalidFieldsError for missing or unsupported fields of the condition or channel; conflict `limit_reached` at
 * 100
 */
export async function createRule(scope: WebhookScope, input: NoticeRuleCreate): Promise<string> {
  validateNoticeRuleFields(input, input, "needed");
  await checkTeamExists(scope, input.teamId);
  await lockAndCheckRowLimit(scope.db, "noticeRules", scope);
  const { organizationId, userId } = scope;
  const now = new Date();
  const row = {
    organizationId,
    id: input.id ?? newId(),
    name: input.name,
    enabled: input.enabled ?? true,
    condition: input.condition,
    sessionStates: input.condition === "sessionState" ? (input.sessionStates ?? NEEDS_A_PERSON) : [],
    failureKinds: input.condition === "failureGroup" ? (input.failureKinds ?? ["new", "back"]) : [],
    issueStateTypes: input.issueStateTypes ?? [],
    tool: input.tool ?? null,
    threshold: input.threshold ?? null,
    minimumCalls: input.minimumCalls ?? MINIMUM_CALLS,
    teamId: input.teamId ?? null,
    channel: input.channel,
    emails: input.channel === "email" ? (input.emails ?? (await ownAddress(scope))) : [],
    includeText: input.includeText ?? false,
    quietFrom: input.quietFrom ?? null,
    quietTo: input.quietTo ?? null,
    timeZone: input.timeZone ?? "UTC",
    creatorId: userId,
    ...{ watchedFrom: now, createdAt: now, updatedAt: now },
  };
  const insert = knex("noticeRule").insert({ ...row, ...sealed(scope, row.id, input) });
  const made = await scope.db.query(toStatement(insert.onConflict(["organizationId", "id"]).ignore().returning("id")));
  if (made.length === 0) throw conflict(`A notice rule with this id exists: ${row.id}`, undefined, "id");
  await watch(scope);
  await auditRule(scope, "created", row.id, input);
  return row.id;
}

interface Stored extends NoticeRuleKind {
  targetEncrypted: Buffer | null;
  secretEncrypted: Buffer | null;
  enabled: boolean;
  quietFrom: string | null;
  quietTo: string | null;
}

/** Fields whose change restarts a rule, because earlier notices do not apply to the new settings. */
const WATCHED = [
  "enabled",
  "sessionStates",
  "failureKinds",
  "issueStateTypes",
  "tool",
  "threshold",
  "minimumCalls",
  "teamId",
];

/**
 * Changes a rule. Absent fields stay unchanged.
 * @throws notFound; invalidFieldsError for unsupported fields of the condition or channel
 */
export async function updateRule(scope: WebhookScope, id: string, input: NoticeRuleUpdate): Promise<void> {
  const { db, organizationId } = scope;
  const kept = knex("noticeRule").where({ organizationId, id });
  const columns = ["condition", "channel", "enabled", "quietFrom", "quietTo", "targetEncrypted", "secretEncrypted"];
  const [before] = await db.query<Stored>(toStatement(kept.clone().forUpdate().select(columns)));
  if (!before) throw notFound("noticeRule", id);
  const quiet = { quietFrom: before.quietFrom, quietTo: before.quietTo };
  validateNoticeRuleFields(before, { ...quiet, ...without(input, undefined) }, "refused");
  if (input.url && before.secretEncrypted && !input.secret)
    requireSameSecretReceiver("secret", storedReceiver(scope, id, before), secretReceiverOfUrl(input.url));
  await checkTeamExists(scope, input.teamId);
  const { name, enabled, sessionStates, failureKinds, issueStateTypes, threshold, minimumCalls, emails } = input;
  const always = { name, enabled, sessionStates, failureKinds, issueStateTypes, threshold, minimumCalls, emails };
  const { tool, teamId, quietFrom, quietTo, includeText, timeZone } = input;
  const now = new Date();
  const anew = WATCHED.some((member) => getOwnProperty(input, member) !== undefined);
  const patch = {
    ...without({ ...always, includeText, timeZone }, undefined, null),
    ...without({ tool, teamId, quietFrom, quietTo }, undefined),
    ...sealed(scope, id, input),
    ...(anew && { watchedFrom: now }),
    ...(enabled && { failingSince: null }),
    ...(enabled != null && { error: null }),
    updatedAt: now,
  };
  await db.query(toStatement(kept.clone().update(patch)));
  if (anew) await db.query(toStatement(knex("notice").where({ organizationId, ruleId: id }).delete()));
  if (anew) await watch(scope);
  await auditRule(scope, "updated", id, input);
}

/** Returns the receiver of a rule; undefined if the URL was encrypted with another server secret. */
function storedReceiver({ secret }: WebhookScope, id: string, { targetEncrypted }: Stored) {
  try {
    return targetEncrypted ? secretReceiverOfUrl(decryptNoticeRuleUrl(secret, id, targetEncrypted)) : undefined;
  } catch {
    return undefined;
  }
}

/** Deletes a rule and the rule's waiting messages. @throws notFound */
export async function deleteRule(scope: WebhookScope, id: string): Promise<void> {
  const { db, organizationId } = scope;
  const deleted = await db.query(toStatement(knex("noticeRule").where({ organizationId, id }).delete("id")));
  if (deleted.length === 0) throw notFound("noticeRule", id);
  await db.query(toStatement(knex("delivery").where({ organizationId, targetId: id, status: "pending" }).delete()));
  await auditRule(scope, "deleted", id, {});
}

/**
 * Sends a message that is marked as a test, through the rule's channel.
 * @param address network address of the caller, if requests are counted by address
 * @throws notFound; conflict for a disabled rule; rateLimited for too many test emails from the network
 */
export async function testRule(scope: WebhookScope, id: string, address: string | undefined): Promise<void> {
  const { db, organizationId } = scope;
  const stored = knex("noticeRule").where({ organizationId, id }).select("enabled", "channel");
  const [found] = await db.query<{ enabled: boolean; channel: NoticeChannel }>(toStatement(stored));
  if (!found) throw notFound("noticeRule", id);
  if (!found.enabled) throw conflict("The rule is disabled; enable it first.", "notice_rule_disabled");
  if (address !== undefined && found.channel === "email") await enforceNoticeTestLimit(db, address);
  const rule = { organizationId, ruleId: id };
  if (await hasMaxPendingMessages(db, rule))
    throw conflict("Too many messages of the rule are waiting to be sent; try again later.", "deliveries_waiting");
  const now = new Date();
  const entry = { event: "test", state: "firing", value: "test", since: now.toISOString(), subject: {} };
  await writeMessage(db, rule, { notices: [entry], more: 0 }, now);
  await auditRule(scope, "tested", id, {});
}

/** Schedules the next check of the organization's rules for now. */
async function watch({ db, organizationId }: WebhookScope): Promise<void> {
  const now = new Date();
  const row = {
    organizationId: "organizationId",
    lastSyncId: "lastSyncId",
    dueAt: knex.raw("?", [now]),
    slowAt: knex.raw("?", [now]),
  };
  const rows = knex("sync").where({ organizationId }).select(row);
  const insert = knex(knex.raw("??(??)", ["noticeWatch", Object.keys(row)])).insert(rows);
  await db.query(toStatement(insert.onConflict("organizationId").merge({ dueAt: now, slowAt: now })));
}

/** Returns the address of the owner who creates the rule. */
async function ownAddress({ db, organizationId, userId }: WebhookScope): Promise<string[]> {
  const own = knex("user").where({ organizationId, id: userId }).select("email");
  return (await db.query<{ email: string }>(toStatement(own))).map(({ email }) => email);
}

/** Returns the columns for the encrypted URL and secret, if the input contains them. */
function sealed({ secret: root }: WebhookScope, id: string, { url, secret }: NoticeRuleUpdate) {
  return {
    ...(url && {
      targetHost: new URL(url).host,
      targetEncrypted: encryptSecret(root, formatEncryptionOwner(id, "target"), url),
    }),
    ...(secret && { secretEncrypted: encryptSecret(root, formatEncryptionOwner(id, "secret"), secret) }),
  };
}

const without = (values: object, ...left: readonly unknown[]) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => !left.includes(value)));

/** The URL and the secret are not written to the audit log. */
const auditRule = (scope: WebhookScope, verb: string, id: string, input: object) => {
  const { url: _url, secret: _secret, id: _id, ...detail } = input as NoticeRuleCreate;
  return writeAuditEntry(scope.db, { event: `noticeRule.${verb}`, ...toAuditActor(scope), detail: { ...detail, id } });
};
