import { useEffect } from "preact/hooks";
import { AnySession } from "../data/documents.ts";
import { useQuery } from "../data/query.ts";
import { LoadError } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";
import { navigate } from "../shell/router.ts";

/** Redirects to the sessions, or to the connect page if no session exists. */
export default function HomePage() {
  const { data, error, reload } = useQuery(AnySession, {});
  useEffect(() => {
    if (data) navigate(data.recordedSessions.nodes.length > 0 ? "/sessions" : "/connect", { replace: true });
  }, [data]);
  return <Page title="">{error && <LoadError words={error.message} retry={reload} />}</Page>;
}
