// GraphiQL with a field for the credential. The key stays in this tab: it goes with every request and nowhere else.
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

/** The page's own `?schema=linear` goes along, and the explorer shows Linear's names too. */
const shown = new URLSearchParams(location.search).get("schema");
const ENDPOINT = shown ? `/graphql?schema=${encodeURIComponent(shown)}` : "/graphql";

/** A raw personal key goes as it is, an access token as a bearer. */
const authorization = (key) => (key.startsWith("trk_api_") || /^bearer /i.test(key) ? key : `Bearer ${key}`);

async function send(query, key) {
  const headers = { "Content-Type": "application/json", ...(key && { Authorization: authorization(key) }) };
  const response = await fetch(ENDPOINT, { method: "POST", headers, body: JSON.stringify(query) });
  return response.json();
}

async function show(key) {
  const { data, errors } = key ? await send({ query: "{ viewer { name } }" }, key) : {};
  who.textContent = data ? `Signed in as ${data.viewer.name}` : (errors?.[0].message ?? "");
  const options = {
    key: key ?? "",
    fetcher: (query) => send(query, key),
    defaultQuery: FIRST_QUERY,
    isHeadersEditorEnabled: false,
    // Without a credential there is no schema to be had.
    ...(data ? {} : { schema: null }),
  };
  root.render(React.createElement(GraphiQL, options));
}

document.getElementById("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, field.value.trim());
  void show(field.value.trim());
});

field.value = sessionStorage.getItem(KEY) ?? "";
void show(field.value);
