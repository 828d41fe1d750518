internal import EventIO
internal import HTTPModel
internal import HTTPWire

/// What all pools of one client share, on its loop.
final class LoopState {
    /// Bodies up to this size are copied behind their head and go out in the same write.
    private static var copiedBody: Int { 16 << 10 }

    let loop: EventLoop
    let resolver: Resolver
    /// Nil where nobody hears of connections.
    let observer: (any ConnectionObserver)?
    /// Calls in all lines of the loop.
    var waitingCalls = 0
    var isClosed = false
    /// Where requests are written before they go out; as large as the largest so far. Touched by the loop's
    /// thread alone, and a write never calls back.
    private var buffer: [UInt8] = []

    init(loop: EventLoop, resolver: Resolver, observer: (any ConnectionObserver)? = nil) {
        self.loop = loop
        self.observer = observer
        self.resolver = resolver
    }

    /// Writes the head of a call's request whose body follows in pieces.
    func send(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, host: RequestSerializer.Host, fields: HTTPFields,
        sharedFields: HTTPFields, bodyOf source: any OutboundBodySource, expectsContinue: Bool,
        over stream: SocketStream
    ) throws(SerializationError) {
        buffer.removeAll(keepingCapacity: true)
        try RequestSerializer.appendHead(
            method, target: target, host: host, fields: fields, sharedFields: sharedFields,
            body: source.length.map { .length(Int($0)) } ?? .chunked,
            expectsContinue: expectsContinue, to: &buffer)
        buffer.withUnsafeBytes { stream.write($0) }
    }

    /// Writes a call's request: one system call, unless its body is large.
    func send(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, host: RequestSerializer.Host, fields: HTTPFields,
        sharedFields: HTTPFields, body: ArraySlice<UInt8>?, over stream: SocketStream
    ) throws(SerializationError) {
        guard let body, !body.isEmpty else {
            // As nearly all are: put together where it goes out from.
            var failure: SerializationError?
            let most = RequestSerializer.headCapacity(
                method, target: target, host: host, fields: fields, sharedFields: sharedFields)
            let isWritten = stream.writeInPlace(atMost: most) { room in
                do throws(SerializationError) {
                    return try RequestSerializer.writeHead(
                        method, target: target, host: host, fields: fields, sharedFields: sharedFields,
                        body: .none, to: room)
                } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            if isWritten { return }
            buffer.removeAll(keepingCapacity: true)
            try RequestSerializer.appendHead(
                method, target: target, host: host, fields: fields, sharedFields: sharedFields, body: .none,
                to: &buffer)
            return buffer.withUnsafeBytes { stream.write($0) }
        }
        buffer.removeAll(keepingCapacity: true)
        try RequestSerializer.appendHead(
            method, target: target, host: host, fields: fields, sharedFields: sharedFields,
            body: .length(body.count), to: &buffer)
        let copiesBody = body.count <= Self.copiedBody
        if copiesBody { buffer.append(contentsOf: body) }
        buffer.withUnsafeBytes { stream.write($0) }
        if !copiesBody { stream.write(body) }
    }
}
