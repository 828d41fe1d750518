import Dispatch
public import HTTPModel
import JSONBytes
import Networking
import Rx

/// One path and method, and what answers it.
final class Endpoint: Sendable {
    enum Handler: Sendable {
        case sync(@Sendable (GatewayRequest) throws -> Answer)
        case async(@Sendable (GatewayRequest) async throws -> Answer)
        case single(@Sendable (GatewayRequest) throws -> Single<Answer>)
    }

    let method: HTTPMethod
    let template: PathTemplate
    let parameterNames: [String]
    let handler: Handler
    let settings: EndpointSettings
    let deadlineSeconds: Double
    let deadlineInterval: RxTimeInterval
    /// All fields of a client's request that may go to an upstream.
    let forwarded: [HTTPFieldName]

    init(method: HTTPMethod, template: PathTemplate, handler: Handler, settings: EndpointSettings) {
        self.method = method
        self.template = template
        parameterNames = template.parameterNames
        self.handler = handler
        self.settings = settings
        deadlineSeconds = settings.deadline / .seconds(1)
        deadlineInterval = settings.deadline.timeInterval
        forwarded =
            settings.forwards + (settings.authorizationUpstreams.isEmpty ? [] : [.authorization])
            + (settings.cookieUpstreams.isEmpty ? [] : [.cookie])
    }
}

/// What an endpoint does in its own way.
struct EndpointSettings: Sendable {
    var deadline: Duration
    var bodyLimit: Int
    var json: JSONLimits
    var forwards: [HTTPFieldName] = []
    /// The upstreams that the client's `Authorization` goes to, and those for its `Cookie`.
    var authorizationUpstreams: [String] = []
    var cookieUpstreams: [String] = []
    var revealsUpstreamMessages = false

    /// Why the options cannot hold, whatever the upstreams are.
    var fault: String? {
        if forwards.contains(.authorization) || forwards.contains(.cookie) {
            return "forwards credentials to every upstream; "
                + "use forwardsAuthorization(to:) or forwardsCookies(to:)"
        }
        return nil
    }
}

/// A setting of one endpoint, beside its path:
///
///     gateway.get("/api/me", .deadline(.seconds(3)), .forwardsAuthorization(to: "users")) { request in ... }
public struct EndpointOption: Sendable {
    let apply: @Sendable (inout EndpointSettings) -> Void

    /// From the request's start to its answer; parts unfinished by then are `deadline_exceeded`.
    public static func deadline(_ duration: Duration) -> EndpointOption {
        EndpointOption { $0.deadline = duration }
    }

    /// Bytes of the request body; a longer one is 413.
    public static func bodyLimit(_ bytes: Int) -> EndpointOption {
        EndpointOption { $0.bodyLimit = bytes }
    }

    /// Fields of the client's request that go with every upstream call of this endpoint. By default none does.
    public static func forwards(_ names: HTTPFieldName...) -> EndpointOption {
        EndpointOption { $0.forwards += names }
    }

    /// Sends the client's `Authorization` to these upstreams, by name, and to no other. Their 401 and 403 reach the
    /// client, whether it sent an `Authorization` or not. A name that no `provider(_:upstream:)` of the gateway has
    /// is a declaration fault.
    public static func forwardsAuthorization(to upstreams: String...) -> EndpointOption {
        EndpointOption { $0.authorizationUpstreams += upstreams }
    }

    /// Sends the client's `Cookie` to these upstreams, by name, and to no other. A name that no
    /// `provider(_:upstream:)` of the gateway has is a declaration fault.
    public static func forwardsCookies(to upstreams: String...) -> EndpointOption {
        EndpointOption { $0.cookieUpstreams += upstreams }
    }

    /// Shows the client what an upstream says in the `message` of its error envelope. By default nothing of an
    /// upstream's text is shown.
    public static var revealsUpstreamMessages: EndpointOption {
        EndpointOption { $0.revealsUpstreamMessages = true }
    }
}

extension EndpointSettings {
    /// The upstreams that get credentials but are not among `known`: the field that each would get, and its name.
    func unknownUpstreams(known: [String]) -> [(field: HTTPFieldName, upstream: String)] {
        let listed =
            authorizationUpstreams.map { (field: HTTPFieldName.authorization, upstream: $0) }
            + cookieUpstreams.map { (field: HTTPFieldName.cookie, upstream: $0) }
        return listed.filter { !known.contains($0.upstream) }
    }
}

extension Duration {
    /// What a scheduler takes; a duration beyond 292 years is held to that.
    fileprivate var timeInterval: RxTimeInterval {
        .nanoseconds(Int(nanoseconds))
    }
}
