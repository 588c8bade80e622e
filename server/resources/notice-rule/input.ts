import { z } from "zod";
import { plainLine } from "../../mail/mail.ts";
import { id, name } from "../fields.ts";
import { STATE_TYPES } from "../state/input.ts";
import { webhookSecret, webhookUrl } from "../webhook/input.ts";

/**
 * Conditions of rules, each with the allowed input fields. The first field is required if `checkMembers` lists the
 * field as needed; other fields have defaults.
 */
export const CONDITIONS = {
  sessionState: ["sessionStates"],
  failureGroup: ["failureKinds"],
  toolFailureRate: ["threshold", "tool", "minimumCalls"],
  sessionCost: ["threshold"],
  dayCost: ["threshold"],
  issueState: ["issueStateTypes", "teamId"],
  leaseExpired: ["teamId"],
} as const;
export type Condition = keyof typeof CONDITIONS;

/** Channels of notices, each with the allowed input fields. */
export const CHANNELS = {
  email: ["emails"],
  slack: ["url"],
  ntfy: ["url", "secret"],
  webhook: ["url", "secret"],
} as const;
export type Channel = keyof typeof CHANNELS;

/** States of sessions that a rule can watch. */
const NOTICED_STATES = ["waitingForPermission", "waitingForAnswer", "stuck", "looping", "failed", "ended"] as const;

const several = <Values extends readonly [string, ...string[]]>(values: Values) =>
  z.array(z.enum(values)).min(1, "must name at least one").max(values.length, "must name each once").nullish();

const MOST_EMAILS = 20;
const MOST_CHARS = 256;

/** An email address for SMTP: without line breaks, lists or display names. */
const email = z.email("must be an email address").max(254, "must be at most 254 characters");
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of day, such as 22:00");
const timeZone = z.string().max(64).refine(isTimeZone, "must be a time zone, such as Europe/Berlin or UTC");

function isTimeZone(zone: string): boolean {
  try {
    return /^[A-Za-z]/.test(zone) && Boolean(new Intl.DateTimeFormat("en", { timeZone: zone }));
  } catch {
    return false;
  }
}

const changed = {
  name: name.refine((text) => plainLine(text, MOST_CHARS) === text, "must be one line of visible characters").nullish(),
  enabled: z.boolean().nullish(),
  sessionStates: several(NOTICED_STATES),
  failureKinds: several(["new", "back"]),
  issueStateTypes: several(STATE_TYPES),
  tool: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(MOST_CHARS, `must be at most ${MOST_CHARS} characters`)
    .nullish(),
  threshold: z.number().positive("must be more than 0").max(1_000_000, "must be at most 1,000,000").nullish(),
  minimumCalls: z.number().int().min(1, "must be at least 1").max(1_000_000, "must be at most 1,000,000").nullish(),
  teamId: id.nullish(),
  emails: z
    .array(email)
    .min(1, "must name at least one")
    .max(MOST_EMAILS, `must name at most ${MOST_EMAILS}`)
    .nullish(),
  url: webhookUrl.nullish(),
  secret: z.string().max(MOST_CHARS, `must be at most ${MOST_CHARS} characters`).nullish(),
  includeText: z.boolean().nullish(),
  quietFrom: time.nullish(),
  quietTo: time.nullish(),
  timeZone: timeZone.nullish(),
};

/** Input of a rule update. The condition and the channel cannot change. */
export const NoticeRuleUpdateInput = z.strictObject(changed);
export type NoticeRuleUpdate = z.infer<typeof NoticeRuleUpdateInput>;

export const NoticeRuleCreateInput = NoticeRuleUpdateInput.extend({
  id: id.nullish(),
  name: changed.name.unwrap().unwrap(),
  condition: z.enum(Object.keys(CONDITIONS) as [Condition, ...Condition[]]),
  channel: z.enum(Object.keys(CHANNELS) as [Channel, ...Channel[]]),
});
export type NoticeRuleCreate = z.infer<typeof NoticeRuleCreateInput>;

/** Returns the reason why a secret is invalid for a channel, as a sentence; undefined for a valid secret. */
export function secretFault(channel: Channel, secret: string): string | undefined {
  if (channel === "webhook") return webhookSecret.safeParse(secret).error?.issues[0]?.message;
  return /^[\x21-\x7e]{1,256}$/.test(secret) ? undefined : "takes an access token of visible ASCII characters";
}
