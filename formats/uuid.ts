/** Regular expression for a UUID of any version, for JavaScript and PostgreSQL's `~*`. */
export const UUID_PATTERN = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";

/** Matches a UUID of any version, in upper or lower case. */
export const UUID_REGEXP = new RegExp(UUID_PATTERN, "i");

/** Returns true for a UUID of any version, in upper or lower case. */
export const isUuid = (text: string): boolean => UUID_REGEXP.test(text);
