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

    /// Writes a call's request: one system call, unless its body is large. (The request is read where it lies: a
    /// copy would cost a reference count for each of its fields.)
    func send(
        _ call: LoopSource<CallWork>, host: ArraySlice<UInt8>, over stream: SocketStream
    ) throws(SerializationError) {
        buffer.removeAll(keepingCapacity: true)
        try RequestSerializer.appendHead(
            call.work.request.method, target: call.work.request.target, host: host,
            fields: call.work.request.fields,
            body: call.work.request.body.isEmpty ? .none : .length(call.work.request.body.count), to: &buffer)
        if !call.work.request.sharedFields.lines.isEmpty {
            // Before the empty line that ends the head.
            buffer.removeLast(2)
            buffer.append(contentsOf: call.work.request.sharedFields.lines)
            buffer.append(0x0d)
            buffer.append(0x0a)
        }
        let copiesBody = call.work.request.body.count <= Self.copiedBody
        if copiesBody { buffer.append(contentsOf: call.work.request.body) }
        buffer.withUnsafeBytes { stream.write($0) }
        if !copiesBody { stream.write(call.work.request.body) }
    }
}
