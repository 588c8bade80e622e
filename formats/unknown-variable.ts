/**
 * Variables that the CLI and the MCP server read. The server's environment may contain these variables, because the
 * same environment may start several programs.
 */
const OF_OUR_PROGRAMS = [
  ...["URL", "API_KEY", "INGEST_KEY", "PASSWORD", "TEAM", "SESSION"].map((name) => `TRACKWAY_${name}`),
  ...["HOST", "ALLOWED_HOSTS", "ALLOWED_ORIGINS"].map((name) => `MCP_${name}`),
];

/** Variables of other programs that differ from Trackway's variables by one or two letters. */
const OF_OTHERS = new Set(["LOGLEVEL", "APP_PUBLIC_URL", "DATABASE_SSL"]);

/** Matches the variables that container platforms set for each other service. */
const OF_A_SERVICE = /_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/;

/**
 * Minimum length of a name that is compared with unknown variables. Shorter names often resemble variables of other
 * programs.
 */
const TELLING = 9;
/**
 * Minimum length of a name whose first letter may differ. In shorter names, a different first letter means a different
 * word.
 */
const LONG = 12;

/**
 * Returns a message for a variable that no program reads. The name of the variable must have the prefix TRACKWAY_, or
 * resemble a known variable that is not set.
 * @param ours every variable that the server reads
 */
export function explainUnknownVariable(set: NodeJS.ProcessEnv, ours: readonly string[]): string | undefined {
  const known = new Set([...ours, ...OF_OUR_PROGRAMS, ...OF_OTHERS]);
  const given = new Map(Object.entries(set));
  const missing = ours.filter((own) => given.get(own) === undefined && own.length >= TELLING && own.includes("_"));
  for (const name of Object.keys(set)) {
    if (known.has(name) || OF_A_SERVICE.test(name)) continue;
    if (/^TRACKWAY_/i.test(name)) return `${name}: there is no such variable; docs/operations.md lists them`;
    const meant = missing.find((own) => isSlipOf(own, name.toUpperCase()));
    if (meant) return `${name}: there is no such variable; is ${meant} meant? docs/operations.md lists them all`;
  }
  return undefined;
}

/** Returns true if one name is the beginning of the other, or if the names differ by at most two letters. */
function isSlipOf(own: string, name: string): boolean {
  if (name.startsWith(`${own}_`) || (own.startsWith(`${name}_`) && name.includes("_"))) return true;
  return (own.length >= LONG || name[0] === own[0]) && isNear(name, own, 2);
}

/** Returns true if two texts differ by at most `most` inserted, removed or replaced letters. */
function isNear(one: string, other: string, most: number): boolean {
  if (Math.abs(one.length - other.length) > most) return false;
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (before[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (before[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    before = next;
  }
  return (before[other.length] ?? most + 1) <= most;
}
