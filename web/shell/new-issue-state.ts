import { signal } from "@preact/signals";

/** A new issue that is not sent yet. What is empty or 0 is not set. */
export interface Draft {
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
  /** The issue that it is a part of, by its identifier. */
  parent: string;
  /** Issues that must be done before it, by their identifiers. */
  blockers: readonly string[];
  /** The recorded session that it is about. */
  sessionId: string;
  /** Names of what is known by its id later, once the choices are read. */
  teamKey: string;
  stateName: string;
  labelNames: readonly string[];
}

/** The dialog for a new issue, while it is open: what it begins with. */
export const newIssueOpen = signal<Partial<Draft> | undefined>(undefined);

/**
 * Opens the dialog for a new issue. What is given goes before what is kept of an earlier draft: a title and a text from a
 * transcript, the session that it is about, a parent.
 */
export const openNewIssue = (draft: Partial<Draft> = {}): void => {
  newIssueOpen.value = draft;
};
