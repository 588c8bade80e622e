import { useState } from "preact/hooks";
import { currentLogin } from "../../data/session.ts";
import { type IssueDraft, newIssueDraft } from "../../shell/new-issue-state.ts";

const EMPTY: IssueDraft = {
  teamId: "",
  templateId: "",
  title: "",
  description: "",
  stateId: "",
  priority: 0,
  assigneeId: "",
  delegateId: "",
  projectId: "",
  projectMilestoneId: "",
  cycleId: "",
  dueDate: "",
  labelIds: [],
  parent: "",
  blockers: [],
  sessionId: "",
  teamKey: "",
  stateName: "",
  labelNames: [],
};

/** Draft of a new issue, and a function that changes the draft. */
export interface DraftProps {
  draft: IssueDraft;
  change: (part: Partial<IssueDraft>) => void;
}

const buildStorageKey = (): string =>
  `trackway-new-issue ${currentLogin.peek()?.organization?.id} ${currentLogin.peek()?.user.id}`;

/** Reads and stores the draft of a user in an organization. This browser keeps the draft until the issue is created. */
export function useStoredDraft() {
  const [draft, setDraft] = useState<IssueDraft>(() => changed({ ...EMPTY, ...readStored() }, newIssueDraft.peek()));
  const [since, setSince] = useState(() => sinceOf(readStored()));
  const keep = (next: IssueDraft, keptAt?: number): void => {
    setDraft(next);
    localStorage.setItem(buildStorageKey(), JSON.stringify({ ...next, keptAt }));
  };
  /** Clears the draft except for the team, because consecutive issues often have the same team. */
  const clear = () => {
    setSince(undefined);
    keep({ ...EMPTY, teamId: draft.teamId });
  };
  return {
    draft,
    /** Time at which the stored draft was written; undefined without a stored draft. */
    since,
    change: (part: Partial<IssueDraft>) => keep(changed(draft, part), Date.now()),
    clear,
  };
}

/**
 * Changes values of a draft. A change of the project clears the milestone, because a milestone belongs to one
 * project.
 */
const changed = (draft: IssueDraft, part: Partial<IssueDraft> = {}): IssueDraft => {
  const moves = part.projectId !== undefined && part.projectId !== draft.projectId;
  return { ...draft, ...(moves && { projectMilestoneId: "" }), ...part };
};

/** Draft in local storage, with the time of the last change (milliseconds since 1970). */
type Stored = Partial<IssueDraft> & { keptAt?: number };

/** Returns the time of the last change of a draft with a title or a description; undefined for an empty draft. */
const sinceOf = ({ title = "", description = "", keptAt }: Stored): number | undefined =>
  title.trim() || description.trim() ? keptAt : undefined;

function readStored(): Stored {
  try {
    return JSON.parse(localStorage.getItem(buildStorageKey()) ?? "{}");
  } catch {
    return {};
  }
}
