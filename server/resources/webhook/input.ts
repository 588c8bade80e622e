import { z } from "zod";

/** Types of entity a webhook can be told of (decisions §6). */
export const RESOURCE_TYPES = [
  "Issue",
  "Comment",
  "Project",
  "Cycle",
  "Team",
  "IssueLabel",
  "WorkflowState",
  "User",
] as const;

/** A signing secret in the form of Standard Webhooks: `whsec_` and the base64 of 32 bytes. */
const secret = z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/, "takes whsec_ followed by the base64 of 32 bytes");

/** Only the syntax is checked here; where it may lead is decided when a delivery connects. */
const url = z
  .string()
  .max(2048)
  .refine((text) => URL.canParse(text) && /^https?:/.test(new URL(text).protocol), "takes an http or https URL");

const label = z
  .string()
  .trim()
  .max(256)
  .refine((text) => !text.includes("\0"), "contains characters that cannot be stored");

/** Empty means all. */
const resourceTypes = z.array(z.enum(RESOURCE_TYPES)).max(RESOURCE_TYPES.length);

/** What a new webhook takes, under the names GraphQL has for it; the control plane calls `url` `target`. */
export const WebhookCreateInput = z.strictObject({
  id: z.guid().nullish(),
  url,
  label: label.nullish(),
  teamId: z.guid().nullish(),
  resourceTypes: resourceTypes.nullish(),
  enabled: z.boolean().nullish(),
  allPublicTeams: z.boolean().nullish(),
  secret: secret.nullish(),
});

/** What of a webhook can change; absent stays as it is. */
export const WebhookUpdateInput = z.strictObject({
  url: url.nullish(),
  label: label.nullish(),
  resourceTypes: resourceTypes.nullish(),
  enabled: z.boolean().nullish(),
  secret: secret.nullish(),
});

export type WebhookCreate = z.infer<typeof WebhookCreateInput>;
export type WebhookUpdate = z.infer<typeof WebhookUpdateInput> & { teamId?: string | null | undefined };
