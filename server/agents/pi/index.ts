import type { Agent } from "../agent.ts";
import { pi as transcript } from "./transcript.ts";

export const pi: Agent = {
  name: "pi",
  transcript,
};
