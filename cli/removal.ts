import { formatRemoval, formatRemovalQuestion, isConfirmation, type RemovalSummary } from "../formats/removal.ts";
import { CommandFailure, EXIT_CODES } from "./failure.ts";
import { printToStderr } from "./output/print.ts";
import { askLine, isInteractive } from "./prompt.ts";

/**
 * Called before a command sends any request. @throws CommandFailure if --yes is missing and there is no terminal in which the
 * user can confirm the removal
 */
export function assertConfirmationPossible(yes: boolean | undefined): void {
  if (!yes && !isInteractive())
    throw new CommandFailure("This command asks a question, but there is no terminal for the answer.", {
      exit: EXIT_CODES.usage,
      cure: "--yes",
    });
}

/**
 * Shows what a command will remove. At a terminal, the user must type a word. Without a terminal, --yes confirms.
 * @throws CommandFailure if the user does not confirm
 */
export async function confirmRemoval(removal: RemovalSummary, yes: boolean | undefined): Promise<void> {
  for (const line of formatRemoval(removal)) printToStderr(line);
  if (yes) return;
  const typed = await askLine(formatRemovalQuestion(removal), "--yes");
  if (!isConfirmation(typed, removal)) throw new CommandFailure("Stopped. Nothing was deleted.");
}
