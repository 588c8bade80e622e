import { isUuid } from "../../../formats/uuid.ts";
import { ROW_LIMITS } from "../../accounts/bound.ts";
import { notFound } from "../../errors.ts";
import { nullable, type SqlRow } from "../../read/entity.ts";
import { bindOrganization, columnSql, readTableSql } from "../../read/row.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { WriteContext } from "../../write/write.ts";
import { BASE_COLUMNS, organizationLink } from "../fields.ts";
import { defineIdMutation, defineInputMutation, type Resource } from "../resource.ts";
import type { WebhookScope } from "../webhook/scope.ts";
import { type NoticeRuleCreate, NoticeRuleCreateInput, NoticeRuleUpdateInput } from "./input.ts";
import { unmailedAddressesSql } from "./recipients.ts";
import { createRule, deleteRule, testRule, updateRule } from "./rule.ts";

/** Number of a rule's newest messages that are counted. The log keeps deliveries for 30 days. */
const COUNTED = 1_000;

/** SQL for the number of a rule's messages with a status. All counts share a single read. */
function messages(row: SqlRow, status: "delivered" | "failed"): string {
  const alias = `${row.alias}_messages`;
  const read = ` left join lateral (
    select count(*) filter (where d.status = 'delivered') as delivered, count(*) filter (where d.status = 'failed') as failed
    from (select d.status from ${readTableSql(row.build, "delivery")} d
      where d."organizationId" = ${bindOrganization(row.build)} and d."targetId" = ${columnSql(row, "id")}
      order by d."createdAt" desc, d.id desc limit ${COUNTED}) d) ${alias} on true`;
  if (!row.frame.joins.includes(read)) row.frame.joins.push(read);
  return `${alias}.${status}`;
}

/** SQL for the reason why a rule sends nothing, or omits some addresses. */
const errorOf = (row: SqlRow): string =>
  `coalesce(case when not ${columnSql(row, "enabled")} then ${columnSql(row, "error")} end, ${unmailedAddressesSql(bindOrganization(row.build), columnSql(row, "emails"))})`;

/**
 * Rules by which owners receive notices. Changes of rules are in the audit log, not in the change log. The URL and
 * the secret of a rule are stored encrypted and never shown.
 */
export const noticeRuleResource: Resource = {
  entity: {
    name: "NoticeRule",
    table: "noticeRule",
    ownersOnly: true,
    columns: {
      ...BASE_COLUMNS,
      name: "text",
      enabled: "boolean",
      condition: "text",
      sessionStates: "text[]",
      failureKinds: "text[]",
      issueStateTypes: "text[]",
      tool: nullable("text"),
      threshold: nullable("float"),
      minimumCalls: "integer",
      channel: "text",
      emails: "text[]",
      targetHost: nullable("text"),
      includeText: "boolean",
      quietFrom: nullable("text"),
      quietTo: nullable("text"),
      timeZone: "text",
      toldAt: nullable("timestamp"),
    },
    computed: {
      error: { type: "text", sql: errorOf },
      deliveredCount: { type: "integer", sql: (row) => messages(row, "delivered") },
      failedCount: { type: "integer", sql: (row) => messages(row, "failed") },
    },
    one: {
      organization: organizationLink,
      team: { entity: "Team", by: "teamId", onDelete: "cascade-silently" },
      creator: { entity: "User", by: "creatorId", onDelete: "detach" },
    },
    dependentTables: { notice: "ruleId" },
  },
  one: { noticeRule: { entity: "NoticeRule" } },
  many: { noticeRules: { entity: "NoticeRule", most: ROW_LIMITS.noticeRules.most } },
  mutations: {
    noticeRuleCreate: defineInputMutation(
      "owner",
      NoticeRuleCreateInput,
      idempotentById("NoticeRule", async (write: WriteContext, input: NoticeRuleCreate) => ({
        id: await createRule(scopeOf(write), input),
      })),
    ),
    noticeRuleUpdate: defineInputMutation(
      "owner",
      NoticeRuleUpdateInput,
      async (write, input, args: { id: string }) => {
        const id = known(args.id);
        await updateRule(scopeOf(write), id, input);
        return { id };
      },
    ),
    noticeRuleDelete: defineIdMutation("owner", async (write, { id }: { id: string }) => {
      await deleteRule(scopeOf(write), known(id));
      return { id };
    }),
    noticeRuleTest: defineIdMutation("owner", async (write, { id }: { id: string }) => {
      await testRule(scopeOf(write), known(id), write.scope.countedFrom);
      write.scope.db.wake.publish(write.scope.organizationId);
      return { id };
    }),
  },
};

function scopeOf(write: WriteContext): WebhookScope {
  write.direct = true;
  const { organizationId, userId, secret } = write.scope;
  return { db: write.trx, organizationId, userId, secret };
}

/** @throws notFound for a text that is no id. */
function known(id: string): string {
  if (!isUuid(id)) throw notFound("noticeRule", id);
  return id.toLowerCase();
}
