import type { WebhookScope } from "../../../resources/webhook/scope.ts";
import type { Call } from "../../route.ts";

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

/** Does a piece of work on the caller's webhooks in one transaction. */
export const within = <T>(call: Call<"owner">, work: (scope: WebhookScope) => Promise<T>): Promise<T> =>
  call.runtime.db.transaction((trx) => work(webhookScope(call, trx)));
