import { IssuePage } from "./issue.tsx";

/** Page for `/issues/ENG-1`. Users type this URL, and links in text use this URL. */
export default function IssueByIdentifierPage({ params: { identifier = "" } }: { params: Record<string, string> }) {
  return <IssuePage key={identifier} identifier={identifier} />;
}
