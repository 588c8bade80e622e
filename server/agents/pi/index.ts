import type { Agent } from "../agent.ts";
import { asIs, BOTH } from "../agent-shell.ts";
import { parseOptionalNumber } from "../tools.ts";
import { pi as transcript } from "./transcript.ts";

export const pi: Agent = {
  name: "pi",
  transcript,
  // Pi reports an error for exit codes other than 0, with the exit code.
  readExitCode: ({ result, success }) =>
    success ? 0 : parseOptionalNumber(/\n?Command exited with code (\d+)\s*$/.exec(result)?.[1]),
  shell: { keeps: BOTH, scripts: [asIs] },
};
