import type { Agent } from "../agent.ts";
import { copilot as telemetry } from "./telemetry.ts";
import { readExitCode, tools, wording } from "./tools.ts";
import { copilot as transcript } from "./transcript.ts";

export const copilot: Agent = {
  name: "github-copilot",
  otherNames: ["copilot"],
  telemetry,
  transcript,
  tools,
  readExitCode,
  wording,
};
