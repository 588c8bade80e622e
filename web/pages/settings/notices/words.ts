import type { NoticeChannel, NoticeCondition } from "../../../data/documents.ts";

/** The conditions, with what people call them. */
export const CONDITIONS: Record<NoticeCondition, string> = {
  sessionState: "A session waits, is stuck, fails or ends",
  failureGroup: "Failures are new, or back",
  toolFailureRate: "Calls of a tool fail too often",
  sessionCost: "A session costs much",
  dayCost: "The sessions of a day cost much",
  issueState: "An issue reaches a state",
  leaseExpired: "A lease runs out",
};

/** The channels, with what people call them. */
export const CHANNELS: Record<NoticeChannel, string> = {
  email: "Mail",
  slack: "Slack",
  ntfy: "ntfy",
  webhook: "Webhook",
};

type Choice = [member: string, label: string, values: Record<string, string>, usual: readonly string[]];

/** Values that a rule names several of: the member of its input, its label, the values with their names, and the usual ones. */
export const CHOICES: Partial<Record<NoticeCondition, Choice>> = {
  sessionState: [
    "sessionStates",
    "States",
    {
      waitingForPermission: "waits for permission",
      waitingForAnswer: "waits for an answer",
      stuck: "is stuck",
      looping: "repeats itself",
      failed: "failed",
      ended: "ended",
    },
    ["waitingForPermission", "waitingForAnswer", "stuck", "looping"],
  ],
  failureGroup: ["failureKinds", "Failures", { new: "new", back: "back" }, ["new", "back"]],
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

/** The units of a threshold, where a condition has one. */
export const THRESHOLDS: Partial<Record<NoticeCondition, string>> = {
  toolFailureRate: "Percent of its calls",
  sessionCost: "US dollars",
  dayCost: "US dollars",
};
