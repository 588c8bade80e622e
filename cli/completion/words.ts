import type { Command, Option } from "commander";

/** An option as a shell completes it. */
interface Flag {
  flags: string[];
  description: string;
  /** Whether a value follows, and which there are where only some will do. */
  takesValue: boolean;
  choices: readonly string[];
  /** Whether the value is the path of a file. */
  takesFile: boolean;
}

/** A command as a shell completes it. */
export interface Words {
  name: string;
  description: string;
  flags: Flag[];
  /** What its first argument can be, where only some will do. */
  choices: readonly string[];
  /** Whether an argument is the path of a file. */
  takesFile: boolean;
}

/** What there is to complete: every command with its options, and the values that are known. */
export const wordsOf = (program: Command): Words[] =>
  program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    flags: [...command.options.map(flagOf), HELP],
    choices: command.registeredArguments[0]?.argChoices ?? [],
    takesFile: command.registeredArguments.some((argument) => argument.name() === "file"),
  }));

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

/** A text between single quotes of a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
