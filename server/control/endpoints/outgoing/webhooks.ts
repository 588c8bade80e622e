import { z } from "zod";
import { webhookChecks } from "../../../resources/index.ts";
import {
  listDeliveries,
  readDelivery,
  redeliver,
  redeliverRange,
  type TargetOf,
} from "../../../resources/webhook/delivery.ts";
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
  type Webhook,
} from "../../../resources/webhook/registration.ts";
import type { TargetTable, WebhookScope } from "../../../resources/webhook/scope.ts";
import * as field from "../../fields.ts";
import { action, type Call, route } from "../../route.ts";

/** The caller's organization, for functions that manage its webhooks. */
const webhookScope = ({ runtime, caller }: Call<"owner">, db: WebhookScope["db"] = runtime.db): WebhookScope => ({
  db,
  organizationId: caller.organizationId,
  userId: caller.userId,
  secret: runtime.secret,
});

/** Does a piece of work on the caller's webhooks in one transaction. */
const within = <T>(call: Call<"owner">, work: (scope: WebhookScope) => Promise<T>): Promise<T> =>
  call.runtime.db.transaction((trx) => work(webhookScope(call, trx)));

const tag = "Webhooks";
const create = webhookChecks.WebhookCreateInput.shape;
const update = webhookChecks.WebhookUpdateInput.shape;

const webhook = z.object({
  id: field.id,
  target: z.string(),
  label: z.string().nullable(),
  teamId: field.id.nullable().describe("The only team whose changes it receives; null for every team."),
  resourceTypes: z.array(z.string()).describe("The types whose changes it receives; empty for all."),
  enabled: z.boolean(),
  error: z.string().nullable().describe("Why the server disabled it, and which change it missed first."),
  createdAt: field.timestamp,
});
const withSecret = webhook.extend({ secret: z.string().describe("Signs the deliveries; shown this once.") });

const shown = ({ url, resourceTypes, error, ...rest }: Webhook) => ({
  ...rest,
  error: rest.enabled ? null : error,
  target: url,
  resourceTypes: resourceTypes ?? [],
});

/** Webhooks: owners manage them. */
export const webhookRoutes = [
  route("post /api/webhooks", tag, {
    summary: "Register a webhook",
    description: "Only the target's syntax is checked now; where it may lead is decided when a delivery connects.",
    access: "owner",
    body: z.strictObject({
      target: create.url,
      teamId: create.teamId,
      resourceTypes: create.resourceTypes,
      label: create.label,
      secret: create.secret,
    }),
    replies: { 201: withSecret },
    errors: { 409: "As many webhooks as there can be (`limit_reached`)." },
    async run(call) {
      const { target, ...rest } = call.body;
      const { secret, ...made } = await within(call, (scope) => createWebhook(scope, { url: target, ...rest }));
      return { ...shown(made), secret };
    },
  }),
  route("get /api/webhooks", tag, {
    summary: "List the organization's webhooks",
    description: "Newest first, without their secrets.",
    access: "owner",
    replies: { 200: z.object({ webhooks: z.array(webhook) }) },
    run: async (call) => ({ webhooks: (await listWebhooks(webhookScope(call))).map(shown) }),
  }),
  route("patch /api/webhooks/:id", tag, {
    summary: "Change a webhook",
    description:
      "What is absent stays as it is. A `target` with another scheme, host or port needs `secret` again: the stored one signs nothing for another receiver.",
    access: "owner",
    body: z.strictObject({
      target: update.url,
      teamId: create.teamId,
      resourceTypes: update.resourceTypes,
      label: update.label,
      enabled: update.enabled,
      secret: update.secret,
    }),
    replies: { 200: webhook },
    async run(call) {
      const { target, ...rest } = call.body;
      const id = call.params["id"] ?? "";
      return shown(await within(call, (scope) => updateWebhook(scope, id, { url: target, ...rest })));
    },
  }),
  action("delete /api/webhooks/:id", tag, {
    summary: "Delete a webhook",
    description: "What waits to be delivered to it is dropped.",
    access: "owner",
    does: (call) => within(call, (scope) => deleteWebhook(scope, call.params["id"] ?? "")),
  }),
  route("post /api/webhooks/:id/rotate-secret", tag, {
    summary: "Give a webhook a new secret",
    description:
      "For 24 hours `webhook-signature` carries signatures of both; `Tracker-Signature` and `Linear-Signature` use the new one.",
    access: "owner",
    replies: { 200: z.object({ secret: z.string(), previousSecretUntil: field.timestamp }) },
    run: (call) => within(call, (scope) => rotateWebhookSecret(scope, call.params["id"] ?? "")),
  }),
];

const count = z.object({ count: z.int().describe("How many deliveries are sent again.") });

const delivery = z.object({
  id: field.id.describe("The `Tracker-Delivery` header, the same on every attempt."),
  type: z.string(),
  action: z.string(),
  status: z.string(),
  attempts: z.array(z.object({ at: field.timestamp, status: z.int().nullable(), error: z.string().nullable() })),
  createdAt: field.timestamp,
});

/** A kind of target of deliveries, in the words of the document. */
interface Target {
  path: `/api/${string}`;
  tag: string;
  table: TargetTable;
  /** Its name with an article. */
  name: string;
  /** The code of a refusal while it is disabled. */
  disabled: string;
}

const targets: readonly Target[] = [
  { path: "/api/webhooks", tag: "Webhooks", table: "webhook", name: "a webhook", disabled: "webhook_disabled" },
  {
    path: "/api/notice-rules",
    tag: "Notices",
    table: "noticeRule",
    name: "a notice rule",
    disabled: "notice_rule_disabled",
  },
];

const routesOf = ({ path, tag, table, name, disabled }: Target) => {
  const errors = { 409: `It is disabled (\`${disabled}\`), or too many of its deliveries wait (\`limit_reached\`).` };
  const of = ({ params }: { params: Record<string, string> }): TargetOf => ({ table, id: params["id"] ?? "" });
  const sent = async (call: Call<"owner">, redelivery: Promise<number>) => {
    const again = await redelivery;
    call.runtime.db.wake.publish(call.caller.organizationId);
    return { count: again };
  };
  return [
    route(`get ${path}/:id/deliveries`, tag, {
      summary: `List the deliveries of ${name}`,
      description: "Newest first. They are kept for 30 days.",
      access: "owner",
      query: z.strictObject(field.page),
      replies: { 200: z.object({ deliveries: z.array(delivery), next_cursor: z.string().optional() }) },
      async run(call) {
        const { deliveries, nextCursor } = await listDeliveries(webhookScope(call), of(call), call.query);
        return { deliveries, ...(nextCursor && { next_cursor: nextCursor }) };
      },
    }),
    route(`get ${path}/:id/deliveries/:deliveryId`, tag, {
      summary: `Read one delivery of ${name} with its payload`,
      description:
        table === "webhook"
          ? "The body as each attempt posts it, but for `webhookTimestamp`, which every attempt stamps anew."
          : "The notices that it names, by ids and values. Each attempt looks the rest up.",
      access: "owner",
      replies: {
        200: delivery.extend({
          payload: z.record(z.string(), z.unknown()).nullable().describe("Null once the change is no longer kept."),
        }),
      },
      run: (call) => readDelivery(webhookScope(call), of(call), call.params["deliveryId"] ?? ""),
    }),
    route(`post ${path}/:id/deliveries/:deliveryId/redeliver`, tag, {
      summary: `Send one delivery of ${name} again`,
      description: "It is queued with the id that it had, so that a receiver that keeps ids knows it for a repeat.",
      access: "owner",
      replies: { 202: count },
      errors,
      run: (call) => sent(call, redeliver(webhookScope(call), of(call), call.params["deliveryId"] ?? "")),
    }),
    route(`post ${path}/:id/redeliver`, tag, {
      summary: `Send again what ${name} was sent in a range of time`,
      description: "`from` is included, `to` is not. At most 10,000 a call, the oldest first.",
      access: "owner",
      body: z.strictObject({ from: field.moment, to: field.moment }),
      replies: { 202: count },
      errors,
      run: (call) => sent(call, redeliverRange(webhookScope(call), of(call), call.body)),
    }),
  ];
};

/** Routes that list deliveries and send them again: of webhooks, and of notice rules. */
export const deliveryRoutes = targets.flatMap(routesOf);
