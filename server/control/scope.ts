import type { Runtime } from "../runtime.ts";
import type { Scope } from "../scope.ts";

/** On whose behalf a change that the log tells of is made. */
export const scopeOf = (
  { db, publicUrl, secret }: Runtime,
  { organizationId, userId, role }: { [Name in "organizationId" | "userId"]: string } & Pick<Scope, "role">,
): Scope => ({ db, organizationId, userId, role, publicUrl, secret });
