import { knex, toStatement } from "../../../db/builder.ts";
import { readOwn } from "../../../formats/own.ts";
import { audit } from "../../accounts/audit.ts";
import { takeRoom } from "../../accounts/bound.ts";
import { countNoticeTest } from "../../accounts/mail-limits.ts";
import { openSecret, sealSecret } from "../../auth/secret.ts";
import { conflict, invalidInput, notFound } from "../../errors.ts";
import { newId } from "../../id.ts";
import { checkTeam } from "../webhook/registration.ts";
import { actor, type WebhookScope } from "../webhook/scope.ts";
import {
  CHANNELS,
  type Channel,
  CONDITIONS,
  type Condition,
  type NoticeRuleCreate,
  type NoticeRuleUpdate,
  secretFault,
} from "./input.ts";

/** Calls of which a failure rate says something. */
const MINIMUM_CALLS = 20;

/** States of a session in which it goes on by a person alone. */
const NEEDS_A_PERSON = ["waitingForPermission", "waitingForAnswer", "stuck", "looping"];

/** The part of a rule that decides which members of an input it takes. */
interface Kind {
  condition: Condition;
  channel: Channel;
}

/** The bytes that a rule's address and secret are sealed to. */
export const sealedTo = (ruleId: string, part: "target" | "secret"): string => `notice ${part} ${ruleId}`;

/** Opens the address of a rule. @throws when it was sealed under another secret of the server */
export const openTarget = (root: Uint8Array, ruleId: string, sealed: Uint8Array): string =>
  openSecret(root, sealedTo(ruleId, "target"), sealed);

/**
 * Makes a rule. What happened before does not count.
 * @throws invalidInput for members that its condition or channel needs or does not take; conflict `limit_reached` at 100
 */
export async function createRule(scope: WebhookScope, input: NoticeRuleCreate): Promise<string> {
  checkMembers(input, input, "needed");
  await checkTeam(scope, input.teamId);
  await takeRoom(scope.db, "noticeRules", scope);
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

interface Stored extends Kind {
  enabled: boolean;
  quietFrom: string | null;
  quietTo: string | null;
}

/** Members whose change has a rule begin anew: its notices say nothing of what it watches now. */
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
 * Changes a rule; what is absent stays.
 * @throws notFound; invalidInput for members that its condition or channel does not take
 */
export async function updateRule(scope: WebhookScope, id: string, input: NoticeRuleUpdate): Promise<void> {
  const { db, organizationId } = scope;
  const kept = knex("noticeRule").where({ organizationId, id });
  const columns = ["condition", "channel", "enabled", "quietFrom", "quietTo"];
  const [before] = await db.query<Stored>(toStatement(kept.clone().forUpdate().select(columns)));
  if (!before) throw notFound("noticeRule", id);
  const quiet = { quietFrom: before.quietFrom, quietTo: before.quietTo };
  checkMembers(before, { ...quiet, ...without(input, undefined) }, "refused");
  await checkTeam(scope, input.teamId);
  const { name, enabled, sessionStates, failureKinds, issueStateTypes, threshold, minimumCalls, emails } = input;
  const always = { name, enabled, sessionStates, failureKinds, issueStateTypes, threshold, minimumCalls, emails };
  const { tool, teamId, quietFrom, quietTo, includeText, timeZone } = input;
  const now = new Date();
  const anew = WATCHED.some((member) => readOwn(input, member) !== undefined);
  const patch = {
    ...without({ ...always, includeText, timeZone }, undefined, null),
    ...without({ tool, teamId, quietFrom, quietTo }, undefined),
    ...sealed(scope, id, input),
    ...(anew && { watchedFrom: now }),
    ...(enabled && { failingSince: null }),
    updatedAt: now,
  };
  await db.query(toStatement(kept.clone().update(patch)));
  if (anew) await db.query(toStatement(knex("notice").where({ organizationId, ruleId: id }).delete()));
  if (anew) await watch(scope);
  await auditRule(scope, "updated", id, input);
}

/** Deletes a rule, with what waits to be sent by it. @throws notFound */
export async function deleteRule(scope: WebhookScope, id: string): Promise<void> {
  const { db, organizationId } = scope;
  const deleted = await db.query(toStatement(knex("noticeRule").where({ organizationId, id }).delete("id")));
  if (deleted.length === 0) throw notFound("noticeRule", id);
  await db.query(toStatement(knex("delivery").where({ organizationId, targetId: id, status: "pending" }).delete()));
  await auditRule(scope, "deleted", id, {});
}

/**
 * Sends a message that says that it is a test, as the rule would send one.
 * @param address the caller's, where requests are counted by it
 * @throws notFound; conflict while it is disabled; rateLimited for too many emails that the network asks for
 */
export async function testRule(scope: WebhookScope, id: string, address: string | undefined): Promise<void> {
  const { db, organizationId } = scope;
  const rule = knex("noticeRule").where({ organizationId, id }).select("enabled", "channel");
  const [found] = await db.query<{ enabled: boolean; channel: Channel }>(toStatement(rule));
  if (!found) throw notFound("noticeRule", id);
  if (!found.enabled) throw conflict("The rule is disabled; enable it first.", "notice_rule_disabled");
  if (address !== undefined && found.channel === "email") await countNoticeTest(db, address);
  const now = new Date();
  const entry = { event: "test", state: "firing", value: "test", since: now.toISOString(), subject: {} };
  await db.query(
    toStatement(knex("delivery").insert(deliveryOf(organizationId, id, { notices: [entry], more: 0 }, now))),
  );
  await auditRule(scope, "tested", id, {});
}

/** The row of a delivery that tells of notices by a rule. */
export const deliveryOf = (organizationId: string, targetId: string, notices: object, at: Date) => ({
  id: crypto.randomUUID(),
  organizationId,
  targetId,
  notices: JSON.stringify(notices),
  nextAttemptAt: at,
  createdAt: at,
});

/** Schedules the organization's rules to be checked from now on. */
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

/** @throws invalidInput naming the first member at fault, and the cure */
function checkMembers(kind: Kind, input: NoticeRuleUpdate, mode: "needed" | "refused"): void {
  const given = (member: string) => (readOwn(input, member) ?? null) !== null;
  const parts = [
    ["condition", kind.condition, CONDITIONS],
    ["channel", kind.channel, CHANNELS],
  ] as const;
  for (const [part, chosen, all] of parts) {
    const taken: readonly string[] = (all as Record<string, readonly string[]>)[chosen] ?? [];
    const others = new Set(
      Object.values(all)
        .flat()
        .filter((member) => !taken.includes(member)),
    );
    const stray = [...others].find(given);
    if (stray) throw fault(`${stray} counts for nothing with the ${part} ${chosen}; leave it out`, stray);
    const [needed] = taken;
    if (mode === "needed" && needed && NEEDED.has(needed) && !given(needed))
      throw fault(`${needed} is needed with the ${part} ${chosen}`, needed);
  }
  if (mode === "needed" && kind.channel === "webhook" && !input.secret)
    throw fault("secret is needed with the channel webhook: whsec_ and the base64 of 32 bytes", "secret");
  const wrong = input.secret ? secretFault(kind.channel, input.secret) : undefined;
  if (wrong) throw fault(`secret ${wrong}`, "secret");
  if (kind.condition === "toolFailureRate" && Number(input.threshold ?? 1) > 100)
    throw fault("threshold is a percentage, at most 100", "threshold");
  if (given("quietFrom") !== given("quietTo"))
    throw fault("quietFrom and quietTo go together", given("quietFrom") ? "quietTo" : "quietFrom");
  if (given("quietFrom") && input.quietFrom === input.quietTo)
    throw fault("quietTo must differ from quietFrom", "quietTo");
}

const fault = (message: string, member: string) => invalidInput([{ path: `input.${member}`, message }]);

const NEEDED = new Set(["threshold", "issueStateTypes", "url"]);

/** The address of the owner who makes a rule. */
async function ownAddress({ db, organizationId, userId }: WebhookScope): Promise<string[]> {
  const own = knex("user").where({ organizationId, id: userId }).select("email");
  return (await db.query<{ email: string }>(toStatement(own))).map(({ email }) => email);
}

/** The columns that hold the address and the secret of an input, as far as it has them. */
function sealed({ secret: root }: WebhookScope, id: string, { url, secret }: NoticeRuleUpdate) {
  return {
    ...(url && {
      targetHost: new URL(url).host,
      targetEncrypted: sealSecret(root, sealedTo(id, "target"), url),
    }),
    ...(secret && { secretEncrypted: sealSecret(root, sealedTo(id, "secret"), secret) }),
  };
}

const without = (values: object, ...left: readonly unknown[]) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => !left.includes(value)));

/** The address and the secret stay out of the audit. */
const auditRule = (scope: WebhookScope, verb: string, id: string, input: object) => {
  const { url: _url, secret: _secret, id: _id, ...detail } = input as NoticeRuleCreate;
  return audit(scope.db, { event: `noticeRule.${verb}`, ...actor(scope), detail: { ...detail, id } });
};
