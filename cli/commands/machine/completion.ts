import { Argument, Command, type Option } from "commander";
import { printLines, quoteForShell } from "../../output/print.ts";

/** An option for shell completion. */
interface Flag {
  flags: string[];
  description: string;
  /** True if the option takes a value. `choices` lists the accepted values, and is empty if any value is accepted. */
  takesValue: boolean;
  choices: readonly string[];
  /** True if the value is a path. */
  takesFile: boolean;
}

/** A command for shell completion. */
interface Words {
  name: string;
  description: string;
  flags: Flag[];
  /** Accepted values of the first argument; empty if any value is accepted. */
  choices: readonly string[];
  /** True if an argument is a path. */
  takesFile: boolean;
}

/** Returns every command with its options and choices. */
const wordsOf = (program: Command): Words[] =>
  program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    flags: [...optionsOf(command).map(flagOf), HELP],
    choices: choicesOf(command),
    takesFile: command.registeredArguments.some((argument) => argument.name() === "file"),
  }));

/**
 * Returns the options of a command. For a command that only has subcommands, returns the options of the subcommands
 * without repetitions.
 */
function optionsOf({ options, registeredArguments, commands }: Command): readonly Option[] {
  if (registeredArguments.length > 0) return options;
  const all = [...options, ...commands.flatMap((command) => command.options)];
  return [...new Map(all.map((option) => [option.long, option])).values()];
}

/** Returns the choices of the first argument and the names of the subcommands. */
function choicesOf({ registeredArguments: [first], commands }: Command): readonly string[] {
  if (first && !first.argChoices) return [];
  return [...(first?.argChoices ?? []), ...commands.map((command) => command.name())];
}

const HELP: Flag = {
  flags: ["--help"],
  description: "show the help of the command",
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

/** Builds the completion script for bash. */
const bashScript = (
  commands: readonly Words[],
): string => `# trackway completion for bash. In ~/.bashrc: eval "$(trackway completion bash)"
_trackway() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(({ name }) => name).join(" ")} --help --version"
  else
    case "$command $before" in
${commands.flatMap(valueCases).join("\n")}
    *)
      case "$command" in
${commands.map(wordCase).join("\n")}
      esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _trackway trackway
`;

/**
 * Builds the bash cases that complete the value of an option. A case contains the accepted values. If any text is
 * accepted, the list is empty and bash completes file names.
 */
const valueCases = ({ name, flags }: Words): string[] =>
  flags
    .filter(({ takesValue }) => takesValue)
    .map(({ flags: all, choices }) => {
      const patterns = all.map((flag) => `"${name} ${flag}"`).join("|");
      return `    ${patterns}) words="${choices.join(" ")}" ;;`;
    });

const wordCase = ({ name, flags, choices }: Words): string =>
  `      ${name}) words="${[...choices, ...flags.flatMap(({ flags: all }) => all)].join(" ")}" ;;`;

/** Builds the completion script for zsh. */
const zshScript = (commands: readonly Words[]): string => `#compdef trackway
# trackway completion for zsh. In ~/.zshrc, after compinit: eval "$(trackway completion zsh)"
_trackway() {
  local -a commands
  if (( CURRENT == 2 )); then
    commands=(
${commands.map(({ name, description }) => `      ${quoteForShell(`${name}:${description}`)}`).join("\n")}
    )
    _describe -t commands 'command' commands
    return
  fi
  local command=\${words[2]}
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(caseOf).join("\n")}
  esac
}
compdef _trackway trackway
`;

function caseOf({ name, flags, choices }: Words): string {
  const specs = flags.flatMap(({ flags: all, description, takesValue, choices: values }) =>
    all.map((flag) => {
      const value = takesValue ? `:value:${values.length > 0 ? `(${values.join(" ")})` : "_default"}` : "";
      return quoteForShell(`*${flag}[${description.replaceAll(/[[\]:]/g, "")}]${value}`);
    }),
  );
  const first = choices.length > 0 ? [quoteForShell(`1:argument:(${choices.join(" ")})`)] : [];
  return `  ${name}) _arguments ${[...specs, ...first, quoteForShell("*:argument:_default")].join(" ")} ;;`;
}

const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Builds the completion script for fish. */
const fishScript = (
  commands: readonly Words[],
): string => `# trackway completion for fish. In ~/.config/fish/config.fish: trackway completion fish | source
complete -c trackway -f
${commands.flatMap(linesOf).join("\n")}
`;

function linesOf({ name, description, flags, choices, takesFile }: Words): string[] {
  const inside = `-n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
  return [
    `complete -c trackway -n __fish_use_subcommand -a ${name} -d ${quote(description)}`,
    ...(takesFile ? [`complete -c trackway ${inside} -F`] : []),
    ...(choices.length > 0 ? [`complete -c trackway ${inside} -a ${quote(choices.join(" "))}`] : []),
    ...flags.map(({ flags: all, description: text, takesValue, choices: values, takesFile: isFile }) =>
      [
        `complete -c trackway ${inside}`,
        ...all.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)),
        `-d ${quote(text)}`,
        ...(takesValue ? [isFile ? "-r -F" : "-x"] : []),
        ...(values.length > 0 ? [`-a ${quote(values.join(" "))}`] : []),
      ].join(" "),
    ),
  ];
}

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

const AFTER = `
Examples:
  eval "$(trackway completion bash)"      in ~/.bashrc
  eval "$(trackway completion zsh)"       in ~/.zshrc, after compinit
  trackway completion fish | source       in ~/.config/fish/config.fish
`;

/** `trackway completion`: prints a script that completes commands and options in a shell. */
export const createCompletionCommand = (): Command =>
  new Command("completion")
    .description("print a completion script for a shell")
    .addArgument(new Argument("<shell>", "name of the shell").choices(Object.keys(SCRIPTS)))
    .addHelpText("after", AFTER)
    .action((shell: keyof typeof SCRIPTS, _, command: Command) => {
      if (command.parent) printLines(SCRIPTS[shell](wordsOf(command.parent)).trimEnd());
    });
