import { useEffect } from "preact/hooks";
import { AnySession } from "../data/documents.ts";
import { useQuery } from "../data/query.ts";
import { Failure } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";
import { navigate } from "../shell/router.ts";

/** Goes to the sessions, or while there are none to where the first one comes from. */
export default function Home() {
  const { data, error, reload } = useQuery(AnySession, {});
  useEffect(() => {
    if (data) navigate(data.recordedSessions.nodes.length > 0 ? "/sessions" : "/connect", { replace: true });
  }, [data]);
  return <Page title="">{error && <Failure words={error.message} retry={reload} />}</Page>;
}
