import type { FoundRowFragment, IssueRowFragment } from "../../../data/documents.ts";

/** An issue in a list. What a search finds does not tell who holds it, what blocks it and its sessions. */
export type IssueRow = FoundRowFragment & Partial<IssueRowFragment>;
