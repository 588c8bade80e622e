import { InvalidVariableError, readVariables, type VariableKind } from "../formats/environment.ts";
import { getOwnProperty } from "../formats/own.ts";
import { CommandFailure, EXIT_CODES } from "./failure.ts";

/**
 * The environment variables that the command line reads, with the rule for reading each. Variables that name the
 * folders of other programs are not included. Editor variables contain a shell command, so these variables are read
 * with the rule `exact`, which changes no character.
 */
const KINDS = new Map<string, VariableKind>([
  ...["TRACKWAY_URL", "TRACKWAY_TEAM", "TRACKWAY_SESSION"].map((name) => [name, "plain"] as const),
  ...["TRACKWAY_API_KEY", "TRACKWAY_INGEST_KEY", "TRACKWAY_PASSWORD"].map((name) => [name, "exact"] as const),
  ...["VISUAL", "EDITOR", "BROWSER"].map((name) => [name, "exact"] as const),
]);

/**
 * Normalizes the environment variables of this process, so that every part of a command reads the same value. Deletes empty
 * variables.
 * @throws CommandFailure that names the variable
 */
export function normalizeEnvironment(env: NodeJS.ProcessEnv): void {
  const variables = variablesOf(env);
  for (const [name, kind] of KINDS) {
    const value = getOwnProperty(variables, name);
    if (value === undefined || (kind === "plain" && value.trim() === "")) delete env[name];
    else env[name] = value;
  }
}

function variablesOf(env: NodeJS.ProcessEnv): Record<string, string> {
  try {
    return readVariables(env, (name) => KINDS.get(name));
  } catch (error) {
    if (error instanceof InvalidVariableError) throw new CommandFailure(error.message, { exit: EXIT_CODES.usage });
    throw error;
  }
}
