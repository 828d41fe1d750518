import Dispatch
import EndpointPlans
public import HTTPModel
import JSONBytes
import Networking
import Rx
import Synchronization

/// One path and method with its handler and settings.
final class Endpoint: Sendable {
    enum Handler: Sendable {
        case sync(@Sendable (GatewayRequest) throws -> Answer)
        case async(@Sendable (GatewayRequest) async throws -> Answer)
        case single(@Sendable (GatewayRequest) throws -> Single<Answer>)
        case planned(EndpointPlan)
        /// Never called: its requests have an `EndpointMatch.Substitute`.
        case none

        var isSync: Bool {
            switch self {
            case .sync, .planned, .none: true
            case .async, .single: false
            }
        }
    }

    /// The index among the gateway's endpoints, in the order of their declarations.
    let number: Int
    let method: HTTPMethod
    let template: PathTemplate
    let parameterNames: [String]
    let handler: Handler
    let settings: EndpointSettings
    /// Run before the handler, in order.
    let before: [BeforeMiddleware]
    /// Run once the answer is known, in order.
    let after: [AfterMiddleware]
    let deadlineSeconds: Double
    let deadlineInterval: RxTimeInterval
    /// All fields of a client's request that may be forwarded to an upstream.
    let forwarded: [HTTPFieldName]
    /// For calls of its requests.
    let origin: RequestOrigin
    let services: EndpointServices
    /// Nil where loops need not know whose tasks they run.
    let executors: (any NamedExecutors)?

    /// Requests in flight in the process. Counted only if `settings.concurrency` limits them.
    let requestsInFlight = Atomic(0)

    var hasMiddleware: Bool { !before.isEmpty || !after.isEmpty }

    init(
        number: Int, method: HTTPMethod, template: PathTemplate, handler: Handler, settings: EndpointSettings,
        scope: RouteScope, services: EndpointServices
    ) {
        self.services = services
        executors = services.executors?("\(method) \(template.text)")
        self.number = number
        self.method = method
        self.template = template
        before = scope.before
        after = scope.after
        parameterNames = template.parameterNames
        self.handler = handler
        self.settings = settings
        origin = RequestOrigin(
            endpoint: "\(method) \(template.text)", number: number, timeLimit: settings.deadline,
            noteMainQueue: services.noteMainQueue
        ) { requestID, fault in
            services.report(
                GatewayIncident(requestID: requestID, route: template.text, part: nil, error: fault))
        }
        deadlineSeconds = settings.deadline / .seconds(1)
        deadlineInterval = settings.deadline.timeInterval
        forwarded =
            settings.forwards + (settings.authorizationUpstreams.isEmpty ? [] : [.authorization])
            + (settings.cookieUpstreams.isEmpty ? [] : [.cookie])
    }
}

struct EndpointSettings: Sendable {
    var deadline: Duration
    var bodyLimit: Int
    /// Whether an option has set the limit of bodies.
    var hasOwnBodyLimit = false
    var streamsBody = false
    /// Nil for no limit but the fair share of a loop's requests.
    var concurrency: Int?
    var json: JSONLimits
    var streamGap: Duration
    var forwards: [HTTPFieldName] = []
    var authorizationUpstreams: [String] = []
    var cookieUpstreams: [String] = []
    /// Whether the endpoint's proxy passes the client's `Cookie` on.
    var passesCookie = false
    var revealsUpstreamMessages = false
    /// Whether a required part that fails ends the answer at once, and cancels the parts that have not ended.
    var stopsAtFailure = true
    /// Nil for an endpoint with a handler.
    var plan: EndpointPlan?
    var compresses = true
    /// From when on a request is slow; nil for the gateway's own time.
    var slow: Duration?
    /// Nil for Sluice's envelope.
    var format: EnvelopeFormat?
    /// Who may call; nil if no option has said so.
    var requirement: Requirement?
    /// The names of the limits on requests.
    var rateLimits: [String] = []
    /// Whether pages of other sites are kept from writing with cookies.
    var checksCSRF = true
    /// What the endpoint asks of its requests, made from the settings above; nil if it asks nothing.
    var access: AccessPlan?

    /// Why the settings are invalid regardless of the declared upstreams; nil if they are valid.
    var fault: String? {
        if forwards.contains(.authorization) || forwards.contains(.cookie) {
            return "forwards credentials to every upstream; "
                + "use forwardsAuthorization(to:) or forwardsCookies(to:)"
        }
        if let name = forwards.first(where: ClientForwarding.isField) {
            return "forwards \(name), \(ClientForwarding.fieldRule)"
        }
        if let name = forwards.first(where: \.describesBody) {
            return "forwards \(name), which describes the client's body; calls have bodies of their own"
        }
        if let slow, slow <= .zero { return "has slow \(slow), which is not more than 0" }
        if let concurrency, concurrency < 1 {
            return "has concurrency \(concurrency), which is not 1 or more"
        }
        return format?.fault
    }
}

/// A setting of one endpoint, given after its path:
///
///     gateway.get("/api/me", .deadline(.seconds(3)), .forwardsAuthorization(to: "users")) { request in ... }
public struct EndpointOption: Sendable {
    let apply: @Sendable (inout EndpointSettings) -> Void

    /// Limits the time from the request to its answer. Parts that have not ended by then fail with
    /// `deadline_exceeded`.
    public static func deadline(_ duration: Duration) -> EndpointOption {
        EndpointOption { $0.deadline = duration }
    }

    /// Limits the request body to this many bytes; a longer one is answered with 413.
    public static func bodyLimit(_ bytes: Int) -> EndpointOption {
        EndpointOption {
            $0.bodyLimit = bytes
            $0.hasOwnBodyLimit = true
        }
    }

    /// Limits the time that a streamed answer may wait for its next piece while the client is ready for it.
    public static func streamGap(_ duration: Duration) -> EndpointOption {
        EndpointOption { $0.streamGap = duration }
    }

    /// Whether answers may be compressed. Default true. Turn it off for an answer that contains both a secret
    /// and text that a stranger can choose, such as a search term: from the sizes of many answers the secret
    /// can be guessed (the attack BREACH).
    public static func compression(_ isOn: Bool) -> EndpointOption {
        EndpointOption { $0.compresses = isOn }
    }

    /// From when on a request is slow, from its head to its answer, or to the head of a streamed one. Slow
    /// requests are counted, logged with what they spent the time on, and kept for operators. Default
    /// `GatewayServerConfiguration.slow`.
    public static func slow(_ duration: Duration) -> EndpointOption {
        EndpointOption { $0.slow = duration }
    }

    /// Limits the requests in flight at this endpoint in the whole process. Requests beyond that are answered
    /// with 503 `OVERLOADED`. A request whose POST goes on after its end counts until that has ended.
    /// Default: no limit but the endpoint's fair share of `InboundLimits.requestsInFlight`.
    public static func concurrency(_ requests: Int) -> EndpointOption {
        EndpointOption { $0.concurrency = requests }
    }

    /// What the failure of a required part means for the parts that have not ended. Default `stop`.
    public static func onFailure(_ behavior: FailureBehavior) -> EndpointOption {
        EndpointOption { $0.stopsAtFailure = behavior == .stop }
    }

    /// Forwards these fields of the client's request with every upstream call. Default none. Those that
    /// describe the client's body, such as `Content-Type`, are a declaration fault, because calls have bodies
    /// of their own, and so are those that tell of a client, such as `X-Forwarded-For`, because only
    /// `GatewayEnvironment.forwardClient` sends them.
    public static func forwards(_ names: HTTPFieldName...) -> EndpointOption {
        EndpointOption { $0.forwards += names }
    }

    /// Forwards the client's `Authorization` to these upstreams only. Their 401 and 403 reach the client,
    /// even if it sent no `Authorization`. A target or an interceptor that sets its own replaces the
    /// client's. An upstream without a `provider(_:upstream:)` is a declaration fault.
    public static func forwardsAuthorization(to upstreams: String...) -> EndpointOption {
        EndpointOption { $0.authorizationUpstreams += upstreams }
    }

    /// Forwards the client's `Cookie` to these upstreams only. Their 401 and 403 reach the client, even if it
    /// sent no `Cookie`. Each must have a `provider(_:upstream:)`.
    public static func forwardsCookies(to upstreams: String...) -> EndpointOption {
        EndpointOption { $0.cookieUpstreams += upstreams }
    }

    /// Shows the client the `message` of an upstream's error envelope. By default the client
    /// sees no text from an upstream.
    public static var revealsUpstreamMessages: EndpointOption {
        EndpointOption { $0.revealsUpstreamMessages = true }
    }
}

/// What the failure of a required part means for the parts that have not ended.
public struct FailureBehavior: Sendable, Hashable {
    private let name: String

    /// The failure is the answer at once. Parts that have not ended are cancelled, and have the kind
    /// `cancelled` in `meta.parts`. A call in progress with a method that is not idempotent, such as POST,
    /// goes on to its end within its own time limits, but the answer does not wait for it. If the circuit of
    /// a required part's upstream is open, no part is sent.
    public static let stop = FailureBehavior(name: "stop")
    /// The answer waits until all parts have ended, and reports all failures.
    public static let wait = FailureBehavior(name: "wait")
}

extension EndpointSettings {
    /// Returns the upstreams that would get credentials but are not among `known`, each with the field it
    /// would get.
    func unknownUpstreams(known: [String]) -> [(field: HTTPFieldName, upstream: String)] {
        let listed =
            authorizationUpstreams.map { (field: HTTPFieldName.authorization, upstream: $0) }
            + cookieUpstreams.map { (field: HTTPFieldName.cookie, upstream: $0) }
        return listed.filter { !known.contains($0.upstream) }
    }
}

extension Duration {
    /// The duration for a scheduler, clamped to 292 years.
    fileprivate var timeInterval: RxTimeInterval { .nanoseconds(Int(nanoseconds)) }
}
