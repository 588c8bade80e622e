import { useState } from "preact/hooks";
import { session } from "../../data/session.ts";

/** A new issue that is not sent yet. */
export interface Draft {
  teamId: string;
  templateId: string;
  title: string;
  description: string;
  priority: number;
  assigneeId: string;
  labelIds: readonly string[];
}

const EMPTY: Draft = {
  teamId: "",
  templateId: "",
  title: "",
  description: "",
  priority: 0,
  assigneeId: "",
  labelIds: [],
};

const stored = (): string => `trackway-new-issue ${session.peek()?.organization?.id} ${session.peek()?.user.id}`;

/** The draft that this browser keeps for a person in an organization, until the issue is created. */
export function useDraft() {
  const [draft, setDraft] = useState<Draft>(() => ({ ...EMPTY, ...readStored() }));
  const keep = (next: Draft): void => {
    setDraft(next);
    localStorage.setItem(stored(), JSON.stringify(next));
  };
  return {
    draft,
    change: (part: Partial<Draft>) => keep({ ...draft, ...part }),
    /** Forgets all but the team, which the next issue is often of too. */
    clear: () => keep({ ...EMPTY, teamId: draft.teamId }),
  };
}

function readStored(): Partial<Draft> {
  try {
    return JSON.parse(localStorage.getItem(stored()) ?? "{}");
  } catch {
    return {};
  }
}
