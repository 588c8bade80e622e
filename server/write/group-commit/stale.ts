/** Whether a transaction failed because what was cached is out of date: then PostgreSQL divided by zero. */
export const isStale = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "22012";
