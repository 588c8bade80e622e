import type { Words } from "./words.ts";

/** A completion script for bash. */
export const bashScript = (
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

/** The completions of an option: its values, or a file where any text will do. */
const valueCases = ({ name, flags }: Words): string[] =>
  flags
    .filter(({ takesValue }) => takesValue)
    .map(({ flags: all, choices }) => {
      const patterns = all.map((flag) => `"${name} ${flag}"`).join("|");
      return `    ${patterns}) words="${choices.join(" ")}" ;;`;
    });

const wordCase = ({ name, flags, choices }: Words): string =>
  `      ${name}) words="${[...choices, ...flags.flatMap(({ flags: all }) => all)].join(" ")}" ;;`;
