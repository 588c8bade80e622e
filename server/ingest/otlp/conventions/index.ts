import type { Convention } from "../meaning/convention.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { geminiCli, qwenCode } from "./gemini-cli.ts";
import { genAi } from "./gen-ai.ts";
import { langfuse } from "./langfuse.ts";
import { mcp } from "./mcp.ts";
import { openInference } from "./open-inference.ts";
import { openLlmetry } from "./open-llmetry.ts";
import { opencode, vercelAi } from "./vercel-ai.ts";

/** All conventions. A record is read by the first that knows it: what one program means goes before what all may mean. */
export const conventions: readonly Convention[] = [
  claudeCode,
  codex,
  geminiCli,
  qwenCode,
  copilot,
  opencode,
  langfuse,
  openInference,
  vercelAi,
  openLlmetry,
  mcp,
  genAi,
];
