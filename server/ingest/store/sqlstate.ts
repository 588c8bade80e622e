import { hasFailedCheck } from "../../../db/checks.ts";
import { getViolatedConstraint } from "../../../db/errors/sqlstate.ts";
import { getOwnProperty } from "../../../formats/own.ts";

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : "");

/**
 * Returns true if an event id already exists or may already exist. Citus reports every failure of a COPY as an internal
 * error (XX000), so XX000 may also mean an existing id.
 */
export const isRepeatedIdError = (error: unknown): boolean => ["23505", "XX000"].includes(codeOf(error));

/** Returns true if the COPY transaction failed because a key was deleted. */
export const isDeletedKeyError = (error: unknown): boolean => hasFailedCheck("keysAreThere", error);

/** Returns true if COPY is not available, for example under row-level security. */
export const isCopyUnsupportedError = (error: unknown): boolean => codeOf(error) === "0A000";

/** Returns true if a row caused the error: data exceptions (22), constraints (23) and limits of the engine (54). */
export const isRowError = (error: unknown): boolean => /^(22|23|54)/.test(codeOf(error));

const WORDS: Record<string, string> = {
  recorded_session_metadata_size: "metadata of this session would grow beyond 256 KiB",
  recorded_user_traits_size: "user_data: the traits of this user would grow beyond 128 KiB",
};

/**
 * Returns the reason for rejecting a row, for the sender. The database's own message may quote the row and is not
 * used.
 */
export function rowErrorReason(error: unknown): string {
  return getOwnProperty(WORDS, getViolatedConstraint(error)) ?? `the database cannot store this row (${codeOf(error)})`;
}
