public import HTTPModel

/// Where a call's request goes: the connection that it was given.
public protocol RequestSink: AnyObject {
    /// Sends a request: the parts of an `OutboundRequest`, with a body in memory.
    func send(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, fields: HTTPFields, sharedFields: HTTPFields,
        body: ArraySlice<UInt8>?)

    /// The same with a body that comes in pieces.
    func send(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, fields: HTTPFields, sharedFields: HTTPFields,
        stream: any OutboundBodySource)
}

extension RequestSink {
    /// The same with whatever body.
    public func send(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, fields: HTTPFields, sharedFields: HTTPFields,
        body: OutboundBody
    ) {
        switch body {
        case .none:
            send(method, target: target, fields: fields, sharedFields: sharedFields, body: nil)
        case .bytes(let bytes):
            send(method, target: target, fields: fields, sharedFields: sharedFields, body: bytes)
        case .stream(let source):
            send(method, target: target, fields: fields, sharedFields: sharedFields, stream: source)
        }
    }
}
