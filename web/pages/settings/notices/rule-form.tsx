import { useState } from "preact/hooks";
import { getOwnProperty } from "../../../../formats/own.ts";
import {
  CreateNoticeRule,
  type NoticeChannel,
  type NoticeCondition,
  type NoticeRuleRowFragment,
  type NoticeRuleUpdateInput,
  Teams,
  UpdateNoticeRule,
} from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import { useQuery } from "../../../data/query.ts";
import { FormDialog, readFormText, TextField } from "../../projects/form.tsx";
import { CHANNEL_LABELS, CONDITION_LABELS, CONDITION_VALUE_OPTIONS, THRESHOLD_UNIT_LABELS } from "./words.ts";

interface RuleFormProps {
  /** Rule to edit; undefined for a new rule. */
  rule: NoticeRuleRowFragment | undefined;
  close: () => void;
  saved: () => Promise<void>;
}

/** Dialog that creates or changes a rule. The condition and the channel of a rule cannot change later. */
export function NoticeRuleForm({ rule, close, saved }: RuleFormProps) {
  const [condition, setCondition] = useState<NoticeCondition>(rule?.condition ?? "sessionState");
  const [channel, setChannel] = useState<NoticeChannel>(rule?.channel ?? "email");
  const send = async (fields: FormData) => {
    const input = inputOf(fields, condition, channel, !rule);
    if (rule) await requestGraphQL(UpdateNoticeRule, { id: rule.id, input });
    else
      await requestGraphQL(CreateNoticeRule, {
        input: { ...input, name: readFormText(fields, "name") ?? "", condition, channel },
      });
    await saved();
  };
  return (
    <FormDialog
      title={rule ? "Edit rule" : "New rule"}
      action={rule ? "Save" : "Create rule"}
      send={send}
      close={close}
    >
      <TextField label="Name" name="name" value={rule?.name} required />
      <Select label="When" values={CONDITION_LABELS} value={condition} set={setCondition} fixed={Boolean(rule)} />
      <Watched condition={condition} rule={rule} />
      <Select label="Channel" values={CHANNEL_LABELS} value={channel} set={setChannel} fixed={Boolean(rule)} />
      <Target channel={channel} rule={rule} />
      <label class="row inline">
        <input type="checkbox" name="includeText" defaultChecked={rule?.includeText} /> Include recorded content in
        notices
      </label>
      <div class="row">
        <Time label="Quiet hours from" name="quietFrom" value={rule?.quietFrom} />
        <Time label="to" name="quietTo" value={rule?.quietTo} />
      </div>
      <TextField
        label="Time zone of quiet hours"
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

/** Fields of a condition. */
function Watched({ condition, rule }: Known & { condition: NoticeCondition }) {
  const { data } = useQuery(Teams, {});
  const [member, label, values, usual] = CONDITION_VALUE_OPTIONS[condition] ?? ["", "", {}, []];
  const stored = getOwnProperty<unknown>(rule && { ...rule }, member);
  const chosen: readonly string[] = Array.isArray(stored) ? stored : usual;
  const unit = THRESHOLD_UNIT_LABELS[condition];
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
          <NumberField label="Minimum number of calls" name="minimumCalls" value={rule?.minimumCalls ?? 20} />
          <TextField label="Only for the tool" name="tool" value={rule?.tool} />
        </>
      )}
      {(condition === "issueState" || condition === "leaseExpired") && data && (
        <label class="field">
          <span>Only for the team</span>
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

/**
 * Fields of a channel. The form never shows a stored URL or secret again, because a URL may contain a secret. If the
 * user leaves such a field empty, the stored value stays.
 */
function Target({ channel, rule }: Known & { channel: NoticeChannel }) {
  if (channel === "email")
    return (
      <TextField
        label="Email addresses, separated by commas. If empty, Trackway uses your own address."
        name="emails"
        value={rule?.emails.join(", ")}
      />
    );
  const kept = rule ? ", unchanged if empty" : "";
  return (
    <>
      <TextField label={`URL${rule?.targetHost ? ` at ${rule.targetHost}` : ""}${kept}`} name="url" required={!rule} />
      {channel !== "slack" && (
        <TextField
          label={`${channel === "ntfy" ? "Access token" : "Signing secret, also needed by the receiver"}${kept}`}
          name="secret"
          value={channel === "webhook" && !rule ? newSecret() : ""}
        />
      )}
    </>
  );
}

/** Creates a secret in the format of Standard Webhooks. */
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

/** Builds the input of the mutation from the fields that the condition and the channel use. */
function inputOf(
  fields: FormData,
  condition: NoticeCondition,
  channel: NoticeChannel,
  isNew: boolean,
): NoticeRuleUpdateInput {
  const several = CONDITION_VALUE_OPTIONS[condition]?.[0];
  const emails = (readFormText(fields, "emails") ?? "").split(/[\s,;]+/).filter(Boolean);
  const [url, secret] = [readFormText(fields, "url"), readFormText(fields, "secret")];
  return {
    name: readFormText(fields, "name"),
    includeText: fields.has("includeText"),
    quietFrom: readFormText(fields, "quietFrom"),
    quietTo: readFormText(fields, "quietTo"),
    timeZone: readFormText(fields, "timeZone"),
    ...(several && { [several]: fields.getAll(several).map(String) }),
    ...(fields.has("threshold") && { threshold: Number(fields.get("threshold")) }),
    ...(fields.has("minimumCalls") && {
      minimumCalls: Number(fields.get("minimumCalls")),
      tool: readFormText(fields, "tool"),
    }),
    ...(fields.has("teamId") && { teamId: readFormText(fields, "teamId") }),
    ...(channel === "email" && (emails.length > 0 || !isNew) && { emails }),
    ...(url && { url }),
    ...(secret && { secret }),
  };
}
