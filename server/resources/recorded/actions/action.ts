/** Fields of a recorded event from which the server derives actions. */
export interface ActionEvent {
  /** Kind of the event, such as `turn` or `tool`. Only tool calls have actions. */
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
  /** The first added lines, up to a limit. Empty if the record does not show which lines are new. */
  lines: string[];
}

export interface CommandRun {
  kind: "command";
  /** Command without the surrounding shell: `bash -lc "npm test"` becomes `npm test`. */
  command: string;
  /** Exit code of the command; null if the record does not show the exit code with certainty. */
  exitCode: number | null;
  cwd: string | null;
  isBackground: boolean;
  isOutputCut: boolean;
}

/** A commit in git's output. */
export interface Commit {
  kind: "commit";
  /** Commit hash in the length that git printed: 7 to 40 hex digits. */
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
  /** Remote that the command names; null if the command names no remote or contains several pushes. */
  remote: string | null;
}

export interface PlanItem {
  text: string;
  /** Status in the agent's own words, such as `pending`, `in_progress` or `completed`. */
  status: string;
}

/**
 * A plan that an agent stated in a tool call: either the whole plan (`items`), or one item with its number (`item`).
 */
export interface Plan {
  kind: "plan";
  items?: PlanItem[];
  item?: { id: string; text?: string | undefined; status?: string | undefined };
}

export type Action = FileChange | CommandRun | Commit | Push | Plan;
