import { z } from "zod";
import { nonEmpty } from "../../results/format.ts";

/** A cycle as lists and writes answer it. */
export const cycleRow = z.object({
  number: z.number(),
  name: z.string().optional(),
  team: z.string(),
  starts: z.string(),
  ends: z.string(),
  current: z.boolean().optional(),
  progress: z.number().optional(),
});

/** A cycle as documents ask for it. */
export interface CycleNode {
  number: number;
  name: string | null;
  startsAt: string;
  endsAt: string;
  isActive: boolean;
  progress: number;
  team: { key: string };
}

/** The row of a cycle. */
export const toCycleRow = (node: CycleNode): z.input<typeof cycleRow> => ({
  number: node.number,
  name: nonEmpty(node.name),
  team: node.team.key,
  starts: node.startsAt.slice(0, 10),
  ends: node.endsAt.slice(0, 10),
  current: node.isActive || undefined,
  progress: node.progress > 0 ? Math.round(node.progress * 100) / 100 : undefined,
});
