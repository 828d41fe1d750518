internal import EventIO
public import HTTPModel
internal import HTTPWire

/// Writes a call's request to the connection that serves the call.
public struct RequestWriter {
    /// Bodies up to this size are copied behind their head and go out in the same write.
    private static var copiedBody: Int { 16 << 10 }

    let connection: Connection
    let stream: SocketStream

    /// Writes a request with a body in memory, in one write unless it is large. `sharedFields` follow
    /// `fields`.
    public func write(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, fields: HTTPFields, sharedFields: HTTPFields,
        body: ArraySlice<UInt8>?
    ) {
        let shared = connection.shared
        connection.logsIn = fields.logInConnection || sharedFields.logInConnection
        let fields = connection.forwardProxy?.adding(to: fields) ?? fields
        do throws(SerializationError) {
            var hasFailed = false
            if let body, !body.isEmpty {
                shared.requestBuffer.removeAll(keepingCapacity: true)
                try RequestSerializer.appendHead(
                    method, target: target, host: connection.host, fields: fields,
                    sharedFields: sharedFields, body: .length(body.count), to: &shared.requestBuffer)
                let copiesBody = body.count <= Self.copiedBody
                if copiesBody { shared.requestBuffer.append(contentsOf: body) }
                shared.requestBuffer.withUnsafeBytes { stream.write($0) }
                if !copiesBody { stream.write(body) }
                hasFailed = stream.hasFailed
            } else {
                try writeHead(method, target: target, fields: fields, sharedFields: sharedFields)
            }
            connection.requestWritten(method, isQueued: stream.queuedByteCount > 0 || hasFailed)
        } catch {
            connection.requestFailed(error)
        }
    }

    /// Writes the head of a request whose body follows in pieces.
    public func write(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, fields: HTTPFields, sharedFields: HTTPFields,
        stream source: any OutboundBodySource
    ) {
        let shared = connection.shared
        connection.logsIn = fields.logInConnection || sharedFields.logInConnection
        let fields = connection.forwardProxy?.adding(to: fields) ?? fields
        let expectsContinue = source.expectsContinue && connection.mayExpect
        do throws(SerializationError) {
            shared.requestBuffer.removeAll(keepingCapacity: true)
            try RequestSerializer.appendHead(
                method, target: target, host: connection.host, fields: fields, sharedFields: sharedFields,
                body: source.knownLength.map { .length(Int($0)) } ?? .chunked,
                expectsContinue: expectsContinue, to: &shared.requestBuffer)
            shared.requestBuffer.withUnsafeBytes { stream.write($0) }
            connection.headWritten(method, bodyOf: source, expectsContinue: expectsContinue)
        } catch {
            connection.requestFailed(error)
        }
    }

    /// Writes a request without a body, as most are: serialized directly into the stream's buffer if there is
    /// room.
    private func writeHead(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, fields: HTTPFields, sharedFields: HTTPFields
    ) throws(SerializationError) {
        let host = connection.host
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
        let shared = connection.shared
        shared.requestBuffer.removeAll(keepingCapacity: true)
        try RequestSerializer.appendHead(
            method, target: target, host: host, fields: fields, sharedFields: sharedFields, body: .none,
            to: &shared.requestBuffer)
        shared.requestBuffer.withUnsafeBytes { stream.write($0) }
    }
}

extension RequestWriter {
    /// Writes a request: its head with both groups of fields, and its body or the beginning of a stream.
    public func write(
        _ method: HTTPMethod, target: ArraySlice<UInt8>, fields: HTTPFields, sharedFields: HTTPFields,
        body: OutboundBody
    ) {
        switch body {
        case .none:
            write(method, target: target, fields: fields, sharedFields: sharedFields, body: nil)
        case .bytes(let bytes):
            write(method, target: target, fields: fields, sharedFields: sharedFields, body: bytes)
        case .stream(let source):
            write(method, target: target, fields: fields, sharedFields: sharedFields, stream: source)
        }
    }
}
