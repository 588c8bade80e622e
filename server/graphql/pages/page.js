// GraphiQL with a field for the credential. The page keeps the key in the browser tab and sends the key only with
// requests to the Trackway server.
/* global GraphiQL, React, ReactDOM */
const KEY = "trackway.key";

const FIRST_QUERY = `# Sign in above, then run this. Ctrl-Space completes, the book on the left shows the schema.
{
  viewer {
    name
    organization {
      name
    }
  }
  issues(first: 10, filter: { state: { type: { neq: "completed" } } }) {
    nodes {
      identifier
      title
      state {
        name
      }
    }
  }
}
`;

const root = ReactDOM.createRoot(document.getElementById("graphiql"));
const field = document.getElementById("key");
const who = document.getElementById("who");

/** The page passes its own `?schema=linear` on to the endpoint, so that the explorer also shows Linear's names. */
const shown = new URLSearchParams(location.search).get("schema");
const ENDPOINT = shown ? `/graphql?schema=${encodeURIComponent(shown)}` : "/graphql";

/** A personal key is sent unchanged; an access token is sent as a bearer token. */
const authorization = (key) => (key.startsWith("trk_api_") || /^bearer /i.test(key) ? key : `Bearer ${key}`);

async function send(query, key) {
  const headers = { "Content-Type": "application/json", ...(key && { Authorization: authorization(key) }) };
  const response = await fetch(ENDPOINT, { method: "POST", headers, body: JSON.stringify(query) });
  return response.json();
}

/** Counts the submitted keys, so that the response to an earlier key does not replace the response to a later key. */
let uses = 0;

async function show(key) {
  uses += 1;
  const use = uses;
  const { data, errors } = key ? await send({ query: "{ viewer { name } }" }, key) : {};
  if (use !== uses) return;
  const options = {
    key: key ?? "",
    fetcher: (query) => send(query, key),
    defaultQuery: FIRST_QUERY,
    isHeadersEditorEnabled: false,
    // The server shows no schema without a credential.
    ...(data ? {} : { schema: null }),
  };
  // Without flushSync, React would replace GraphiQL later, and a query would be sent without the key that "Signed in"
  // shows.
  ReactDOM.flushSync(() => root.render(React.createElement(GraphiQL, options)));
  who.textContent = data ? `Signed in as ${data.viewer.name}` : (errors?.[0].message ?? "");
}

document.getElementById("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, field.value.trim());
  void show(field.value.trim());
});

field.value = sessionStorage.getItem(KEY) ?? "";
void show(field.value);
