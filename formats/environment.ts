/**
 * Rule for reading a variable:
 * - `plain`: `readVariables` removes surrounding spaces and quotes (Docker's `--env-file` passes quotes on).
 * - `path`, `url`: `readVariables` refuses quoted values, because removing quotes could select another folder or change
 *   a password.
 * - `exact`: a secret or a pattern, kept byte for byte.
 */
export type VariableKind = "plain" | "path" | "url" | "exact";

/**
 * Error for a variable that cannot be used. The message names the variable and the fix, and never contains the value.
 */
export class InvalidVariableError extends Error {}

const QUOTED = /^(["'])(.*)\1$/s;

/**
 * Reads environment variables. An empty variable counts as unset. Variables without a kind are returned unchanged.
 * @throws InvalidVariableError
 */
export function readVariables(
  env: NodeJS.ProcessEnv,
  kindOf: (name: string) => VariableKind | undefined,
): Record<string, string> {
  const read = Object.entries(env).map(([name, value = ""]) => [name, readValue(name, value, kindOf(name))] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== ""));
}

function readValue(name: string, value: string, kind: VariableKind | undefined): string {
  const trimmed = value.trim();
  const [, , inner] = QUOTED.exec(trimmed) ?? [];
  // A value of only spaces is a mistake. The value stays unchanged, so that the program that reads the variable can
  // report the mistake.
  if (kind === undefined || kind === "exact" || trimmed === "") return value;
  if (kind === "plain") return inner === undefined ? trimmed : inner.trim();
  if (inner !== undefined)
    throw new InvalidVariableError(`${name}: the value is in quotes; remove the quotes${FOLDER[kind]}`);
  if (kind === "path" && trimmed !== value)
    throw new InvalidVariableError(`${name}: the value begins or ends with a space; remove the space${FOLDER.path}`);
  return trimmed;
}

const FOLDER = {
  path: ", or write ./ before a name that has them",
  url: " (Docker's --env-file passes quotes on)",
};
