import { z } from "zod";
import { webhookInputSchemas } from "../../../resources/index.ts";
import {
  type DeliveryTarget,
  listDeliveries,
  readDelivery,
  redeliver,
  redeliverRange,
} from "../../../resources/webhook/delivery.ts";
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
  type Webhook,
} from "../../../resources/webhook/registration.ts";
import type { DeliveryTargetTable, WebhookScope } from "../../../resources/webhook/scope.ts";
import * as field from "../../fields.ts";
import { defineRoute, defineSuccessOnlyRoute, type RouteCall } from "../../route.ts";

/** Returns the scope for functions that manage the webhooks of the caller's organization. */
const webhookScope = ({ runtime, caller }: RouteCall<"owner">, db: WebhookScope["db"] = runtime.db): WebhookScope => ({
  db,
  organizationId: caller.organizationId,
  userId: caller.userId,
  secret: runtime.secret,
});

/** Runs work on the caller's webhooks in one transaction. */
const within = <T>(call: RouteCall<"owner">, work: (scope: WebhookScope) => Promise<T>): Promise<T> =>
  call.runtime.db.transaction((trx) => work(webhookScope(call, trx)));

const tag = "Webhooks";
const create = webhookInputSchemas.WebhookCreateInput.shape;
const update = webhookInputSchemas.WebhookUpdateInput.shape;

const webhook = z.object({
  id: field.id,
  target: z.string(),
  label: z.string().nullable(),
  teamId: field.id.nullable().describe("Team whose changes the webhook receives; null for all teams."),
  resourceTypes: z.array(z.string()).describe("Types of changes that the webhook receives; empty for all types."),
  enabled: z.boolean(),
  error: z
    .string()
    .nullable()
    .describe("Reason why the server disabled the webhook, and the first change that the webhook missed."),
  createdAt: field.timestamp,
});
const withSecret = webhook.extend({
  secret: z.string().describe("Secret that signs the deliveries; returned only in this response."),
});

const shown = ({ url, resourceTypes, error, ...rest }: Webhook) => ({
  ...rest,
  error: rest.enabled ? null : error,
  target: url,
  resourceTypes: resourceTypes ?? [],
});

/** Webhooks. Owners manage the webhooks. */
export const webhookRoutes = [
  defineRoute("post /api/webhooks", tag, {
    summary: "Register a webhook",
    description:
      "At registration, the server checks only the syntax of the target URL. The server checks the URL's address when it connects to send a delivery.",
    access: "owner",
    body: z.strictObject({
      target: create.url,
      teamId: create.teamId,
      resourceTypes: create.resourceTypes,
      label: create.label,
      secret: create.secret,
    }),
    replies: { 201: withSecret },
    errors: { 409: "The organization has the maximum number of webhooks (`limit_reached`)." },
    async run(call) {
      const { target, ...rest } = call.body;
      const { secret, ...made } = await within(call, (scope) => createWebhook(scope, { url: target, ...rest }));
      return { ...shown(made), secret };
    },
  }),
  defineRoute("get /api/webhooks", tag, {
    summary: "List the organization's webhooks",
    description: "Lists the newest webhooks first, without secrets.",
    access: "owner",
    replies: { 200: z.object({ webhooks: z.array(webhook) }) },
    run: async (call) => ({ webhooks: (await listWebhooks(webhookScope(call))).map(shown) }),
  }),
  defineRoute("patch /api/webhooks/:id", tag, {
    summary: "Change a webhook",
    description:
      "Absent fields do not change. A `target` with another scheme, host or port requires `secret` again, because the server never uses the stored secret for another receiver.",
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
  defineSuccessOnlyRoute("delete /api/webhooks/:id", tag, {
    summary: "Delete a webhook",
    description: "The server also discards the webhook's pending deliveries.",
    access: "owner",
    does: (call) => within(call, (scope) => deleteWebhook(scope, call.params["id"] ?? "")),
  }),
  defineRoute("post /api/webhooks/:id/rotate-secret", tag, {
    summary: "Rotate the secret of a webhook",
    description:
      "For 24 hours, `webhook-signature` contains signatures with both secrets. `Tracker-Signature` and `Linear-Signature` use the new secret immediately.",
    access: "owner",
    replies: { 200: z.object({ secret: z.string(), previousSecretUntil: field.timestamp }) },
    run: (call) => within(call, (scope) => rotateWebhookSecret(scope, call.params["id"] ?? "")),
  }),
];

const count = z.object({ count: z.int().describe("Number of deliveries that the server will send again.") });

const delivery = z.object({
  id: field.id.describe("The `Tracker-Delivery` header, the same on every attempt."),
  type: z.string(),
  action: z.string(),
  status: z.string(),
  attempts: z.array(z.object({ at: field.timestamp, status: z.int().nullable(), error: z.string().nullable() })),
  createdAt: field.timestamp,
});

/** A kind of delivery target, with the words that describe the kind in the OpenAPI document. */
interface Target {
  path: `/api/${string}`;
  tag: string;
  table: DeliveryTargetTable;
  /** Name with an article. */
  name: string;
  /** Error code when the target is disabled. */
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
  const errors = {
    409: `The webhook or rule is disabled (\`${disabled}\`), or too many of its deliveries are waiting (\`limit_reached\`).`,
  };
  const of = ({ params }: { params: Record<string, string> }): DeliveryTarget => ({ table, id: params["id"] ?? "" });
  const sent = async (call: RouteCall<"owner">, redelivery: Promise<number>) => {
    const again = await redelivery;
    call.runtime.db.wake.publish(call.caller.organizationId);
    return { count: again };
  };
  return [
    defineRoute(`get ${path}/:id/deliveries`, tag, {
      summary: `List the deliveries of ${name}`,
      description: "Lists the newest first. The server keeps deliveries for 30 days.",
      access: "owner",
      query: z.strictObject(field.pageQuery),
      replies: { 200: z.object({ deliveries: z.array(delivery), next_cursor: z.string().optional() }) },
      async run(call) {
        const { deliveries, nextCursor } = await listDeliveries(webhookScope(call), of(call), call.query);
        return { deliveries, ...(nextCursor && { next_cursor: nextCursor }) };
      },
    }),
    defineRoute(`get ${path}/:id/deliveries/:deliveryId`, tag, {
      summary: `Read one delivery of ${name} with its payload`,
      description:
        table === "webhook"
          ? "Each attempt sends the payload as its body, with `webhookTimestamp` set to the time of the attempt."
          : "The payload contains only ids and values of the notices. For each attempt, the server reads the other content from the database.",
      access: "owner",
      replies: {
        200: delivery.extend({
          payload: z
            .record(z.string(), z.unknown())
            .nullable()
            .describe("Null if the change log no longer contains the change."),
        }),
      },
      run: (call) => readDelivery(webhookScope(call), of(call), call.params["deliveryId"] ?? ""),
    }),
    defineRoute(`post ${path}/:id/deliveries/:deliveryId/redeliver`, tag, {
      summary: `Send one delivery of ${name} again`,
      description:
        "The server sends the delivery with its original id, so that receivers that store ids recognize the repeat.",
      access: "owner",
      replies: { 202: count },
      errors,
      run: (call) => sent(call, redeliver(webhookScope(call), of(call), call.params["deliveryId"] ?? "")),
    }),
    defineRoute(`post ${path}/:id/redeliver`, tag, {
      summary: `Send the deliveries of ${name} from a range of time again`,
      description: "`from` is included, `to` is not. Up to 10,000 deliveries per call, oldest first.",
      access: "owner",
      body: z.strictObject({ from: field.timestampInput, to: field.timestampInput }),
      replies: { 202: count },
      errors,
      run: (call) => sent(call, redeliverRange(webhookScope(call), of(call), call.body)),
    }),
  ];
};

/** Routes that list and resend the deliveries of webhooks and of notice rules. */
export const deliveryRoutes = targets.flatMap(routesOf);
