import type { Database } from "../db/open.ts";

/** On whose behalf, and in which organization, something is read or written. The only way to tenant rows. */
export interface Scope {
  db: Database;
  organizationId: string;
  userId: string;
  role: "owner" | "member";
  /** Base of every `url`, without a trailing slash. */
  publicUrl: string;
  /** Root of the keys that encrypt secrets at rest. */
  secret: Uint8Array;
  /** Set for the server's own jobs: their changes name no user. */
  system?: true;
}
