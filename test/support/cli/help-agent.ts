import type { Shell } from "./cli.ts";
import type { Ran } from "./cli-run.ts";

/** One way to call the program, as its help describes it. */
interface Way {
  command: string;
  /** The arguments that have to follow: `issue`, `text`. */
  places: string[];
  /** An option, with what its value is to be. */
  flag?: { name: string; value: string | undefined };
  /** Everything that the help says of it. */
  says: string;
}

/** An agent's knowledge of the program: its help, and nothing else. */
export interface Manual {
  ways: Way[];
  /** Exit codes by their meaning in words. */
  exits: Map<string, number>;
  /** The form of an issue's identifier, by the example in the help. */
  identifier: RegExp;
}

/** Entries of one part of a help text: the term, and what is said of it. */
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

/** Reads the help of the program, and of each command that it names. */
export async function readManual(shell: Shell): Promise<Manual> {
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

/** The intent of an agent, in words, and the values that it has for it, by their names in the help. */
export interface Goal {
  words: string;
  have: Record<string, string>;
  /** Its values for options. */
  option?: Record<string, string>;
}

const stems = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z]{3,}/g) ?? []).map((word) => word.replace(/(ing|ed|s)$/, "").slice(0, 5));

/** The share of a goal's words in the help of a way, less its other words. */
function overlap(words: string, says: string): number {
  const [wanted, said] = [new Set(stems(words)), new Set(stems(says))];
  return [...wanted].filter((word) => said.has(word)).length / Math.sqrt(wanted.size * said.size);
}

/** The command line that the help suggests for a goal: of all for which everything is at hand, the one that fits best. */
function commandFor({ ways }: Manual, { words, have, option = {} }: Goal): string[] {
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

/** An agent that goes by the manual alone, and keeps what it did. */
export function agentBy(manual: Manual, shell: Shell) {
  const did: string[][] = [];
  const pursue = async (goal: Goal): Promise<Ran> => {
    const args = commandFor(manual, goal);
    did.push(args);
    return shell.run(args);
  };
  return { did, pursue };
}
