import { readVariables, VariableFault, type VariableKind } from "../formats/environment.ts";
import { readOwn } from "../formats/own.ts";
import { EXIT, Failure } from "./failure.ts";

/**
 * Environment variables of the command line, without the folders of other programs. The kind of an editor is `exact`,
 * because an editor is a shell command.
 */
const KINDS = new Map<string, VariableKind>([
  ...["TRACKWAY_URL", "TRACKWAY_TEAM", "TRACKWAY_SESSION"].map((name) => [name, "plain"] as const),
  ...["TRACKWAY_API_KEY", "TRACKWAY_INGEST_KEY", "TRACKWAY_PASSWORD"].map((name) => [name, "exact"] as const),
  ...["VISUAL", "EDITOR", "BROWSER"].map((name) => [name, "exact"] as const),
]);

/**
 * Normalizes the environment variables of this process, so that every part of a command reads the same value. Deletes empty
 * variables.
 * @throws Failure that names the variable
 */
export function normalizeEnvironment(env: NodeJS.ProcessEnv): void {
  const variables = variablesOf(env);
  for (const [name, kind] of KINDS) {
    const value = readOwn(variables, name);
    if (value === undefined || (kind === "plain" && value.trim() === "")) delete env[name];
    else env[name] = value;
  }
}

function variablesOf(env: NodeJS.ProcessEnv): Record<string, string> {
  try {
    return readVariables(env, (name) => KINDS.get(name));
  } catch (error) {
    if (error instanceof VariableFault) throw new Failure(error.message, { exit: EXIT.usage });
    throw error;
  }
}
