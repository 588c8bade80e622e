import { signal } from "@preact/signals";

/** New issue that is not created yet. Empty values and 0 are not set. */
export interface IssueDraft {
  teamId: string;
  templateId: string;
  title: string;
  description: string;
  stateId: string;
  priority: number;
  assigneeId: string;
  delegateId: string;
  projectId: string;
  projectMilestoneId: string;
  cycleId: string;
  dueDate: string;
  labelIds: readonly string[];
  /** Identifier of the parent issue. */
  parent: string;
  /** Identifiers of the issues that block the new issue. */
  blockers: readonly string[];
  /** Id of the recorded session that the issue is about. */
  sessionId: string;
  /** Names that are replaced with ids after the options are read. */
  teamKey: string;
  stateName: string;
  labelNames: readonly string[];
}

/** Initial values of the dialog for a new issue; undefined while the dialog is closed. */
export const newIssueDraft = signal<Partial<IssueDraft> | undefined>(undefined);

/**
 * Opens the dialog for a new issue. The given values override values of a stored draft: for example title and text
 * from a transcript, the session, a parent.
 */
export const openNewIssue = (draft: Partial<IssueDraft> = {}): void => {
  newIssueDraft.value = draft;
};
