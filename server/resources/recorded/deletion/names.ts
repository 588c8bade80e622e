/** The kinds of names under which a deleted recording may be reported again. */
export type NameKind = "session" | "trace" | "user";

/** The text whose hash a tombstone holds. */
export const nameOf = (kind: NameKind, id: string): string => `${kind} ${id}`;

/** SQL of the hash of a name in an organization, `o`: the key is the organization's own, so equal names differ elsewhere. */
export const hashSql = (name: string): string => `sha256(o."deletionKey" || convert_to(${name}, 'UTF8'))`;
