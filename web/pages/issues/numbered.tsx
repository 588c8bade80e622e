import { IssuePage } from "./issue.tsx";

/** Page for `/issues/ENG-1`, the address that users type and that links in text use. */
export default function IssueByIdentifierPage({ params: { identifier = "" } }: { params: Record<string, string> }) {
  return <IssuePage key={identifier} identifier={identifier} />;
}
