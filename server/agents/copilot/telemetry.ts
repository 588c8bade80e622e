import type { TelemetryConvention } from "../convention.ts";
import { OPERATION, tool, who } from "../conventions/gen-ai.ts";

const RESULT = "gen_ai.tool.call.result";

/** GitHub Copilot CLI uses GenAI. Only the end of the output shows that a command failed. */
export const copilot: TelemetryConvention = {
  name: "GitHub Copilot CLI",
  ...who,
  spans: [
    {
      ...tool,
      where: {
        [OPERATION]: /^execute_tool$/,
        "gen_ai.tool.name": /^(?:read_|write_)?(?:bash|powershell)$/,
        [RESULT]: /<shellId: \S+ completed with exit code -?\d+>\s*$/,
      },
      failedBy: [{ at: RESULT, match: /completed with exit code (?!0>)-?\d+>\s*$/ }],
      error: RESULT,
    },
  ],
};
