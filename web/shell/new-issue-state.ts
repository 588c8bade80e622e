import { signal } from "@preact/signals";

/** New issue that is not created yet. An empty value, or the priority 0, means that the field is not set. */
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
  /**
   * Key of the team, and names of the state and the labels. The dialog replaces the key and the names with ids after
   * the options are read.
   */
  teamKey: string;
  stateName: string;
  labelNames: readonly string[];
}

/** Initial values of the dialog for a new issue; undefined while the dialog is closed. */
export const newIssueDraft = signal<Partial<IssueDraft> | undefined>(undefined);

/**
 * Opens the dialog for a new issue. The given values override the values of a stored draft: for example a title and a
 * text from a transcript, the session, or a parent issue.
 */
export const openNewIssue = (draft: Partial<IssueDraft> = {}): void => {
  newIssueDraft.value = draft;
};
