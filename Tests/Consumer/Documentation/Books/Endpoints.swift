import Sluice

/// Declares all endpoints. Each request needs one of the keys.
func declareEndpoints(on gateway: Gateway, keys: Set<String>) {
    gateway.before { request in
        guard let key = request.header("X-API-Key"), keys.contains(key) else {
            throw GatewayError.unauthorized("The API key is missing or unknown", challenge: "APIKey")
        }
    }
    gateway.group("/api") { api in
        declareBook(on: api)
    }
}
