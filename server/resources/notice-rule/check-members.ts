import { getOwnProperty } from "../../../formats/own.ts";
import { invalidFieldsError } from "../../errors.ts";
import {
  NOTICE_CHANNEL_FIELDS,
  NOTICE_CONDITION_FIELDS,
  type NoticeChannel,
  type NoticeCondition,
  type NoticeRuleUpdate,
  secretFault,
} from "./input.ts";
import { isNtfyAddress, NTFY_URL_REQUIREMENT } from "./ntfy.ts";

/** The condition and the channel of a rule. Both decide which input fields are allowed. */
export interface NoticeRuleKind {
  condition: NoticeCondition;
  channel: NoticeChannel;
}

/**
 * Checks that an input contains only fields that suit the rule's condition and channel. @throws invalidFieldsError with the
 * first invalid field and the cure
 */
export function validateNoticeRuleFields(
  kind: NoticeRuleKind,
  input: NoticeRuleUpdate,
  mode: "needed" | "refused",
): void {
  const given = (member: string) => (getOwnProperty(input, member) ?? null) !== null;
  const parts = [
    ["condition", kind.condition, NOTICE_CONDITION_FIELDS],
    ["channel", kind.channel, NOTICE_CHANNEL_FIELDS],
  ] as const;
  for (const [part, chosen, all] of parts) {
    const taken: readonly string[] = (all as Record<string, readonly string[]>)[chosen] ?? [];
    const others = new Set(
      Object.values(all)
        .flat()
        .filter((member) => !taken.includes(member)),
    );
    const stray = [...others].find(given);
    if (stray) throw fault(`${stray} counts for nothing with the ${part} ${chosen}; leave it out`, stray);
    const [needed] = taken;
    if (mode === "needed" && needed && NEEDED.has(needed) && !given(needed))
      throw fault(`${needed} is needed with the ${part} ${chosen}`, needed);
  }
  if (mode === "needed" && kind.channel === "webhook" && !input.secret)
    throw fault("secret is needed with the channel webhook: whsec_ and the base64 of 32 bytes", "secret");
  if (kind.channel === "ntfy" && input.url && !isNtfyAddress(input.url))
    throw fault(`url ${NTFY_URL_REQUIREMENT}`, "url");
  const wrong = input.secret ? secretFault(kind.channel, input.secret) : undefined;
  if (wrong) throw fault(`secret ${wrong}`, "secret");
  if (kind.condition === "toolFailureRate" && Number(input.threshold ?? 1) > 100)
    throw fault("threshold is a percentage, at most 100", "threshold");
  if (given("quietFrom") !== given("quietTo"))
    throw fault("quietFrom and quietTo go together", given("quietFrom") ? "quietTo" : "quietFrom");
  if (given("quietFrom") && input.quietFrom === input.quietTo)
    throw fault("quietTo must differ from quietFrom", "quietTo");
}

const fault = (message: string, member: string) => invalidFieldsError([{ path: `input.${member}`, message }]);

const NEEDED = new Set(["threshold", "issueStateTypes", "url"]);
