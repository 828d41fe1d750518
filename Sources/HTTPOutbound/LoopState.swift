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
    /// Where requests are written before they go out; as large as the largest so far.
    private var buffer: [UInt8] = []

    init(loop: EventLoop, resolver: Resolver) {
        self.loop = loop
        self.resolver = resolver
    }

    /// Writes a request: one system call, unless its body is large.
    func send(
        _ request: OutboundRequest, host: ArraySlice<UInt8>, over stream: SocketStream
    ) throws(SerializationError) {
        // The stream never calls back from inside a write, so nobody else asks for the buffer meanwhile.
        buffer.removeAll(keepingCapacity: true)
        try RequestSerializer.appendHead(
            request.method, target: request.target, host: host, fields: request.fields,
            body: request.body.isEmpty ? .none : .length(request.body.count), to: &buffer)
        if !request.sharedFields.lines.isEmpty {
            // Before the empty line that ends the head.
            buffer.removeLast(2)
            buffer.append(contentsOf: request.sharedFields.lines)
            buffer.append(0x0d)
            buffer.append(0x0a)
        }
        let copiesBody = request.body.count <= Self.copiedBody
        if copiesBody { buffer.append(contentsOf: request.body) }
        buffer.withUnsafeBytes { stream.write($0) }
        if !copiesBody { stream.write(request.body) }
    }
}
