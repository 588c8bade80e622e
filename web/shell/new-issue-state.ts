import { signal } from "@preact/signals";

/** True if the dialog for a new issue is open. */
export const newIssueOpen = signal(false);

/** Opens it. */
export const openNewIssue = (): void => {
  newIssueOpen.value = true;
};
