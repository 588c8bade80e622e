import { z } from "zod";
import { plainLine } from "../../mail/mail.ts";
import { idSchema, nameSchema } from "../fields.ts";
import { WORKFLOW_STATE_TYPES } from "../state/input.ts";
import { webhookSecretSchema, webhookUrlSchema } from "../webhook/input.ts";

/**
 * Conditions of rules, each with the allowed input fields. The first field is required if `validateNoticeRuleFields` lists the
 * field as needed; other fields have defaults.
 */
export const NOTICE_CONDITION_FIELDS = {
  sessionState: ["sessionStates"],
  failureGroup: ["failureKinds"],
  toolFailureRate: ["threshold", "tool", "minimumCalls"],
  sessionCost: ["threshold"],
  dayCost: ["threshold"],
  issueState: ["issueStateTypes", "teamId"],
  leaseExpired: ["teamId"],
} as const;
export type NoticeCondition = keyof typeof NOTICE_CONDITION_FIELDS;

/** Channels of notices, each with the allowed input fields. */
export const NOTICE_CHANNEL_FIELDS = {
  email: ["emails"],
  slack: ["url"],
  ntfy: ["url", "secret"],
  webhook: ["url", "secret"],
} as const;
export type NoticeChannel = keyof typeof NOTICE_CHANNEL_FIELDS;

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
  name: nameSchema
    .refine((text) => plainLine(text, MOST_CHARS) === text, "must be one line of visible characters")
    .nullish(),
  enabled: z.boolean().nullish(),
  sessionStates: several(NOTICED_STATES),
  failureKinds: several(["new", "back"]),
  issueStateTypes: several(WORKFLOW_STATE_TYPES),
  tool: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(MOST_CHARS, `must be at most ${MOST_CHARS} characters`)
    .nullish(),
  threshold: z.number().positive("must be more than 0").max(1_000_000, "must be at most 1,000,000").nullish(),
  minimumCalls: z.number().int().min(1, "must be at least 1").max(1_000_000, "must be at most 1,000,000").nullish(),
  teamId: idSchema.nullish(),
  emails: z
    .array(email)
    .min(1, "must name at least one")
    .max(MOST_EMAILS, `must name at most ${MOST_EMAILS}`)
    .nullish(),
  url: webhookUrlSchema.nullish(),
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
  id: idSchema.nullish(),
  name: changed.name.unwrap().unwrap(),
  condition: z.enum(Object.keys(NOTICE_CONDITION_FIELDS) as [NoticeCondition, ...NoticeCondition[]]),
  channel: z.enum(Object.keys(NOTICE_CHANNEL_FIELDS) as [NoticeChannel, ...NoticeChannel[]]),
});
export type NoticeRuleCreate = z.infer<typeof NoticeRuleCreateInput>;

/** Returns the reason why a secret is invalid for a channel, as a sentence; undefined for a valid secret. */
export function secretFault(channel: NoticeChannel, secret: string): string | undefined {
  if (channel === "webhook") return webhookSecretSchema.safeParse(secret).error?.issues[0]?.message;
  return /^[\x21-\x7e]{1,256}$/.test(secret) ? undefined : "takes an access token of visible ASCII characters";
}
