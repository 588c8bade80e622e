// The reference reads the same document that programs read, and sends requests to this server alone.
window.SwaggerUIBundle({
  url: "/api/openapi.json",
  dom_id: "#reference",
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
