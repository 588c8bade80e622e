import { formatRemoval, formatRemovalQuestion, isConfirmation, type Removal } from "../formats/removal.ts";
import { EXIT, Failure } from "./failure.ts";
import { printToStderr } from "./output/print.ts";
import { askLine, isInteractive } from "./prompt.ts";

/** @throws Failure if nobody can confirm a removal; thrown before any request to the server */
export function checkConfirmable(yes: boolean | undefined): void {
  if (!yes && !isInteractive())
    throw new Failure("This command asks a question, and there is no terminal for the answer.", {
      exit: EXIT.usage,
      cure: "--yes",
    });
}

/**
 * Shows what a command will remove. At a terminal, the user must type a word. Without a terminal, --yes confirms.
 * @throws Failure if the user does not confirm
 */
export async function confirmRemoval(removal: Removal, yes: boolean | undefined): Promise<void> {
  for (const line of formatRemoval(removal)) printToStderr(line);
  if (yes) return;
  const typed = await askLine(formatRemovalQuestion(removal), "--yes");
  if (!isConfirmation(typed, removal)) throw new Failure("Stopped. Nothing was deleted.");
}
