import type { Convention, Meaning } from "../meaning/convention.ts";
import { vercelAi } from "./vercel-ai.ts";

const FAILED_EXIT = /^-?[1-9]\d*$/;
const RESULT = ["ai.toolCall.result"];

/** The same span of opencode's: it calls the AI SDK, and its agents by the names of its own functions. */
const ours = ({ name, ...meaning }: Meaning): Meaning => ({
  ...meaning,
  ...(name && meaning.kind !== "turn" && meaning.kind !== "subagent" && { name }),
  where: { ...meaning.where, "@resource/service.name": /^opencode$/ },
});

/** opencode: spans of the AI SDK. Of a command that failed only the exit code in its result tells. */
export const opencode: Convention = {
  ...vercelAi,
  name: "opencode",
  source: "opencode",
  spans: (vercelAi.spans ?? []).map((meaning) => {
    if (meaning.kind !== "tool") return ours(meaning);
    const failedBy = [{ at: RESULT, path: ["metadata", "exit"], match: FAILED_EXIT }];
    const error = { at: ["@event/exception/exception.message", "@status"], or: { at: RESULT, path: ["output"] } };
    return ours({ ...meaning, failedBy, error });
  }),
};
