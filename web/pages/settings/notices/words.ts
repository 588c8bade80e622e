import type { NoticeChannel, NoticeCondition } from "../../../data/documents.ts";

export const CONDITION_LABELS: Record<NoticeCondition, string> = {
  sessionState: "Session state: waiting, stuck, failed or ended",
  failureGroup: "New or returning failure",
  toolFailureRate: "Tool failure rate",
  sessionCost: "Session cost",
  dayCost: "Daily cost of all sessions",
  issueState: "Issue state",
  leaseExpired: "Lease expired",
};

export const CHANNEL_LABELS: Record<NoticeChannel, string> = {
  email: "Email",
  slack: "Slack",
  ntfy: "ntfy",
  webhook: "Webhook",
};

type Choice = [member: string, label: string, values: Record<string, string>, usual: readonly string[]];

/**
 * Conditions whose rules contain a list of values. Each entry has the name of the input field, a label, the possible
 * values with labels, and the default values.
 */
export const CONDITION_VALUE_OPTIONS: Partial<Record<NoticeCondition, Choice>> = {
  sessionState: [
    "sessionStates",
    "States",
    {
      waitingForPermission: "waiting for permission",
      waitingForAnswer: "waiting for an answer",
      stuck: "stuck",
      looping: "looping (repeats the same calls)",
      failed: "failed",
      ended: "ended",
    },
    ["waitingForPermission", "waitingForAnswer", "stuck", "looping"],
  ],
  failureGroup: ["failureKinds", "Failures", { new: "new", back: "back after a pause" }, ["new", "back"]],
  issueState: [
    "issueStateTypes",
    "States",
    {
      triage: "triage",
      backlog: "backlog",
      unstarted: "not started",
      started: "started",
      completed: "completed",
      canceled: "canceled",
      duplicate: "duplicate",
    },
    ["completed"],
  ],
};

/** Labels with the unit of the threshold, for conditions that have a threshold. */
export const THRESHOLD_UNIT_LABELS: Partial<Record<NoticeCondition, string>> = {
  toolFailureRate: "Failed calls in percent",
  sessionCost: "Cost in US dollars",
  dayCost: "Cost in US dollars",
};
