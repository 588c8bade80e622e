import { fileBugFromSession } from "./file-bug-from-session.ts";
import { planIssue } from "./plan-issue.ts";
import { prime } from "./prime.ts";
import type { Prompt } from "./prompt.ts";
import { reviewSession } from "./review-session.ts";
import { standup } from "./standup.ts";
import { triage } from "./triage.ts";

/** Every prompt, by name. */
export const PROMPTS: ReadonlyMap<string, Prompt> = new Map(
  [triage, standup, planIssue, reviewSession, fileBugFromSession, prime].map((prompt) => [prompt.name, prompt]),
);
