import { z } from "zod";
import { AUDIT_ENTRY_TYPE } from "../../write/derived/deliveries.ts";

/** A signing secret of Standard Webhooks: `whsec_` and the base64 of 32 bytes. */
export const webhookSecretSchema = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{43}=$/, "takes whsec_ followed by the base64 of 32 bytes");

/** Validates only the syntax. Each delivery checks the destination when connecting. */
export const webhookUrlSchema = z
  .string()
  .max(2048)
  .refine((text) => !/[\0\p{Surrogate}]/u.test(text), "contains characters that cannot be stored")
  .refine((text) => URL.canParse(text) && /^https?:/.test(new URL(text).protocol), "takes an http or https URL")
  .refine(
    (text) => !hasUserinfo(text),
    "must not contain a user name or a password; to verify deliveries, check the signature",
  );

function hasUserinfo(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username !== "" || password !== "";
}

const label = z
  .string()
  .trim()
  .max(256)
  .refine((text) => !text.includes("\0"), "contains characters that cannot be stored");

/** Returns the validation of webhook inputs. `types` are the entities whose changes a webhook can receive. */
export function createWebhookInputSchemas(types: readonly string[]) {
  // An empty list means all changes.
  const resourceTypes = z
    .array(z.enum([...types, AUDIT_ENTRY_TYPE]))
    .max(types.length)
    .refine((chosen) => !chosen.includes(AUDIT_ENTRY_TYPE) || chosen.length === 1, `takes ${AUDIT_ENTRY_TYPE} alone`);
  return {
    WebhookCreateInput: z
      .strictObject({ ...created, resourceTypes: resourceTypes.nullish() })
      .refine(isOfOneTeamOrAll, {
        path: ["allPublicTeams"],
        message: "goes without teamId: name one team, or none to receive the changes of every team",
      }),
    WebhookUpdateInput: z.strictObject({ ...updated, resourceTypes: resourceTypes.nullish() }),
  };
}
export type WebhookInputSchemas = ReturnType<typeof createWebhookInputSchemas>;
export type WebhookCreate = z.infer<WebhookInputSchemas["WebhookCreateInput"]>;
export type WebhookUpdate = z.infer<WebhookInputSchemas["WebhookUpdateInput"]> & { teamId?: string | null | undefined };

/** Input of a webhook update. Absent fields stay unchanged. */
const updated = {
  url: webhookUrlSchema.nullish(),
  label: label.nullish(),
  enabled: z.boolean().nullish(),
  secret: webhookSecretSchema.nullish(),
};

/** Input of a new webhook with GraphQL's names. The control plane uses `target` for `url`. */
const created = {
  ...updated,
  url: webhookUrlSchema,
  id: z.guid().nullish(),
  teamId: z.guid().nullish(),
  allPublicTeams: z.boolean().nullish(),
};

const isOfOneTeamOrAll = (input: { allPublicTeams?: boolean | null | undefined; teamId?: string | null | undefined }) =>
  (input.allPublicTeams ?? !input.teamId) === !input.teamId;
