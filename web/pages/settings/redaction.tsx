import { Redaction, type RedactionQuery, UpdateOrganization } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { OwnersForm, Switch } from "./owners-form.tsx";
import { Intro, isOwner } from "./parts.tsx";

type Switches = RedactionQuery["organization"];

/** The secrets that are taken out of texts before they are stored; owners change which. */
export function RedactionPart() {
  const { data, error, reload } = useQuery(Redaction, {});
  return (
    <>
      <Intro title="Redaction">
        Secrets are taken out of what is recorded, and of what programs write, before it is stored. A change counts for
        what comes after it.
      </Intro>
      {!isOwner() && <p class="note">Only owners of the organization change this.</p>}
      <Loaded data={data?.organization} error={error} retry={reload} lines={4}>
        {(switches) => <SwitchesForm {...switches} />}
      </Loaded>
    </>
  );
}

const SWITCHES = [
  ["redactionEnabled", "Take out secrets", "Off, texts are stored as they are sent."],
  ["redactionEntropy", "Random values beside telling names", "Whatever their spelling."],
  ["redactionPersonalData", "Personal data", "E-mail addresses, telephone numbers, IBANs and card numbers."],
] as const;

function SwitchesForm(switches: Switches) {
  const save = (form: FormData) => {
    const input = Object.fromEntries(SWITCHES.map(([name]) => [name, form.has(name)]));
    const redactionPatterns = patternsOf(String(form.get("patterns") ?? ""));
    return request(UpdateOrganization, { input: { ...input, redactionPatterns } });
  };
  return (
    <OwnersForm legend="Redaction" save={save}>
      {SWITCHES.map(([name, label, hint]) => (
        <Switch key={name} name={name} on={switches[name]} label={label} hint={hint} />
      ))}
      <label class="field full">
        <span>Own patterns</span>
        <textarea
          class="in mono"
          name="patterns"
          rows={6}
          spellcheck={false}
          placeholder={"customer-number C-\\d{4}-\\d{4}"}
          defaultValue={linesOf(switches)}
        />
      </label>
      <p class="hint">One a line: its name, a blank, and the pattern. Every member can read them.</p>
    </OwnersForm>
  );
}

const linesOf = ({ redactionPatterns }: Switches): string =>
  redactionPatterns.map(({ name, pattern }) => `${name} ${pattern}`).join("\n");

/** A pattern may hold blanks; its name may not. */
const patternsOf = (lines: string) =>
  lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", pattern = ""] = /^\s*(\S*) ?(.*)$/.exec(line) ?? [];
      return { name, pattern: pattern.replace(/\r$/, "") };
    });
