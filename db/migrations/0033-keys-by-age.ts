import { builtConcurrently } from "./concurrently.ts";
import type { Migration } from "./index.ts";

/** Idempotency keys are forgotten organization by organization, the oldest first. */
export const keysByAge: Migration = {
  id: "0033-keys-by-age",
  statements: [
    ...builtConcurrently("idempotency_age", `idempotency ("organizationId", "createdAt")`),
    "drop index concurrently if exists idempotency_created",
  ],
};
