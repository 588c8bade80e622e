import type { Agent } from "../agent.ts";
import { copilot as telemetry } from "./telemetry.ts";
import { copilot as transcript } from "./transcript.ts";

export const copilot: Agent = {
  name: "github-copilot",
  otherNames: ["copilot"],
  telemetry,
  transcript,
};
