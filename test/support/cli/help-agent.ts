import type { AgentShell } from "./cli.ts";
import type { CommandResult } from "./cli-run.ts";

/** Way to call the CLI, as the help describes it. */
interface Way {
  command: string;
  /** Required arguments: `issue`, `text`. */
  places: string[];
  /** Option with the placeholder of the value. */
  flag?: { name: string; value: string | undefined };
  /** Text of the help about this way. */
  says: string;
}

/** Everything that an agent learns about the CLI from the help. */
export interface CliManual {
  ways: Way[];
  /** Exit codes by the description in the help. */
  exits: Map<string, number>;
  /** Pattern of an issue's identifier, derived from the example in the help. */
  identifier: RegExp;
}

/** Returns the entries of one section of a help text: the term and the description. */
function entriesOf(help: string, heading: RegExp): { term: string; says: string }[] {
  const parts = help.split(/\n(?=\S[^\n]*:\n)/).filter((part) => heading.test(part.split("\n")[0] ?? ""));
  const lines = parts.flatMap((part) => part.replaceAll(/\n {20,}(?=\S)/g, " ").split("\n"));
  return lines.flatMap((line) => {
    const [, term, says] = /^ {2}(\S.*?) {2,}(\S.*)$/.exec(line) ?? [];
    return term && says ? [{ term, says }] : [];
  });
}

const placesIn = (text: string): string[] =>
  [...text.matchAll(/<([\w-]+)(?:\.{3})?>/g)].map(([, place]) => String(place));

/** Reads the help of the CLI and of each command that the help lists. */
export async function readManual(shell: AgentShell): Promise<CliManual> {
  const help = await shell.says("--help");
  const ways: Way[] = [];
  let identifier = /$^/;
  for (const { term, says } of entriesOf(help, /^(?!Options|Environment|An agent)/)) {
    const [command = ""] = term.split(" ");
    if (command === "help") continue;
    const own = await shell.says(command, "--help");
    const places = placesIn(own.split("\n")[0] ?? "");
    ways.push({ command, places, says });
    for (const option of entriesOf(own, /^Options:/)) {
      const name = /--[\w-]+/.exec(option.term)?.[0] ?? "";
      ways.push({ command, places, flag: { name, value: placesIn(option.term)[0] }, says: `${says} ${option.says}` });
    }
    const [, example] = /identifier such as (\w+-\d+)/.exec(own) ?? [];
    if (example) identifier = new RegExp(example.replace(/[A-Z]+/, "[A-Z]+").replace(/\d+/, "\\d+"));
  }
  const [, codes = ""] = /Exit codes: (.*)\./.exec(help) ?? [];
  const exits = codes.split(", ").map((code): [string, number] => [code.slice(2), Number(code[0])]);
  return { ways, exits: new Map(exits), identifier };
}

/** Intent of an agent in words, with values by their names in the help. */
export interface AgentGoal {
  words: string;
  have: Record<string, string>;
  /** Values for options. */
  option?: Record<string, string>;
}

const stems = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z]{3,}/g) ?? []).map((word) => word.replace(/(ing|ed|s)$/, "").slice(0, 5));

/**
 * Scores how well the help of a way matches the words of a goal: the share of matching words, less the share of other
 * words.
 */
function overlap(words: string, says: string): number {
  const [wanted, said] = [new Set(stems(words)), new Set(stems(says))];
  return [...wanted].filter((word) => said.has(word)).length / Math.sqrt(wanted.size * said.size);
}

/**
 * Picks the command line for a goal. Among the ways for which all arguments are available, the best match in the help
 * wins.
 */
function commandFor({ ways }: CliManual, { words, have, option = {} }: AgentGoal): string[] {
  const possible = ways.filter(
    ({ places, flag }) =>
      places.every((place) => place in have) &&
      (flag?.value === undefined || flag.value in option) &&
      (Object.keys(option).length === 0 || flag?.value !== undefined),
  );
  const [best] = possible.toSorted((one, other) => overlap(words, other.says) - overlap(words, one.says));
  if (!best) throw new Error(`the help suggests nothing for: ${words}`);
  const { command, places, flag } = best;
  const value = flag?.value === undefined ? [] : [String(option[flag.value])];
  return [command, ...places.map((place) => String(have[place])), ...(flag ? [flag.name, ...value] : [])];
}

/** Creates an agent that knows only the manual and records the commands that the agent ran. */
export function createManualAgent(manual: CliManual, shell: AgentShell) {
  const did: string[][] = [];
  const pursue = async (goal: AgentGoal): Promise<CommandResult> => {
    const args = commandFor(manual, goal);
    did.push(args);
    return shell.run(args);
  };
  return { did, pursue };
}
