import type { Words } from "./words.ts";

const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** A completion script for fish. */
export const fishScript = (
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
