import type { Runtime } from "../runtime.ts";
import type { Scope } from "../scope.ts";

/** Jobs act for nobody; the changes they make say so. */
const NOBODY = "00000000-0000-0000-0000-000000000000";

/** What the server's own jobs write an organization's rows with. */
export const systemScope = ({ db, publicUrl, secret }: Runtime, organizationId: string): Scope => ({
  db,
  organizationId,
  userId: NOBODY,
  role: "member",
  publicUrl,
  at: new Date(),
  secret,
  system: true,
});
