import { type Convention, from } from "../meaning/convention.ts";
import { logs } from "./claude-code-logs.ts";
import { spans } from "./claude-code-spans.ts";

/** Claude Code: log records tell of turns, calls, tokens and cost; beta spans of structure and outputs. */
export const claudeCode: Convention = {
  name: "Claude Code",
  source: "claude-code",
  sessionId: from("session.id"),
  userId: from("user.id"),
  userTraits: { email: from("user.email"), name: from("user.name"), organization: from("organization.id") },
  logs,
  spans,
};
