import type { Database } from "../db/open.ts";
import { NO_ID } from "./id.ts";
import type { Runtime } from "./runtime.ts";

/** On whose behalf, and in which organization, something is read or written. The only way to tenant rows. */
export interface Scope {
  db: Database;
  organizationId: string;
  userId: string;
  role: "owner" | "member";
  /** The moment of the request, from which everything relative in it counts. */
  at: Date;
  /** Base of every `url`, without a trailing slash. */
  publicUrl: string;
  /** Root of the keys that encrypt secrets at rest. */
  secret: Uint8Array;
  /** Days after which the server removes sessions of every organization; 0 and absent for none. */
  retentionDays?: number;
  /** Set for a person who signed in, and not for a key or a program that acts as one. */
  signedIn?: boolean;
  /** The caller's network address, where requests are counted by it. */
  countedFrom?: string | undefined;
  /** Set for the server itself: its changes name no user. */
  system?: true;
}

/** The scope in which the server itself, for nobody, writes an organization's rows. */
export const systemScope = (
  { db, publicUrl, secret }: Pick<Runtime, "db" | "publicUrl" | "secret">,
  organizationId: string,
): Scope => ({
  db,
  organizationId,
  userId: NO_ID,
  role: "member",
  publicUrl,
  at: new Date(),
  secret,
  system: true,
});

/** The author and organization of a change in the log. */
export const scopeOf = (
  { db, publicUrl, secret }: Runtime,
  { organizationId, userId, role }: { [Name in "organizationId" | "userId"]: string } & Pick<Scope, "role">,
): Scope => ({ db, organizationId, userId, role, publicUrl, secret, at: new Date() });
