import type { FoundRowFragment, IssueRowFragment } from "../../../data/documents.ts";

/** Issue in a list. Search results do not contain the holder, the blockers and the sessions. */
export type IssueRow = FoundRowFragment & Partial<IssueRowFragment>;
