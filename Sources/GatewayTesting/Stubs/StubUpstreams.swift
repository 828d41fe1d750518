import Locking

/// The upstreams of a gateway under test, by name: one declaration for sockets and for virtual time.
///
///     let upstreams = StubUpstreams()
///     upstreams["diary"].on(.get, "/weights/{date}", query: ["half": "am"]).answer(json: "[]")
///     upstreams["orders"].on(.post, "/orders", json: ["item": 12]).answer(json: ["id": 1], status: .created)
///     upstreams["diary"].on(.get, "/total").answer(.hangs)
///
/// A call that matches no stub gets a 501, and `withGateway` throws `UnmatchedCalls`, which names the call
/// and what each stub missed. The same holds for an upstream without stubs.
public final class StubUpstreams: Sendable, ExpressibleByDictionaryLiteral {
    private let byName: Lock<[String: StubUpstream]>
    private let own = Lock<Set<String>>([])

    /// Creates an empty set.
    public init() {
        byName = Lock([:])
    }

    /// Creates a set of existing stubs: `["diary": StubUpstream { request in ... }]`.
    public init(dictionaryLiteral stubs: (String, StubUpstream)...) {
        byName = Lock(Dictionary(stubs) { _, last in last })
    }

    /// The upstream with this name, created by its first use.
    public subscript(name: String) -> StubUpstream {
        byName.withLock { stubs in
            if let known = stubs[name] { return known }
            let stub = StubUpstream()
            stubs[name] = stub
            return stub
        }
    }

    /// The upstreams that have no stubs and are called at their targets' own addresses, on sockets: for a
    /// gateway that calls real servers or itself. Default none.
    public var unstubbed: Set<String> {
        get { own.withLock { $0 } }
        set { own.withLock { $0 = newValue } }
    }

    /// The requests of all upstreams so far, in the order of their arrival.
    public var requests: [StubUpstream.Request] {
        // One upstream may have several names.
        var seen: Set<ObjectIdentifier> = []
        return all.filter { seen.insert(ObjectIdentifier($0.stub)).inserted }.flatMap { $0.stub.requests }
            .sorted { $0.order < $1.order }
    }

    /// The upstreams used so far, by name.
    var all: [(name: String, stub: StubUpstream)] {
        byName.withLock { $0.sorted { $0.key < $1.key } }.map { (name: $0.key, stub: $0.value) }
    }
}
