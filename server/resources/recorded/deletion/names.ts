/** Kinds of names under which a deleted recording could be reported again. */
export type NameKind = "session" | "trace" | "user";

/** Text whose hash a tombstone contains. */
export const tombstoneName = (kind: NameKind, id: string): string => `${kind} ${id}`;

/**
 * SQL for the hash of a name in organization `o`. The key belongs to the organization, so equal names have different
 * hashes in other organizations.
 */
export const hashSql = (name: string): string => `sha256(o."deletionKey" || convert_to(${name}, 'UTF8'))`;

/**
 * SQL condition: a session `s` of a user was deleted together with the user at the given time. Ingestion rejects
 * every session that names a deleted user, so a session that names its user is older than the deletion. Ingestion
 * accepts recordings under an ingest key whose name equals the user's name; the arrival time of the session decides
 * in this case.
 */
export const isDeletedWithUserSql = (s: string, deletedAt: string): string =>
  `(${s}.observed is null or ${s}.observed ->> 'isUserTold' is not null or ${s}.received_at <= ${deletedAt})`;
