/** Regular expression of a UUID of any version, for JavaScript and for PostgreSQL's `~*`. */
export const UUID_PATTERN = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";

/** Matches a UUID of any version, in any case. */
export const UUID = new RegExp(UUID_PATTERN, "i");

/** True for a UUID of any version, in any case. */
export const isUuid = (text: string): boolean => UUID.test(text);
