import { hasFailed } from "../../../db/checks.ts";
import { constraintOf } from "../../../db/errors/sqlstate.ts";
import { readOwn } from "../../../formats/own.ts";

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : "");

/** Reports whether an id existed, or may have: Citus calls every failure of a COPY an internal error. */
export const isRepeat = (error: unknown): boolean => ["23505", "XX000"].includes(codeOf(error));

/** Reports whether the fast way found a key deleted. */
export const isKeyGone = (error: unknown): boolean => hasFailed("keysAreThere", error);

/** Reports whether COPY is unavailable, as under row-level security. */
export const isUnsupported = (error: unknown): boolean => codeOf(error) === "0A000";

/** Reports whether a row is to blame: data exceptions (22), constraints (23) and limits of the engine (54). */
export const isRefusal = (error: unknown): boolean => /^(22|23|54)/.test(codeOf(error));

const WORDS: Record<string, string> = {
  recorded_session_metadata_size: "metadata of this session would grow beyond 256 KiB",
  recorded_user_traits_size: "user_data: the traits of this user would grow beyond 128 KiB",
};

/** The reason against a row, for its sender. The engine's own message may quote the row. */
export function refusal(error: unknown): string {
  return readOwn(WORDS, constraintOf(error)) ?? `the database cannot store this row (${codeOf(error)})`;
}
