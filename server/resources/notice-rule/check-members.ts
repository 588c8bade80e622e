import { readOwn } from "../../../formats/own.ts";
import { invalidInput } from "../../errors.ts";
import { CHANNELS, type Channel, CONDITIONS, type Condition, type NoticeRuleUpdate, secretFault } from "./input.ts";
import { isNtfyAddress, NTFY_ADDRESS } from "./ntfy.ts";

/** The parts of a rule that decide which input fields are allowed. */
export interface Kind {
  condition: Condition;
  channel: Channel;
}

/** @throws invalidInput with the first invalid field and the cure */
export function checkMembers(kind: Kind, input: NoticeRuleUpdate, mode: "needed" | "refused"): void {
  const given = (member: string) => (readOwn(input, member) ?? null) !== null;
  const parts = [
    ["condition", kind.condition, CONDITIONS],
    ["channel", kind.channel, CHANNELS],
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
  if (kind.channel === "ntfy" && input.url && !isNtfyAddress(input.url)) throw fault(`url ${NTFY_ADDRESS}`, "url");
  const wrong = input.secret ? secretFault(kind.channel, input.secret) : undefined;
  if (wrong) throw fault(`secret ${wrong}`, "secret");
  if (kind.condition === "toolFailureRate" && Number(input.threshold ?? 1) > 100)
    throw fault("threshold is a percentage, at most 100", "threshold");
  if (given("quietFrom") !== given("quietTo"))
    throw fault("quietFrom and quietTo go together", given("quietFrom") ? "quietTo" : "quietFrom");
  if (given("quietFrom") && input.quietFrom === input.quietTo)
    throw fault("quietTo must differ from quietFrom", "quietTo");
}

const fault = (message: string, member: string) => invalidInput([{ path: `input.${member}`, message }]);

const NEEDED = new Set(["threshold", "issueStateTypes", "url"]);
