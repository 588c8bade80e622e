import type { Write } from "../core/write.ts";
import { forbidden } from "../errors.ts";

/** @throws forbidden for members who are not owners. */
export function requireOwner({ scope }: Write): void {
  if (scope.role !== "owner") throw forbidden("only owners of the organization may do this");
}
