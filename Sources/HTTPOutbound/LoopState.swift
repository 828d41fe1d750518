internal import EventIO
internal import HTTPWire

/// What all pools of one client share, on its loop.
final class LoopState {
    /// Bodies up to this size are copied behind their head and go out in the same write.
    private static var copiedBody: Int { 16 << 10 }

    let loop: EventLoop
    let resolver: Resolver
    /// Calls in all lines of the loop.
    var waitingCalls = 0
    var isClosed = false
    /// Where requests are written before they go out; as large as the largest so far. Touched by the loop's
    /// thread alone, and a write never calls back.
    @exclusivity(unchecked) private var buffer: [UInt8] = []

    init(loop: EventLoop, resolver: Resolver) {
        self.loop = loop
        self.resolver = resolver
    }

    /// Writes a call's request: one system call, unless its body is large.
    func send(
        _ call: OutboundCall, host: RequestSerializer.Host, over stream: SocketStream
    ) throws(SerializationError) {
        buffer.removeAll(keepingCapacity: true)
        try RequestSerializer.appendHead(
            call.method, target: call.target, host: host, fields: call.fields,
            sharedFields: call.sharedFields, body: call.body.isEmpty ? .none : .length(call.body.count),
            to: &buffer)
        let copiesBody = call.body.count <= Self.copiedBody
        if copiesBody, !call.body.isEmpty { buffer.append(contentsOf: call.body) }
        buffer.withUnsafeBytes { stream.write($0) }
        if !copiesBody { stream.write(call.body) }
    }
}
