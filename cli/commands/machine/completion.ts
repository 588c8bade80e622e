import { Argument, Command } from "commander";
import { bashScript } from "../../completion/bash.ts";
import { fishScript } from "../../completion/fish.ts";
import { wordsOf } from "../../completion/words.ts";
import { zshScript } from "../../completion/zsh.ts";
import { print } from "../../output/print.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

const AFTER = `
Examples:
  eval "$(trackway completion bash)"      in ~/.bashrc
  eval "$(trackway completion zsh)"       in ~/.zshrc, after compinit
  trackway completion fish | source       in ~/.config/fish/config.fish
`;

/** `trackway completion`: a script that completes commands and options in a shell. */
export const completionCommand = (): Command =>
  new Command("completion")
    .description("print a script that completes commands and options in a shell")
    .addArgument(new Argument("<shell>", "which").choices(Object.keys(SCRIPTS)))
    .addHelpText("after", AFTER)
    .action((shell: keyof typeof SCRIPTS, _, command: Command) => {
      if (command.parent) print(SCRIPTS[shell](wordsOf(command.parent)).trimEnd());
    });
