import { quoted } from "../output/safe.ts";
import type { Words } from "./words.ts";

/** A completion script for zsh. */
export const zshScript = (commands: readonly Words[]): string => `#compdef trackway
# trackway completion for zsh. In ~/.zshrc, after compinit: eval "$(trackway completion zsh)"
_trackway() {
  local -a commands
  if (( CURRENT == 2 )); then
    commands=(
${commands.map(({ name, description }) => `      ${quoted(`${name}:${description}`)}`).join("\n")}
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
      return quoted(`*${flag}[${description.replaceAll(/[[\]:]/g, "")}]${value}`);
    }),
  );
  const first = choices.length > 0 ? [quoted(`1:argument:(${choices.join(" ")})`)] : [];
  return `  ${name}) _arguments ${[...specs, ...first, quoted("*:argument:_default")].join(" ")} ;;`;
}
