/** A recorded event, as far as its actions are read from it. */
export interface ActionEvent {
  /** `turn`, `tool` and so on; only tool calls act. */
  kind: string;
  /** The tool's name. */
  name: string;
  /** The tool's input: mostly JSON. */
  args: string;
  result: string;
  success: boolean;
  /** False for one that has ended. */
  open: boolean;
  /** In ms; null where it is not known. */
  latency: number | null;
  /** JSON, or null. */
  metadata: string | null;
  /** The program that recorded the session: `claude-code`, `codex`; null for one that is not known. */
  agent: string | null;
  /** The folder in which the session works; null where it is not known. */
  cwd: string | null;
}

/** The lines that a change of a file added, and how many it removed. */
export interface FileChange {
  kind: "file";
  path: string;
  /** Its path before it was renamed. */
  from?: string;
  change: "create" | "edit" | "delete" | "rename";
  added: number;
  removed: number;
  /** The added lines themselves, as far as the record says which are new; the first of many. */
  lines: string[];
}

/** The run of a command. */
export interface CommandRun {
  kind: "command";
  /** Without the shell around it: `bash -lc "npm test"` is `npm test`. */
  command: string;
  /** Null unless the record says it beyond doubt. */
  exitCode: number | null;
  cwd: string | null;
  isBackground: boolean;
  isOutputCut: boolean;
}

/** A commit that git reported. */
export interface Commit {
  kind: "commit";
  /** As git printed it: 7 to 40 hex digits. */
  sha: string;
  /** Null for a detached HEAD. */
  branch: string | null;
  subject: string;
  isAmend: boolean;
}

/** A branch that git reported as pushed. */
export interface Push {
  kind: "push";
  branch: string;
  /** Null where the command names none. */
  remote: string | null;
}

/** An item of a plan. */
export interface PlanItem {
  text: string;
  /** In the agent's own word: `pending`, `in_progress`, `completed`. */
  status: string;
}

/** A plan as it was stated: the whole of it, or an item of it by its number. */
export interface Plan {
  kind: "plan";
  items?: PlanItem[];
  item?: { id: string; text?: string | undefined; status?: string | undefined };
}

export type Action = FileChange | CommandRun | Commit | Push | Plan;
