import type { WebhookScope } from "../../resources/webhook/scope.ts";
import type { Call } from "../route.ts";

/** The caller's organization, for functions that manage its webhooks. */
export const webhookScope = (
  { runtime, caller }: Call<"owner">,
  db: WebhookScope["db"] = runtime.db,
): WebhookScope => ({
  db,
  organizationId: caller.organizationId,
  userId: caller.userId,
  secret: runtime.secret,
});
