import type { Runtime } from "../runtime.ts";
import type { Scope } from "../scope.ts";

/** The author and organization of a change in the log. */
export const scopeOf = (
  { db, publicUrl, secret }: Runtime,
  { organizationId, userId, role }: { [Name in "organizationId" | "userId"]: string } & Pick<Scope, "role">,
): Scope => ({ db, organizationId, userId, role, publicUrl, secret, at: new Date() });
