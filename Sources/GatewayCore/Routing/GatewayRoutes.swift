import EndpointPlans
import HTTPModel

/// The endpoints of a gateway by method and path, made from its declarations.
struct GatewayRoutes: Sendable {
    private(set) var router = Router<EndpointMatch>()
    /// For requests that no endpoint takes; nil if the gateway answers all of them itself.
    private(set) var unmatched: UnmatchedRoutes?
    /// The largest body limit, in bytes.
    private(set) var largestBody: Int
    /// The endpoints, and one more for unmatched requests.
    private(set) var count = 0
    /// The methods and path templates of the endpoints.
    private(set) var endpoints: [(method: HTTPMethod, route: String)] = []
    /// What is wrong with the declarations.
    private(set) var faults: [String] = []
    /// The endpoints that forward credentials.
    private(set) var credentialEndpoints: [(name: String, settings: EndpointSettings)] = []
    /// The settings of requests that reach no endpoint.
    let gatewaySettings: EndpointSettings

    private let services: EndpointServices

    init(
        _ declarations: [EndpointDeclaration], _ scopes: [RouteScope], _ limits: GatewayLimits,
        _ services: EndpointServices, _ passed: [(path: String, fields: [HTTPFieldName])],
        _ directory: inout AccessDirectory
    ) {
        self.services = services
        largestBody = limits.requestBody
        gatewaySettings = Self.settings(limits, scopes.first)
        var endpoints: [Endpoint] = []
        for declaration in declarations {
            guard let endpoint = endpoint(declaration, number: endpoints.count, limits, &directory) else {
                continue
            }
            if router.add(declaration.method, endpoint.template, EndpointMatch(endpoint)) {
                endpoints.append(endpoint)
            } else {
                faults.append(
                    declaration.place.map { "\($0): error: \(declaration.name) is declared in Swift, too" }
                        ?? "\(declaration.name) is declared twice")
            }
        }
        let groups = scopes.compactMap { group($0, number: endpoints.count, limits) }
        // The server buffers no streamed body.
        for endpoint in endpoints + groups where !endpoint.settings.streamsBody {
            largestBody = max(largestBody, endpoint.settings.bodyLimit)
        }
        unmatched = UnmatchedRoutes(
            groups, endpoints: endpoints, number: endpoints.count,
            gatewayFormat: gatewaySettings.format)
        self.endpoints = endpoints.map { ($0.method, $0.template.text) }
        directory.endpointsAreKnown(endpoints, proxies: passed)
        count = endpoints.count + (unmatched == nil ? 0 : 1)
    }

    private mutating func endpoint(
        _ declaration: EndpointDeclaration, number: Int, _ limits: GatewayLimits,
        _ directory: inout AccessDirectory
    ) -> Endpoint? {
        var settings = Self.settings(limits, declaration.scope)
        for option in declaration.options { option.apply(&settings) }
        if let fault = settings.fault { faults.append("\(declaration.name) \(fault)") }
        if !settings.authorizationUpstreams.isEmpty || !settings.cookieUpstreams.isEmpty {
            credentialEndpoints.append((declaration.name, settings))
        }
        settings.access = directory.plan(of: declaration.name, declaration.method, settings)
        return template(declaration.path).map {
            Endpoint(
                number: number, method: declaration.method, template: $0, handler: declaration.handler,
                settings: settings, scope: declaration.scope, services: services)
        }
    }

    /// Makes the endpoint for the requests in a group that none of its endpoints takes.
    private mutating func group(_ scope: RouteScope, number: Int, _ limits: GatewayLimits) -> Endpoint? {
        guard let template = template(scope.prefix.isEmpty ? "/" : scope.prefix) else { return nil }
        if template.endsInRest {
            faults.append("the group \(scope.prefix) ends in the rest of a path, so it has no endpoints")
            return nil
        }
        let settings = Self.settings(limits, scope)
        // Endpoints of the group may have another format, which its other paths have not.
        if let fault = settings.format?.fault {
            faults.append((scope.parent == nil ? "the gateway " : "the group \(scope.prefix) ") + fault)
        }
        return Endpoint(
            number: number, method: .get, template: template, handler: .none, settings: settings,
            scope: scope, services: services)
    }

    private mutating func template(_ path: String) -> PathTemplate? {
        do {
            return try PathTemplate(path)
        } catch {
            let fault = "the path \(path) \(error)"
            if !faults.contains(fault) { faults.append(fault) }
            return nil
        }
    }

    private static func settings(_ limits: GatewayLimits, _ scope: RouteScope?) -> EndpointSettings {
        var settings = EndpointSettings(
            deadline: limits.deadline, bodyLimit: limits.requestBody, json: limits.json,
            streamGap: limits.streamGap)
        scope?.apply(to: &settings)
        return settings
    }
}
