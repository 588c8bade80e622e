import type { ComponentChildren } from "preact";
import { LoadError, LoadingPlaceholder } from "../states.tsx";

interface LoadedProps<Data> {
  data: Data | undefined;
  error?: Error | undefined;
  retry: () => void;
  /** Number of placeholder lines. */
  lines?: number;
  children: (data: Data) => ComponentChildren;
}

/** Content for the data. Before the response, a placeholder; after an error, a message with a retry button. */
export function LoadedContent<Data>({ data, error, retry, lines = 8, children }: LoadedProps<Data>) {
  if (data !== undefined) return <>{children(data)}</>;
  return error ? <LoadError words={error.message} retry={retry} /> : <LoadingPlaceholder lines={lines} />;
}
