/** The kinds of names under which a deleted recording may be reported again. */
export type NameKind = "session" | "trace" | "user";

/** The text whose hash a tombstone holds. */
export const nameOf = (kind: NameKind, id: string): string => `${kind} ${id}`;

/** SQL of the hash of a name in an organization, `o`: the key is the organization's own, so equal names differ elsewhere. */
export const hashSql = (name: string): string => `sha256(o."deletionKey" || convert_to(${name}, 'UTF8'))`;

/**
 * SQL of whether a session `s` of a user who was deleted at a moment was deleted with the user. Ingestion rejects every session
 * that names a deleted user, so a session that names its user is older. It accepts what is recorded under an ingest key whose
 * name equals the user's: there the moment at which the session arrived decides.
 */
export const isDeletedWithUserSql = (s: string, deletedAt: string): string =>
  `(${s}.observed is null or ${s}.observed ->> 'isUserTold' is not null or ${s}.received_at <= ${deletedAt})`;
