import { useState } from "preact/hooks";
import { readOwn } from "../../../../formats/own.ts";
import {
  CreateNoticeRule,
  type NoticeChannel,
  type NoticeCondition,
  type NoticeRuleRowFragment,
  type NoticeRuleUpdateInput,
  Teams,
  UpdateNoticeRule,
} from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import { useQuery } from "../../../data/query.ts";
import { Field, FormDialog, textOf } from "../../projects/form.tsx";
import { CHANNELS, CHOICES, CONDITIONS, THRESHOLDS } from "./words.ts";

interface RuleFormProps {
  /** The rule that is edited; a new one without it. */
  rule: NoticeRuleRowFragment | undefined;
  close: () => void;
  saved: () => Promise<void>;
}

/** The dialog in which a rule is made or changed. What a rule watches, and its channel, stay as they were made. */
export function RuleForm({ rule, close, saved }: RuleFormProps) {
  const [condition, setCondition] = useState<NoticeCondition>(rule?.condition ?? "sessionState");
  const [channel, setChannel] = useState<NoticeChannel>(rule?.channel ?? "email");
  const send = async (fields: FormData) => {
    const input = inputOf(fields, condition, channel, !rule);
    if (rule) await request(UpdateNoticeRule, { id: rule.id, input });
    else
      await request(CreateNoticeRule, { input: { ...input, name: textOf(fields, "name") ?? "", condition, channel } });
    await saved();
  };
  return (
    <FormDialog title={rule ? "Edit the rule" : "New rule"} action={rule ? "Save" : "Add"} send={send} close={close}>
      <Field label="Name" name="name" value={rule?.name} required />
      <Select label="When" values={CONDITIONS} value={condition} set={setCondition} fixed={Boolean(rule)} />
      <Watched condition={condition} rule={rule} />
      <Select label="How" values={CHANNELS} value={channel} set={setChannel} fixed={Boolean(rule)} />
      <Target channel={channel} rule={rule} />
      <label class="row inline">
        <input type="checkbox" name="includeText" defaultChecked={rule?.includeText} /> Quote recorded text
      </label>
      <div class="row">
        <Time label="Quiet from" name="quietFrom" value={rule?.quietFrom} />
        <Time label="to" name="quietTo" value={rule?.quietTo} />
      </div>
      <Field
        label="Time zone of the quiet hours"
        name="timeZone"
        value={rule?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
      />
    </FormDialog>
  );
}

interface SelectProps<Value extends string> {
  label: string;
  values: Record<Value, string>;
  value: Value;
  set: (value: Value) => void;
  fixed: boolean;
}

const Select = <Value extends string>({ label, values, value, set, fixed }: SelectProps<Value>) => (
  <label class="field">
    <span>{label}</span>
    <select class="in" value={value} disabled={fixed} onChange={(event) => set(event.currentTarget.value as Value)}>
      {Object.entries(values).map(([name, words]) => (
        <option key={name} value={name}>
          {words as string}
        </option>
      ))}
    </select>
  </label>
);

type Known = { rule: NoticeRuleRowFragment | undefined };

/** The fields of a condition. */
function Watched({ condition, rule }: Known & { condition: NoticeCondition }) {
  const { data } = useQuery(Teams, {});
  const [member, label, values, usual] = CHOICES[condition] ?? ["", "", {}, []];
  const stored = readOwn<unknown>(rule && { ...rule }, member);
  const chosen: readonly string[] = Array.isArray(stored) ? stored : usual;
  const unit = THRESHOLDS[condition];
  return (
    <>
      {member && (
        <fieldset class="stack" key={member}>
          <legend>{label}</legend>
          {Object.entries(values).map(([value, words]) => (
            <label key={value} class="row inline">
              <input type="checkbox" name={member} value={value} defaultChecked={chosen.includes(value)} /> {words}
            </label>
          ))}
        </fieldset>
      )}
      {unit && <NumberField label={unit} name="threshold" value={rule?.threshold} />}
      {condition === "toolFailureRate" && (
        <>
          <NumberField label="Of so many calls at least" name="minimumCalls" value={rule?.minimumCalls ?? 20} />
          <Field label="Only of the tool" name="tool" value={rule?.tool} />
        </>
      )}
      {(condition === "issueState" || condition === "leaseExpired") && data && (
        <label class="field">
          <span>Only of the team</span>
          <select class="in" name="teamId" defaultValue={rule?.team?.id ?? ""}>
            <option value="">All teams</option>
            {data.teams.nodes.map(({ id, name }) => (
              <option key={id} value={id} selected={id === rule?.team?.id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

/** The fields of a channel. An address that may hold a secret is never shown again: left empty, it stays. */
function Target({ channel, rule }: Known & { channel: NoticeChannel }) {
  if (channel === "email")
    return (
      <Field
        label="E-mail addresses, with commas between; yours without any"
        name="emails"
        value={rule?.emails.join(", ")}
      />
    );
  const kept = rule ? ", kept unless filled in" : "";
  return (
    <>
      <Field label={`Address${rule?.targetHost ? ` at ${rule.targetHost}` : ""}${kept}`} name="url" required={!rule} />
      {channel !== "slack" && (
        <Field
          label={`${channel === "ntfy" ? "Access token" : "Signing secret; the receiver needs it too"}${kept}`}
          name="secret"
          value={channel === "webhook" && !rule ? newSecret() : ""}
        />
      )}
    </>
  );
}

/** A secret as Standard Webhooks signs with. */
const newSecret = (): string => `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;

const NumberField = ({ label, name, value }: { label: string; name: string; value: number | null | undefined }) => (
  <label class="field">
    <span>{label}</span>
    <input class="in" type="number" name={name} min={0} step="any" required defaultValue={value ?? ""} />
  </label>
);

const Time = ({ label, name, value }: { label: string; name: string; value: string | null | undefined }) => (
  <label class="field">
    <span>{label}</span>
    <input class="in" type="time" name={name} defaultValue={value ?? ""} />
  </label>
);

/** The members that a condition and a channel take, as the fields have them. */
function inputOf(
  fields: FormData,
  condition: NoticeCondition,
  channel: NoticeChannel,
  isNew: boolean,
): NoticeRuleUpdateInput {
  const several = CHOICES[condition]?.[0];
  const emails = (textOf(fields, "emails") ?? "").split(/[\s,;]+/).filter(Boolean);
  const [url, secret] = [textOf(fields, "url"), textOf(fields, "secret")];
  return {
    name: textOf(fields, "name"),
    includeText: fields.has("includeText"),
    quietFrom: textOf(fields, "quietFrom"),
    quietTo: textOf(fields, "quietTo"),
    timeZone: textOf(fields, "timeZone"),
    ...(several && { [several]: fields.getAll(several).map(String) }),
    ...(fields.has("threshold") && { threshold: Number(fields.get("threshold")) }),
    ...(fields.has("minimumCalls") && {
      minimumCalls: Number(fields.get("minimumCalls")),
      tool: textOf(fields, "tool"),
    }),
    ...(fields.has("teamId") && { teamId: textOf(fields, "teamId") }),
    ...(channel === "email" && (emails.length > 0 || !isNew) && { emails }),
    ...(url && { url }),
    ...(secret && { secret }),
  };
}
