import { NAME } from "../documents/names.ts";
import { ToolError } from "../errors.ts";
import type { Graphql } from "../graphql.ts";
import type { Named, NamesFound, TeamWithStates } from "./look-up.ts";
import { type Candidate, pick } from "./pick.ts";

interface Choices {
  choices: { nodes: { key?: string; name?: string | null; email?: string; number?: number }[] };
}

/** Turns what `lookUp` found into single things, with the choices when a name is unknown or fits several. */
export function chooser(graphql: Graphql, named: Named, found: NamesFound) {
  const choices = (document: string) => async () =>
    (await graphql<Choices>(document)).choices.nodes.map(({ key, name, email, number }) =>
      key ? `${key} (${name})` : number !== undefined ? String(number) : email ? `${name} (${email})` : String(name),
    );
  const ask = <Found extends Candidate>(kind: keyof Named, document: string, candidates: Found[]) =>
    pick({ kind, text: String(named[kind]), choices: choices(document) }, candidates);
  return {
    team: () =>
      ask(
        "team",
        NAME.teams,
        (found.namedTeams?.nodes ?? []).map((team) => ({ ...team, names: [team.key, team.name] })),
      ),
    user: () => ask("user", NAME.users, (found.namedUsers?.nodes ?? []).map(namedUser(named.user))),
    project: () =>
      ask(
        "project",
        NAME.projects,
        (found.namedProjects?.nodes ?? []).map((it) => ({ ...it, names: [it.slugId, it.name] })),
      ),
    cycle: (teamId?: string) => ask("cycle", NAME.cycles, cyclesOf(found, named.cycle, teamId)),
    labels: (teamId: string | undefined, texts: string[]) => Promise.all(texts.map((text) => label(text, teamId))),
    state: (team: TeamWithStates | undefined) => chooseState(named.state ?? "", team),
  };

  async function label(text: string, teamId: string | undefined) {
    const usable = (found.namedLabels?.nodes ?? []).filter(({ team }) => !teamId || !team || team.id === teamId);
    const own = usable.filter(({ team, name }) => team && name.toLowerCase() === text.toLowerCase());
    const candidates = (own.length > 0 && teamId ? own : usable).map((it) => ({ ...it, names: [it.name] }));
    return pick({ kind: "label", text, choices: choices(NAME.labels) }, candidates);
  }
}

/** `me` was already answered by the filter. */
function namedUser(text: string | undefined) {
  return (user: { id: string; name: string; displayName: string; email: string }) => ({
    ...user,
    names: [user.email, user.displayName, user.name, ...(text === "me" ? ["me"] : [])],
  });
}

function cyclesOf(found: NamesFound, text: string | undefined, teamId: string | undefined) {
  return (found.namedCycles?.nodes ?? [])
    .filter(({ team }) => !teamId || team.id === teamId)
    .map((cycle) => ({
      ...cycle,
      names: [String(cycle.number), cycle.name ?? "", ...(text === "current" ? ["current"] : [])],
    }));
}

/** A state of the team by name, else by type when only one has that type. */
async function chooseState(text: string, team: TeamWithStates | undefined) {
  const states = (team?.states?.nodes ?? []).toSorted((a, b) => a.position - b.position);
  const candidates = states.map((state) => ({ ...state, names: [state.name, state.type] }));
  const wanted = text.toLowerCase();
  if (candidates.some(({ id, names }) => id === wanted || names.some((name) => name.toLowerCase() === wanted))) {
    return pick({ kind: "state", text, choices: async () => [] }, candidates);
  }
  const known = states.map(({ name }) => name).join(", ");
  throw new ToolError(`Team ${team?.key ?? ""} has no state "${text}". Call again with one of: ${known}.`);
}
