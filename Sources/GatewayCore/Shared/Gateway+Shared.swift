public import Rx

extension Gateway {
    /// The time of a load, unless the shared value has its own.
    package static let sharedLoadLimit = Duration.seconds(10)
    /// The most values with keys, unless the shared values have their own limit.
    package static let mostSharedValues = 1000

    /// Returns a value that all requests share, such as exchange rates. It is loaded when a request needs it,
    /// once for all that wait, and kept for a time.
    ///
    ///     let rates = gateway.shared("rates", for: .seconds(60)) {
    ///         bank.rx.request(.rates).fragment()
    ///     }
    ///     gateway.get("/rates") { _ in .parts(rates: rates) }
    ///
    /// The load belongs to no request: its calls carry no field, credential, id, trace or deadline of one,
    /// and a request that ends earlier does not end it. An old value is used while one load fetches a new
    /// one. A failure is not kept: all that wait get it, and the next request loads again. If there is an old
    /// value, the failure is logged instead, and the next load begins a second later at the earliest.
    ///
    /// Declare it next to the endpoints. In a handler it would be shared with nobody: its load fails, which
    /// is an incident. A reload of a file begins without values. A load that is still in progress when the
    /// gateway stops is cancelled before the hooks of `onStop` run. In tests in virtual time, the times are
    /// virtual.
    ///
    /// - Parameters:
    ///   - name: for messages. Each shared value has its own.
    ///   - lifetime: how long a value is used without another load.
    ///   - stale: for how much longer it is used while a new one is loaded, and if that fails. Default: as
    ///     long again. With `.zero`, requests wait for the new value.
    ///   - limit: the time of a load, after which it is cancelled and fails with `RxError.timeout`, a 504.
    ///     Default 10 s.
    ///   - load: loads the value. Runs on a loop, so it must not block: see `blocking(_:)`.
    public func shared<Value: Sendable>(
        _ name: String, for lifetime: Duration, stale: Duration? = nil, within limit: Duration? = nil,
        _ load: @escaping @Sendable () throws -> Single<Value>
    ) -> SharedValue<Value> {
        SharedValue(store: store(name, lifetime, stale, limit, 1) { _ in try await load().value })
    }

    /// Returns a value that all requests share, and that an `async` closure loads.
    ///
    ///     let rates = gateway.shared("rates", for: .seconds(60)) { try await bank.rates() }
    @_disfavoredOverload
    public func shared<Value: Sendable>(
        _ name: String, for lifetime: Duration, stale: Duration? = nil, within limit: Duration? = nil,
        _ load: @escaping @Sendable () async throws -> Value
    ) -> SharedValue<Value> {
        SharedValue(store: store(name, lifetime, stale, limit, 1) { _ in try await load() })
    }

    /// Returns values that all requests share, one for each key. Each is loaded, kept and forgotten as the
    /// value of `shared(_:for:stale:within:_:)`.
    ///
    ///     let products = gateway.shared("products", by: Int.self, for: .seconds(60)) { id in
    ///         catalog.rx.request(.product(id)).fragment()
    ///     }
    ///     gateway.get("/products/{id}") { request in
    ///         .parts(product: products.single(for: try request.path("id", as: Int.self)))
    ///     }
    ///
    /// What depends on the user needs the user in its key.
    ///
    /// - Parameters:
    ///   - name: for messages. Each shared value has its own.
    ///   - key: the type of the keys.
    ///   - lifetime: how long a value is used without another load.
    ///   - stale: for how much longer it is used while a new one is loaded, and if that fails. Default: as
    ///     long again.
    ///   - timeLimit: the time of a load. Default 10 s.
    ///   - limit: the most values, whatever their size. Beyond it, the values that were not asked for in the
    ///     longest time are forgotten. Also the most loads in progress: beyond it, other keys fail with 503
    ///     `OVERLOADED`. Default 1000.
    ///   - load: loads the value of a key. Runs on a loop, so it must not block: see `blocking(_:)`.
    public func shared<Key: Hashable & Sendable, Value: Sendable>(
        _ name: String, by key: Key.Type, for lifetime: Duration, stale: Duration? = nil,
        within timeLimit: Duration? = nil, limit: Int? = nil,
        _ load: @escaping @Sendable (Key) throws -> Single<Value>
    ) -> SharedValues<Key, Value> {
        let limit = limit ?? Self.mostSharedValues
        return SharedValues(
            store: store(name, lifetime, stale, timeLimit, limit) { key in try await load(key).value })
    }

    /// Returns values that all requests share, one for each key, and that an `async` closure loads.
    @_disfavoredOverload
    public func shared<Key: Hashable & Sendable, Value: Sendable>(
        _ name: String, by key: Key.Type, for lifetime: Duration, stale: Duration? = nil,
        within timeLimit: Duration? = nil, limit: Int? = nil,
        _ load: @escaping @Sendable (Key) async throws -> Value
    ) -> SharedValues<Key, Value> {
        SharedValues(store: store(name, lifetime, stale, timeLimit, limit ?? Self.mostSharedValues, load))
    }

    private func store<Key: Hashable & Sendable, Value: Sendable>(
        _ name: String, _ lifetime: Duration, _ stale: Duration?, _ timeLimit: Duration?, _ limit: Int,
        _ load: @escaping @Sendable (Key) async throws -> Value
    ) -> SharedValueStore<Key, Value> {
        let stale = stale ?? lifetime
        let timeLimit = timeLimit ?? Self.sharedLoadLimit
        let table = SharedTable<Key, Value>(lifetime: lifetime, stale: stale, limit: limit)
        guard !declarations.areClosed else {
            return SharedValueStore(name, table, in: environment, within: timeLimit) { _ in
                throw EndpointFault.late("the shared value \(name)")
            }
        }
        for (isWrong, fault) in [
            (lifetime <= .zero, "needs a time above zero"),
            (stale < .zero, "cannot be stale for less than zero"),
            (timeLimit <= .zero, "needs a limit above zero"), (limit < 1, "needs a limit of 1 value or more"),
            (!declarations.add(sharedName: name), "is declared twice: give each one a name of its own"),
        ] where isWrong {
            declarations.add(fault: "the shared value \(name) \(fault)")
        }
        return SharedValueStore(name, table, in: environment, within: timeLimit, load)
    }
}
