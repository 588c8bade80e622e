import type { Command, Option } from "commander";

/** An option as a shell completes it. */
interface Flag {
  flags: string[];
  description: string;
  /** True if a value follows, and which there are where only some will do. */
  takesValue: boolean;
  choices: readonly string[];
  /** True if the value is the path of a file. */
  takesFile: boolean;
}

/** A command as a shell completes it. */
export interface Words {
  name: string;
  description: string;
  flags: Flag[];
  /** The choices of its first argument, where only some will do. */
  choices: readonly string[];
  /** True if an argument is the path of a file. */
  takesFile: boolean;
}

/** The completions: every command with its options, and the values that are known. */
export const wordsOf = (program: Command): Words[] =>
  program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    flags: [...optionsOf(command).map(flagOf), HELP],
    choices: choicesOf(command),
    takesFile: command.registeredArguments.some((argument) => argument.name() === "file"),
  }));

/** Its options; of one that only has commands below it, theirs, each once. */
function optionsOf({ options, registeredArguments, commands }: Command): readonly Option[] {
  if (registeredArguments.length > 0) return options;
  const all = [...options, ...commands.flatMap((command) => command.options)];
  return [...new Map(all.map((option) => [option.long, option])).values()];
}

/** The choices of its first argument, and the commands below it beside them. */
function choicesOf({ registeredArguments: [first], commands }: Command): readonly string[] {
  if (first && !first.argChoices) return [];
  return [...(first?.argChoices ?? []), ...commands.map((command) => command.name())];
}

const HELP: Flag = {
  flags: ["--help"],
  description: "say how it is used",
  takesValue: false,
  choices: [],
  takesFile: false,
};

const flagOf = ({ flags, short, long, description, required, optional, argChoices }: Option): Flag => ({
  flags: [long, short].filter((flag) => flag !== undefined),
  description,
  takesValue: required || optional,
  choices: argChoices ?? [],
  takesFile: flags.endsWith("<file>"),
});
