// Calls `handler` with `object` while it lives. A missing handler stays nil, so that an unhandled error is
// recognized.

@inlinable
func whileAlive<Object: AnyObject & Sendable, Value>(
    _ object: Object, _ handler: (@Sendable (Object, Value) -> Void)?
) -> (@Sendable (Value) -> Void)? {
    guard let handler else { return nil }
    return { [weak object] value in
        if let object { handler(object, value) }
    }
}

@inlinable
func whileAlive<Object: AnyObject & Sendable>(
    _ object: Object, _ handler: (@Sendable (Object) -> Void)?
) -> (@Sendable () -> Void)? {
    guard let handler else { return nil }
    return { [weak object] in
        if let object { handler(object) }
    }
}
