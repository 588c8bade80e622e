/** The parts of a recorded event from which actions are derived. */
export interface ActionEvent {
  /** `turn`, `tool` and so on. Only tool calls have actions. */
  kind: string;
  /** Name of the tool. */
  name: string;
  /** Input of the tool, usually JSON. */
  args: string;
  result: string;
  success: boolean;
  /** False for a finished event. */
  open: boolean;
  /** Duration in ms; null if unknown. */
  latency: number | null;
  /** JSON, or null. */
  metadata: string | null;
  /** Program that recorded the session, such as `claude-code` or `codex`; null if unknown. */
  agent: string | null;
  /** Working folder of the session; null if unknown. */
  cwd: string | null;
}

/** A changed file, with the added lines and the number of removed lines. */
export interface FileChange {
  kind: "file";
  path: string;
  /** Path before the file was renamed. */
  from?: string;
  change: "create" | "edit" | "delete" | "rename";
  added: number;
  removed: number;
  /** The added lines, if the record distinguishes new lines. Limited to the first lines. */
  lines: string[];
}

export interface CommandRun {
  kind: "command";
  /** Command without the surrounding shell: `bash -lc "npm test"` becomes `npm test`. */
  command: string;
  /** Null unless the record certainly contains the exit code. */
  exitCode: number | null;
  cwd: string | null;
  isBackground: boolean;
  isOutputCut: boolean;
}

/** A commit in git's output. */
export interface Commit {
  kind: "commit";
  /** As git printed the hash: 7 to 40 hex digits. */
  sha: string;
  /** Null for a detached HEAD. */
  branch: string | null;
  subject: string;
  isAmend: boolean;
}

/** A pushed branch in git's output. */
export interface Push {
  kind: "push";
  branch: string;
  /** Null if the command does not name a remote. */
  remote: string | null;
}

export interface PlanItem {
  text: string;
  /** In the agent's own wording: `pending`, `in_progress`, `completed`. */
  status: string;
}

/** A stated plan: all items, or a single item with a number. */
export interface Plan {
  kind: "plan";
  items?: PlanItem[];
  item?: { id: string; text?: string | undefined; status?: string | undefined };
}

export type Action = FileChange | CommandRun | Commit | Push | Plan;
