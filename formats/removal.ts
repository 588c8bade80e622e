/** Items that a command is about to remove: the number, and the output lines of the first and the last item. */
export interface RemovalSummary {
  count: number;
  noun: string;
  first: string;
  last: string;
  /** Verb for the removal, which the user also types as confirmation. Default "delete". */
  verb?: string;
}

/** Lines that a destructive command shows before the confirmation. */
export const formatRemoval = ({ count, noun, first, last, verb = "delete" }: RemovalSummary): string[] => [
  `${count} ${noun}${count === 1 ? "" : "s"} to ${verb}.`,
  ...(count > 0 ? [`first: ${first}`] : []),
  ...(count > 1 ? [`last: ${last}`] : []),
];

/** Question that asks the user to type the confirmation word. */
export const formatRemovalQuestion = ({ count, verb = "delete" }: RemovalSummary): string =>
  `Type ${verb} to ${verb} ${count === 1 ? "it" : `all ${count}`}.`;

export const isConfirmation = (typed: string | undefined, { verb = "delete" }: RemovalSummary): boolean =>
  typed?.trim() === verb;
