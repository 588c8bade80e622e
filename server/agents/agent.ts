import type { AgentHooks } from "./agent-hooks.ts";
import type { AgentShell } from "./agent-shell.ts";
import type { TelemetryConvention } from "./convention.ts";
import type { ExitCodeReader, Tools, Wording } from "./tools.ts";
import type { TranscriptReader } from "./transcript.ts";

/** Everything that the server knows about one agent. A member is absent if the agent does not have the feature. */
export interface Agent {
  /** Source of the agent's sessions. Hook and transcript endpoints have the same name. */
  name: string;
  /** Other names that the agent's telemetry uses. */
  otherNames?: readonly string[];
  hooks?: AgentHooks;
  /** Creates the decision to stop, in the format of the agent's hooks, for agents that `trackway connect --fuse` configures. */
  stop?(reason: string): object;
  transcript?: TranscriptReader;
  telemetry?: TelemetryConvention;

  /**
   * True if calls or turns have no id in at least one of hooks and telemetry. Reports of one event are matched by name,
   * input and time.
   */
  hasNoIds?: true;
  /**
   * True if log records name neither turn nor trace unless spans are sent. Log records without turn and trace belong to
   * the turn that began last.
   */
  hasNoTurns?: true;
  /** True if only one of hooks and telemetry contains the id of a model call. */
  hasNoRequestIds?: true;
  /** Set if the agent reports a subagent like any other call. The subagent's calls are assigned only by time. */
  delegates?: {
    /** Name of the tool that starts the subagent. */
    tool: string;
    /** Finds the subagent's name, as the first group, in the input of the call. */
    subagent: RegExp;
  };

  /**
   * True if the input count excludes cached tokens. All other sources include cached tokens in the input, as the GenAI
   * conventions do.
   */
  hasCacheBeside?: true;
  /** True if the output count excludes thinking tokens. Providers bill thinking tokens as output. */
  hasThoughtsBeside?: true;

  /** Agents that use the same name for a tool use the same meaning. */
  tools?: Tools;
  /** Each agent writes exit codes in a different format. */
  readExitCode?: ExitCodeReader;
  /** Output of a command that continues after the call. `^` stands for the beginning of a line. */
  goesOn?: RegExp;
  /** Output that the agent truncated. `^` stands for the beginning of a line. */
  truncated?: RegExp;
  /**
   * Head of a command's result that differs between equal calls, as a regular expression of both JavaScript and
   * PostgreSQL.
   */
  changingHead?: string;
  /** Absent if the agent does not publish how it runs a command line. No option takes effect then. */
  shell?: AgentShell;
  /**
   * Phrases around a failure's message, as the agent passes on results. The agent's phrases may precede any line that a
   * program printed.
   */
  wording?: Wording;
  /** Paths of the agent's own files, such as plans, which are not part of the work. */
  ownFiles?: RegExp;
}
