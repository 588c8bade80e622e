import type { ComponentChildren } from "preact";
import { Failure, Skeleton } from "../states.tsx";

interface LoadedProps<Data> {
  data: Data | undefined;
  error?: Error | undefined;
  retry: () => void;
  /** Lines that stand for what will be read. */
  lines?: number;
  children: (data: Data) => ComponentChildren;
}

/** The data; until then a placeholder, or the error with a way to try again. */
export function Loaded<Data>({ data, error, retry, lines = 8, children }: LoadedProps<Data>) {
  if (data !== undefined) return <>{children(data)}</>;
  return error ? <Failure words={error.message} retry={retry} /> : <Skeleton lines={lines} />;
}
