// The reference page reads the public OpenAPI document, and sends requests only to this server.
window.SwaggerUIBundle({
  url: "/api/openapi.json",
  dom_id: "#reference",
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
