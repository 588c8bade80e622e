import { Redaction, type RedactionQuery, UpdateOrganization } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { OwnerSettingsForm, SettingCheckbox } from "./owners-form.tsx";
import { isCurrentUserOwner, SettingsPageHeader } from "./parts.tsx";

type Switches = RedactionQuery["organization"];

/** Settings that decide which secrets Trackway redacts before storing. Only owners can change the settings. */
export function RedactionSettings() {
  const { data, error, reload } = useQuery(Redaction, {});
  return (
    <>
      <SettingsPageHeader title="Redaction">
        Trackway redacts secrets in recorded events, and in text that apps write, before storing. A change applies to
        data that arrives later.
      </SettingsPageHeader>
      {!isCurrentUserOwner() && <p class="note">Only owners of the organization can change these settings.</p>}
      <LoadedContent data={data?.organization} error={error} retry={reload} lines={4}>
        {(switches) => <SwitchesForm {...switches} />}
      </LoadedContent>
    </>
  );
}

const SWITCHES = [
  ["redactionEnabled", "Redact secrets", "When redaction is off, event content is stored as sent."],
  ["redactionEntropy", "Random-looking values", "Redact values next to names that suggest a secret."],
  ["redactionPersonalData", "Personal data", "Redact email addresses, telephone numbers, IBANs and card numbers."],
] as const;

function SwitchesForm(switches: Switches) {
  const save = (form: FormData) => {
    const input = Object.fromEntries(SWITCHES.map(([name]) => [name, form.has(name)]));
    const redactionPatterns = patternsOf(String(form.get("patterns") ?? ""));
    return requestGraphQL(UpdateOrganization, { input: { ...input, redactionPatterns } });
  };
  return (
    <OwnerSettingsForm legend="Redaction" save={save}>
      {SWITCHES.map(([name, label, hint]) => (
        <SettingCheckbox key={name} name={name} on={switches[name]} label={label} hint={hint} />
      ))}
      <label class="field full">
        <span>Custom patterns</span>
        <textarea
          class="in mono"
          name="patterns"
          rows={6}
          spellcheck={false}
          placeholder={"customer-number C-\\d{4}-\\d{4}"}
          defaultValue={linesOf(switches)}
        />
      </label>
      <p class="hint">One pattern per line: name, space, regular expression. All members can read the patterns.</p>
    </OwnerSettingsForm>
  );
}

const linesOf = ({ redactionPatterns }: Switches): string =>
  redactionPatterns.map(({ name, pattern }) => `${name} ${pattern}`).join("\n");

/** Parses redaction patterns, one per line. A name contains no spaces; a pattern may contain spaces. */
const patternsOf = (lines: string) =>
  lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", pattern = ""] = /^\s*(\S*) ?(.*)$/.exec(line) ?? [];
      return { name, pattern: pattern.replace(/\r$/, "") };
    });
