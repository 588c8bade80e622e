import { randomUUID } from "node:crypto";
import { checkNoticeRules } from "../../../server/stream/notices/pass.ts";
import type { MailReceiver } from "../accounts/smtp.ts";
import { setEarlierSql } from "../db/database.ts";
import { postHook } from "../recording/observed-sessions.ts";
import { startSharedServer, type Tenant } from "../server.ts";
import type { Workspace } from "../workspace.ts";
import type { Delivery } from "./webhooks.ts";

/** Signing secret for tests. */
export const SIGNING_SECRET = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;

/** Configures an SMTP server as the organization's own. */
export const setMailServer = (tenant: Tenant, { host, port }: MailReceiver, more: object = {}) =>
  tenant.rest("PATCH", "/api/mail-server", {
    ...{ host, port, security: "none", from: "Trackway <notices@example.com>" },
    ...more,
  });

/** Creates a notice rule. Returns the id. */
export const createRule = async (space: Pick<Workspace, "does">, input: object): Promise<string> =>
  (await space.does("noticeRuleCreate", { input: { name: "Rule", ...input } }, "noticeRule { id }")).noticeRule.id;

/** Returns the newest deliveries of a rule. */
export async function readRuleDeliveries(tenant: Tenant, ruleId: string): Promise<Delivery[]> {
  const { status, body } = await tenant.rest("GET", `/api/notice-rules/${ruleId}/deliveries`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body["deliveries"] as Delivery[];
}

/** Simulates that time passes for a rule: moves the times of the rule's notices and sends into the past. */
export async function moveRuleTimes(ruleId: string, ms: number): Promise<void> {
  const { db } = (await startSharedServer()).runtime;
  const back = (...columns: string[]) => setEarlierSql(columns, `interval '${ms} milliseconds'`);
  await db.query({
    text: `update notice set ${back("firedAt", "resolvedAt", "dueAt", "toldAt")} where "ruleId" = $1`,
    values: [ruleId],
  });
  await db.query({ text: `update "noticeRule" set ${back("toldAt")} where id = $1`, values: [ruleId] });
}

/** Evaluates the notice rules of an organization now. */
export async function evaluateRulesNow({ gql }: Tenant, at = new Date()): Promise<void> {
  const { db } = (await startSharedServer()).runtime;
  const { organization } = await gql("{ organization { id } }");
  await db.query({
    text: `update "noticeWatch" set "slowAt" = $2, "dueAt" = $2 where "organizationId" = $1`,
    values: [organization.id, new Date(0)],
  });
  if (await checkNoticeRules(db, organization.id, [], at)) db.wake.publish(organization.id);
}

/** Reports the hooks of one turn of Claude Code, which asks for permission on demand. */
export function createTurnReporter(tenant: Tenant, session = randomUUID()) {
  const common = { session_id: session, cwd: "/srv/parcels", prompt_id: randomUUID() };
  const says = (name: string, more: object = {}) =>
    postHook(tenant, "claude-code", { ...common, hook_event_name: name, ...more });
  return {
    session,
    says,
    async asks(command = "npm publish", id = "toolu_1") {
      const call = { tool_name: "Bash", tool_input: { command } };
      await says("UserPromptSubmit", { prompt: "Publish it" });
      await says("PreToolUse", { ...call, tool_use_id: id });
      await says("PermissionRequest", call);
    },
    answered: (command = "npm publish", id = "toolu_1") =>
      says("PostToolUse", {
        ...{ tool_name: "Bash", tool_use_id: id, tool_input: { command }, tool_response: { stdout: "done" } },
      }),
  };
}
