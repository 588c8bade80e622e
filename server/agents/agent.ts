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
}
