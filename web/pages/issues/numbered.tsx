import { IssuePage } from "./issue.tsx";

/** Stands at `/issues/ENG-1`, which people write and texts link to. */
export default function Numbered({ params: { identifier = "" } }: { params: Record<string, string> }) {
  return <IssuePage key={identifier} identifier={identifier} />;
}
