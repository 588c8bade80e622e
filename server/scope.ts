import type { Database } from "../db/open.ts";
import { NO_ID } from "./id.ts";
import type { Runtime } from "./runtime.ts";

/**
 * The user and the organization for which data is read or written. A scope
 * is the only access to rows of an organization.
 */
export interface Scope {
  db: Database;
  organizationId: string;
  userId: string;
  role: "owner" | "member";
  /** Time of the request. Relative times in the request count from here. */
  at: Date;
  /** Base of every `url`, without a trailing slash. */
  publicUrl: string;
  /** Root of the keys that encrypt secrets at rest. */
  secret: Uint8Array;
  /** Days after which the server removes sessions of every organization. 0 or undefined: no removal. */
  retentionDays?: number;
  /** True for a user who signed in. Unset for a key or an app that acts as a user. */
  signedIn?: boolean;
  /** The caller's network address. Set only where requests are counted by address. */
  countedFrom?: string | undefined;
  /** True if the server itself acts. The server's changes have no user as author. */
  system?: true;
}

/** The scope in which the server itself writes an organization's rows. */
export const createSystemScope = (
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

/** Creates the scope of a user in an organization. */
export const createScope = (
  { db, publicUrl, secret }: Runtime,
  { organizationId, userId, role }: { [Name in "organizationId" | "userId"]: string } & Pick<Scope, "role">,
): Scope => ({ db, organizationId, userId, role, publicUrl, secret, at: new Date() });
