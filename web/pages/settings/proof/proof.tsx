import { useState } from "preact/hooks";
import { TeamProofs, type TeamProofsQuery, UpdateTeam } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import { useQuery } from "../../../data/query.ts";
import { Loaded } from "../../../parts/lists/loaded.tsx";
import { Empty } from "../../../parts/states.tsx";
import { place, setSearch } from "../../../shell/router.ts";
import { OwnersForm, Switch } from "../owners-form.tsx";
import { Intro, isOwner } from "../parts.tsx";
import { Commands, withTyped } from "./commands.tsx";
import { Verdicts } from "./verdicts.tsx";

type Team = TeamProofsQuery["teams"]["nodes"][number];

/** The record that a team demands before its issues count as proven; owners change it. */
export function ProofPart() {
  const { data, error, reload } = useQuery(TeamProofs, {});
  return (
    <>
      <Intro title="Proof">
        What has to be recorded before a completed issue counts as verified. Only the record counts, not what an agent
        says.
      </Intro>
      {!isOwner() && <p class="note">Only owners of the organization change this.</p>}
      <Loaded data={data?.teams.nodes} error={error} retry={reload} lines={4}>
        {(teams) => <OneTeam teams={teams} saved={reload} />}
      </Loaded>
    </>
  );
}

function OneTeam({ teams, saved }: { teams: readonly Team[]; saved: () => Promise<void> }) {
  const key = place.value.search.get("team");
  const team = teams.find((one) => one.key === key) ?? teams[0];
  if (!team) return <Empty icon="users" title="No teams yet" />;
  return (
    <div class="card proof-card stack">
      <div class="row">
        <select
          class="in"
          aria-label="Team"
          value={team.key}
          onChange={(event) => setSearch({ team: event.currentTarget.value })}
        >
          {teams.map(({ id, key, name }) => (
            <option key={id} value={key}>
              {name}
            </option>
          ))}
        </select>
        <span class="mid">After the last change, all of these ended with exit code 0:</span>
      </div>
      <ProofForm key={team.id} team={team} saved={saved} />
      <Verdicts key={team.id} team={team} />
    </div>
  );
}

const SWITCHES = [
  ["commit", "A commit after the last change", ""],
  ["push", "A push after the last commit", ""],
  ["required", "Refuse without proof", "Off, an issue is completed and its verdict shown. A person may go past it."],
] as const;

function ProofForm({ team: { id, proof }, saved }: { team: Team; saved: () => Promise<void> }) {
  const [commands, setCommands] = useState(Array.isArray(proof?.["commands"]) ? proof["commands"].map(String) : []);
  const [typed, type] = useState<string>();
  const save = (form: FormData) => {
    const all = withTyped(commands, typed);
    setCommands(all);
    type(undefined);
    return request(UpdateTeam, { id, input: { proof: proofOf(all, form) } }).then(saved);
  };
  return (
    <OwnersForm legend="Proof" save={save}>
      <Commands commands={commands} change={setCommands} typed={typed} type={type} />
      <p class="hint">Each is a program with its arguments, 10 at most.</p>
      {SWITCHES.map(([name, label, hint]) => (
        <Switch key={name} name={name} on={proof?.[name] === true} label={label} hint={hint} />
      ))}
    </OwnersForm>
  );
}

/** The demands as the fields have them; null for none. */
function proofOf(commands: readonly string[], form: FormData) {
  const proof = { commands, commit: form.has("commit"), push: form.has("push"), required: form.has("required") };
  return commands.length > 0 || proof.commit || proof.push ? proof : null;
}
