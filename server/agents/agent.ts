import type { AgentHooks } from "./agent-hooks.ts";
import type { Convention } from "./convention.ts";
import type { Transcript } from "./transcript.ts";

/** Everything that the server knows about one agent. A member is absent if the agent does not have the feature. */
export interface Agent {
  /** Source of the agent's sessions. Hook and transcript endpoints have the same name. */
  name: string;
  /** Other names that the agent's telemetry uses. */
  otherNames?: readonly string[];
  hooks?: AgentHooks;
  /** Creates the decision to stop, in the format of the agent's hooks, for agents that `trackway connect --fuse` configures. */
  stop?(reason: string): object;
  transcript?: Transcript;
  telemetry?: Convention;

  /**
   * True if calls or turns have no id in at least one of hooks and telemetry. Reports of one event are matched by name,
   * input and time.
   */
  hasNoIds?: true;
  /**
   * True if log records name neither turn nor trace unless spans are sent. Those records belong to the turn that began
   * last.
   */
  hasNoTurns?: true;
  /** True if only one of hooks and telemetry contains the id of a model call. */
  hasNoRequestIds?: true;
  /** How the agent reports a subagent like any other call, whose inner calls are assigned only by time. */
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
}
