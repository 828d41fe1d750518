import HTTPModel
@_spi(Lines) import JSONBytes
import Networking

/// Answers in another form than Sluice's envelope.
extension Renderer {
    /// Returns the body of a success, and changes the head where the form asks for it.
    func formattedSuccess(
        _ format: EnvelopeFormat, _ words: (code: String, message: String), _ body: Envelope.Body,
        _ results: PartResults?, for request: RequestFacts, _ answer: inout HTTPResponse
    ) {
        switch format.kind {
        case .bare: answer.body = Envelope.data(body, results)
        case .custom(let format):
            let pieces = Envelope.data(body, results)
            var data: [UInt8] = []
            data.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
            for piece in pieces { data += piece }
            let facts = AnswerFacts(
                status: answer.status, code: words.code, title: nil, message: words.message, details: nil,
                data: JSONFragment(valid: data[...]), parts: summaries(of: results),
                requestID: request.requestID, elapsed: .nanoseconds(request.elapsed),
                requestFields: request.fields)
            put(format.format(facts), into: &answer)
        }
    }

    /// Returns the body of a failure, and changes the head where the form asks for it.
    func formattedFailure(
        _ format: any AnswerFormat, _ error: GatewayError, _ results: PartResults?, for request: RequestFacts,
        _ answer: inout HTTPResponse
    ) {
        let facts = AnswerFacts(
            status: answer.status, code: error.code.name, title: error.code.title, message: error.message,
            details: error.details, data: .null, parts: summaries(of: results),
            requestID: request.requestID, elapsed: .nanoseconds(request.elapsed),
            requestFields: request.fields)
        put(format.format(facts), into: &answer)
    }

    /// Says whether the answer is complete, where the form has a field for it. Comes after the endpoint's
    /// fields and replaces one of the same name.
    func addCompleteField(of format: EnvelopeFormat?, isComplete: Bool, to fields: inout HTTPFields) {
        guard let name = format?.completeField else { return }
        fields[name] = isComplete ? "true" : "false"
    }

    private func put(_ formatted: FormattedAnswer, into answer: inout HTTPResponse) {
        if let status = formatted.status { answer.status = status }
        answer.body = formatted.body
        answer.fields[.contentType] = formatted.contentType
    }

    private func summaries(of results: PartResults?) -> [PartSummary] {
        results?.parts.map { part in
            PartSummary(
                name: results?.hasNames == true ? part.name : nil, step: nil, kind: part.outcome?.kind,
                failure: part.failure.map(FailureSummary.init),
                startNanoseconds: part.outcome.map { $0.began ?? results?.began ?? 0 },
                elapsedNanoseconds: part.outcome?.elapsed ?? 0, calls: [])
        } ?? []
    }
}
