import { randomUUID } from "node:crypto";
import { lookAfter } from "../../../server/stream/notices/pass.ts";
import type { MailReceiver } from "../accounts/smtp.ts";
import { postHook } from "../recording/observed-sessions.ts";
import { sharedServer, type Tenant } from "../server.ts";
import type { Workspace } from "../workspace.ts";
import type { Delivery } from "./webhooks.ts";

/** A signing secret of tests. */
export const SECRET = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;

/** Names a mail server as the organization's own. */
export const useMailServer = (tenant: Tenant, { host, port }: MailReceiver, more: object = {}) =>
  tenant.rest("PATCH", "/api/mail-server", {
    ...{ host, port, security: "none", from: "Trackway <notices@example.com>" },
    ...more,
  });

/** Makes a rule; answers its id. */
export const makeRule = async (space: Pick<Workspace, "does">, input: object): Promise<string> =>
  (await space.does("noticeRuleCreate", { input: { name: "Rule", ...input } }, "noticeRule { id }")).noticeRule.id;

/** The newest deliveries of a rule. */
export async function deliveriesOf(tenant: Tenant, ruleId: string): Promise<Delivery[]> {
  const { status, body } = await tenant.rest("GET", `/api/notice-rules/${ruleId}/deliveries`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body["deliveries"] as Delivery[];
}

/** Lets so much time pass, as far as rules are concerned: what they noted and sent was so much earlier. */
export async function passes(ruleId: string, ms: number): Promise<void> {
  const { db } = (await sharedServer()).runtime;
  const earlier = (column: string) => `"${column}" = "${column}" - interval '${ms} milliseconds'`;
  await db.query({
    text: `update notice set ${["firedAt", "resolvedAt", "dueAt", "toldAt"].map(earlier).join(", ")} where "ruleId" = $1`,
    values: [ruleId],
  });
  await db.query({ text: `update "noticeRule" set ${earlier("toldAt")} where id = $1`, values: [ruleId] });
}

/** Looks after the rules of an organization now.  */
export async function lookNow({ gql }: Tenant, at = new Date()): Promise<void> {
  const { db } = (await sharedServer()).runtime;
  const { organization } = await gql("{ organization { id } }");
  await db.query({
    text: `update "noticeWatch" set "slowAt" = $2, "dueAt" = $2 where "organizationId" = $1`,
    values: [organization.id, new Date(0)],
  });
  if (await lookAfter(db, organization.id, [], at)) db.wake.publish(organization.id);
}

/** Hooks of one turn of Claude Code, which asks for permission on demand. */
export function turnOf(tenant: Tenant, session = randomUUID()) {
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
