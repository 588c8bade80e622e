import type { Command, Option } from "commander";

/** An option as a shell completes it. */
interface Flag {
  flags: string[];
  description: string;
  /** Whether a value follows, and which there are where only some will do. */
  takesValue: boolean;
  choices: readonly string[];
}

/** A command as a shell completes it. */
export interface Words {
  name: string;
  description: string;
  flags: Flag[];
  choices: readonly string[];
}

/** What there is to complete: every command with its options, and the values that are known. */
export const wordsOf = (program: Command): Words[] =>
  program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    flags: [...command.options.map(flagOf), HELP],
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }));

const HELP: Flag = { flags: ["--help"], description: "say how it is used", takesValue: false, choices: [] };

const flagOf = ({ short, long, description, required, optional, argChoices }: Option): Flag => ({
  flags: [long, short].filter((flag) => flag !== undefined),
  description,
  takesValue: required || optional,
  choices: argChoices ?? [],
});

/** A text between single quotes of a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
