/** Kinds of names under which a deleted recording could be reported again. */
export type RecordingNameKind = "session" | "trace" | "user";

/** Text whose hash a tombstone contains. */
export const tombstoneName = (kind: RecordingNameKind, id: string): string => `${kind} ${id}`;

/**
 * SQL for the hash of a name in organization `o`. The key belongs to the organization, so equal names have different
 * hashes in other organizations.
 */
export const tombstoneHashSql = (name: string): string => `sha256(o."deletionKey" || convert_to(${name}, 'UTF8'))`;

/**
 * SQL condition: a session `s` of a user was deleted together with the user at the given time. A session that names its
 * user is always older than the deletion, because ingestion rejects later sessions that name a deleted user. A session
 * whose user is only the name of its ingest key may be newer, so the arrival time of the session decides.
 */
export const isDeletedWithUserSql = (s: string, deletedAt: string): string =>
  `(${s}.observed is null or ${s}.observed ->> 'isUserTold' is not null or ${s}.received_at <= ${deletedAt})`;
