import { CHECK_FUNCTION } from "../checks.ts";
import type { Migration } from "./index.ts";

/** The function by which statements check what they rely on, and fail with a SQLSTATE of ours. */
export const checks: Migration = { id: "0048-checks", statements: [CHECK_FUNCTION] };
