import HTTPModel
import Networking
import NetworkingTesting

extension StubUpstreams {
    /// Answers a call of a gateway in virtual time. It fails as connections do, with the same reasons and at
    /// the same times.
    func answer(to call: TransportCall, _ unmatched: UnmatchedCalls.Log) -> StubTransport.Answer {
        let stub = self[call.upstream.name]
        guard stub.fault != .refusesConnections else { return .failure(.connectionRefused) }
        let body: ArraySlice<UInt8>
        do {
            body = try call.body.collect()
        } catch {
            let failure = TransportError(.requestError, "\(error)", underlying: error)
            return StubTransport.Answer(.failure(failure))
        }
        let request = StubUpstream.Request(
            upstream: call.upstream.name, method: call.method, path: call.path, query: call.query,
            fields: call.allFields, bytes: body)
        let (index, answer) = stub.answer(to: request, unmatched)
        var scripted = answer.scripted(for: call)
        scripted.ended = { isDelivered in
            if !isDelivered { stub.record.abandoned(index) }
        }
        return scripted
    }
}

extension StubUpstream.Answer {
    fileprivate func scripted(for call: TransportCall) -> StubTransport.Answer {
        guard delay < call.limits.firstByte else { return .silence }
        switch content {
        case .hangs: return .silence
        case .resets: return .failure(.connectionTerminated, after: delay)
        case .response(let response):
            let body = Array(response.body.joined())[...]
            let isEmpty = call.method == .head || response.status.forbidsBody
            return .response(response.framed(isEmpty ? [] : body, of: body.count), after: delay)
        case .truncated(let response):
            let (length, body) = response.truncatedBody
            let sample = SampleResponse.incomplete(response.framed(body, of: length), of: length)
            return StubTransport.Answer(sample, after: delay)
        }
    }
}

extension HTTPResponse {
    /// The response as a server frames it.
    fileprivate func framed(_ body: ArraySlice<UInt8>, of length: Int) -> TransportResponse {
        var response = TransportResponse(status: status, fields: fields, body: body)
        if !status.forbidsBody, !fields.contains(.contentLength) {
            response.fields.append(.contentLength, "\(length)")
        }
        return response
    }
}
