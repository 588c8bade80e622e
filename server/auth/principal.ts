/** Who is asking, whichever credential said so. A token without the organization claim has no organization. */
export interface Principal {
  accountId: string;
  organizationId: string | null;
  userId: string | null;
  role: "owner" | "member" | null;
  /** What was presented: a JWT access token or a personal key. */
  kind: "token" | "key";
  /** The login family of a token, or the id of a key: what revocation names. */
  credentialId: string;
  /** When a token ends, epoch ms; a key does not. */
  expiresAt: number | null;
}
