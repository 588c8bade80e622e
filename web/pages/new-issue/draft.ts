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
  const [since, setSince] = useState(() => sinceOf(readStored()));
  const keep = (next: Draft, keptAt?: number): void => {
    setDraft(next);
    localStorage.setItem(stored(), JSON.stringify({ ...next, keptAt }));
  };
  /** Forgets all but the team, which the next issue is often of too. */
  const clear = () => {
    setSince(undefined);
    keep({ ...EMPTY, teamId: draft.teamId });
  };
  return {
    draft,
    /** The moment at which what it began with was written; undefined where nobody had written anything. */
    since,
    change: (part: Partial<Draft>) => keep(changed(draft, part), Date.now()),
    clear,
  };
}

/** A draft with other values. A milestone is of one project, so another project takes it off. */
const changed = (draft: Draft, part: Partial<Draft> = {}): Draft => {
  const moves = part.projectId !== undefined && part.projectId !== draft.projectId;
  return { ...draft, ...(moves && { projectMilestoneId: "" }), ...part };
};

/** A draft as the browser keeps it, with the moment of its last change. */
type Stored = Partial<Draft> & { keptAt?: number };

/** The moment of a draft that has words. */
const sinceOf = ({ title = "", description = "", keptAt }: Stored): number | undefined =>
  title.trim() || description.trim() ? keptAt : undefined;

function readStored(): Stored {
  try {
    return JSON.parse(localStorage.getItem(stored()) ?? "{}");
  } catch {
    return {};
  }
}
