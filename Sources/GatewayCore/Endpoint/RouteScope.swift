import Locking

/// The path prefix, options and middleware that a gateway or group gives its endpoints.
///
/// Endpoints look them up when the responder is made, so the order of the declarations does not matter.
final class RouteScope: Sendable {
    private struct State {
        var options: [EndpointOption] = []
        var before: [BeforeMiddleware] = []
        var after: [AfterMiddleware] = []
    }

    /// Nil for the gateway itself.
    let parent: RouteScope?
    /// The beginning of all paths in the scope; empty for the gateway itself.
    let prefix: String
    private let state = Lock(State())

    init(in parent: RouteScope? = nil, prefix: String = "") {
        self.parent = parent
        self.prefix = (parent?.prefix ?? "") + prefix
    }

    func add(_ options: [EndpointOption]) { state.withLock { $0.options += options } }
    func add(_ middleware: BeforeMiddleware) { state.withLock { $0.before.append(middleware) } }
    func add(_ middleware: @escaping AfterMiddleware) { state.withLock { $0.after.append(middleware) } }

    /// Releases the options and middleware, also of the scopes around this one.
    func release() {
        // Released outside the lock.
        let old = state.withLock { state in
            defer { state = State() }
            return state
        }
        withExtendedLifetime(old) {}
        parent?.release()
    }

    /// From the outermost scope to this one, in the order of the declarations.
    var before: [BeforeMiddleware] { (parent?.before ?? []) + state.withLock { $0.before } }

    /// From this scope to the outermost one, in the order of the declarations.
    var after: [AfterMiddleware] { state.withLock { $0.after } + (parent?.after ?? []) }

    /// Applies the options, beginning with the outermost scope.
    func apply(to settings: inout EndpointSettings) {
        parent?.apply(to: &settings)
        for option in state.withLock({ $0.options }) { option.apply(&settings) }
    }
}
