import { useState } from "preact/hooks";
import { session } from "../../data/session.ts";
import { type Draft, newIssueOpen } from "../../shell/new-issue-state.ts";

const EMPTY: Draft = {
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

/** A draft, and what changes it. */
export interface PartProps {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
}

const stored = (): string => `trackway-new-issue ${session.peek()?.organization?.id} ${session.peek()?.user.id}`;

/** The draft that this browser keeps for a person in an organization, until the issue is created. */
export function useDraft() {
  const [draft, setDraft] = useState<Draft>(() => changed({ ...EMPTY, ...readStored() }, newIssueOpen.peek()));
  const keep = (next: Draft): void => {
    setDraft(next);
    localStorage.setItem(stored(), JSON.stringify(next));
  };
  return {
    draft,
    change: (part: Partial<Draft>) => keep(changed(draft, part)),
    /** Forgets all but the team, which the next issue is often of too. */
    clear: () => keep({ ...EMPTY, teamId: draft.teamId }),
  };
}

/** A draft with other values. A milestone is of one project, so another project takes it off. */
const changed = (draft: Draft, part: Partial<Draft> = {}): Draft => {
  const moves = part.projectId !== undefined && part.projectId !== draft.projectId;
  return { ...draft, ...(moves && { projectMilestoneId: "" }), ...part };
};

function readStored(): Partial<Draft> {
  try {
    return JSON.parse(localStorage.getItem(stored()) ?? "{}");
  } catch {
    return {};
  }
}
