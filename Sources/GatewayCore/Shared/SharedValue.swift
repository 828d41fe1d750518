public import Rx

/// A value that requests share (`Gateway.shared(_:for:stale:within:_:)`). May be used on any thread.
public struct SharedValue<Value: Sendable>: Sendable {
    let store: SharedValueStore<OnlyKey, Value>

    /// The value at each subscription: the kept one, or else the result of the load in progress.
    ///
    /// Fails with the error of the load, with `RxError.timeout` if that takes too long, and with
    /// `GatewayError.overloaded` if too many values are being loaded. A subscriber that leaves, as at its
    /// request's deadline, does not end the load.
    public var single: Single<Value> { store.single(OnlyKey()) }

    /// Waits for the value. Throws what `single` fails with.
    public var value: Value {
        get async throws { try await single.value }
    }

    /// Forgets the value, after a write: the next request loads it again. Requests that wait for a load get
    /// its value, which is not kept. While 16 such loads go on, another one fails with
    /// `GatewayError.overloaded`.
    public func forget() { store.forget(OnlyKey()) }
}

/// The key of a single value.
struct OnlyKey: Hashable, Sendable {}

extension SharedValue: PartConvertible, FalliblePart where Value: JSONRepresentable {
    /// The part is the value.
    public func asPart() -> Part { single.asPart() }
}

/// Values that requests share, each with a key (`Gateway.shared(_:by:for:stale:within:limit:_:)`). May be
/// used on any thread.
public struct SharedValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    let store: SharedValueStore<Key, Value>

    /// The value of a key at each subscription, as `SharedValue.single`.
    public func single(for key: Key) -> Single<Value> { store.single(key) }

    /// Waits for the value of a key. Throws what `single(for:)` fails with.
    public func value(for key: Key) async throws -> Value { try await single(for: key).value }

    /// Forgets the value of a key, as `SharedValue.forget()`.
    public func forget(_ key: Key) { store.forget(key) }
}
