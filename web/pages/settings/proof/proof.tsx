import { useState } from "preact/hooks";
import { TeamProofs, type TeamProofsQuery, UpdateTeam } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import { useQuery } from "../../../data/query.ts";
import { LoadedContent } from "../../../parts/lists/loaded.tsx";
import { EmptyState } from "../../../parts/states.tsx";
import { appLocation, setSearchParameters } from "../../../shell/router.ts";
import { OwnerSettingsForm, SettingCheckbox } from "../owners-form.tsx";
import { isCurrentUserOwner, SettingsPageHeader } from "../parts.tsx";
import { addTypedCommand, ProofCommands } from "./commands.tsx";
import { TeamVerdicts } from "./verdicts.tsx";

type Team = TeamProofsQuery["teams"]["nodes"][number];

/**
 * Settings for the proof that each team requires before a completed issue counts as verified. Only owners can change
 * the settings.
 */
export function ProofSettings() {
  const { data, error, reload } = useQuery(TeamProofs, {});
  return (
    <>
      <SettingsPageHeader title="Proof">
        Choose what recorded sessions must contain before a completed issue counts as verified. Trackway checks the
        recorded events, not what an agent claims.
      </SettingsPageHeader>
      {!isCurrentUserOwner() && <p class="note">Only owners of the organization can change these settings.</p>}
      <LoadedContent data={data?.teams.nodes} error={error} retry={reload} lines={4}>
        {(teams) => <OneTeam teams={teams} saved={reload} />}
      </LoadedContent>
    </>
  );
}

function OneTeam({ teams, saved }: { teams: readonly Team[]; saved: () => Promise<void> }) {
  const key = appLocation.value.search.get("team");
  const team = teams.find((one) => one.key === key) ?? teams[0];
  if (!team) return <EmptyState icon="users" title="No teams yet" />;
  return (
    <div class="card proof-card stack">
      <div class="row">
        <select
          class="in"
          aria-label="Team"
          value={team.key}
          onChange={(event) => setSearchParameters({ team: event.currentTarget.value })}
        >
          {teams.map(({ id, key, name }) => (
            <option key={id} value={key}>
              {name}
            </option>
          ))}
        </select>
        <span class="mid">All of these commands must end with exit code 0 after the last change:</span>
      </div>
      <ProofForm key={team.id} team={team} saved={saved} />
      <TeamVerdicts key={team.id} team={team} />
    </div>
  );
}

const SWITCHES = [
  ["commit", "A commit after the last change", ""],
  ["push", "A push after the last commit", ""],
  [
    "required",
    "Refuse completion without proof",
    "If this rule is off, users can complete an issue without proof, and the issue shows the verdict. If this rule is on, only a user can override the refusal.",
  ],
] as const;

function ProofForm({ team: { id, proof }, saved }: { team: Team; saved: () => Promise<void> }) {
  const [commands, setCommands] = useState(Array.isArray(proof?.["commands"]) ? proof["commands"].map(String) : []);
  const [typed, type] = useState<string>();
  const save = (form: FormData) => {
    const all = addTypedCommand(commands, typed);
    setCommands(all);
    type(undefined);
    return requestGraphQL(UpdateTeam, { id, input: { proof: proofOf(all, form) } }).then(saved);
  };
  return (
    <OwnerSettingsForm legend="Proof" save={save}>
      <ProofCommands commands={commands} change={setCommands} typed={typed} type={type} />
      <p class="hint">Each command is a program with its arguments. The maximum is 10 commands.</p>
      {SWITCHES.map(([name, label, hint]) => (
        <SettingCheckbox key={name} name={name} on={proof?.[name] === true} label={label} hint={hint} />
      ))}
    </OwnerSettingsForm>
  );
}

/** Reads the requirements from the fields; null for none. */
function proofOf(commands: readonly string[], form: FormData) {
  const proof = { commands, commit: form.has("commit"), push: form.has("push"), required: form.has("required") };
  return commands.length > 0 || proof.commit || proof.push ? proof : null;
}
