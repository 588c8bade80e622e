import type { Take } from "../meaning/convention.ts";

/** What a setting of Claude Code hides is not told. */
export const shown = (...at: string[]): Take => ({ at, match: /^(?!<REDACTED>$)[\s\S]+/ });

/** The marks of a text that Claude Code has cut. */
export const CUT = /\[TRUNCATED - |…\[\d+ chars\]/;
