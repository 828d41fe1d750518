import HTTPModel
import HTTPWire

/// The events of a parser, one line each. Consecutive pieces of a body are joined.
struct Transcript: Equatable {
    private(set) var lines: [String] = []
    private var body: [UInt8] = []
    var isBetweenMessages = true
    var hasFailed = false

    mutating func add(_ line: String) {
        flush()
        lines.append(line)
    }

    mutating func add(_ fields: HTTPFields) {
        for index in 0..<fields.count {
            add("  " + escaped(fields.nameBytes(at: index)) + ": " + escaped(fields.valueBytes(at: index)))
        }
    }

    mutating func add(body bytes: UnsafeRawBufferPointer) {
        if bytes.isEmpty { add("an empty part of a body") }
        body += bytes
    }

    private mutating func flush() {
        if !body.isEmpty { lines.append("body " + escaped(body)) }
        body = []
    }

    /// The events so far, and `more` if a message is incomplete.
    var verdict: [String] {
        var copy = self
        copy.flush()
        return copy.lines + (isBetweenMessages || hasFailed ? [] : ["more"])
    }
}

/// Feeds the pieces to a request parser, as a connection does, and returns its events.
func requestTranscript(_ pieces: [ArraySlice<UInt8>], limits: RequestLimits = RequestLimits()) -> Transcript {
    var parser = RequestParser(limits: limits)
    var transcript = Transcript()
    for piece in pieces where !transcript.hasFailed {
        // The copy lets the address sanitizer detect reads beyond these bytes.
        Array(piece).withUnsafeBytes { transcript.feed(&parser, $0) }
    }
    transcript.isBetweenMessages = !parser.hasStarted
    return transcript
}

/// Feeds the pieces to a response parser and returns its events. Each response is to a request with `method`.
func responseTranscript(_ pieces: [ArraySlice<UInt8>], method: String, finishes: Bool) -> Transcript {
    var parser = ResponseParser()
    var transcript = Transcript()
    parser.expectResponse(to: HTTPMethod(rawValue: method) ?? .get)
    for piece in pieces where !transcript.hasFailed {
        Array(piece).withUnsafeBytes { transcript.feed(&parser, $0) }
    }
    if finishes, !transcript.hasFailed, !parser.isIdle { _ = transcript.add(parser.inputEnded(), of: nil) }
    transcript.isBetweenMessages = parser.isIdle
    return transcript
}

extension Transcript {
    fileprivate mutating func feed(_ parser: inout RequestParser, _ input: UnsafeRawBufferPointer) {
        var consumed = 0
        while true {
            let before = consumed
            switch parser.parse(input, consumed: &consumed) {
            case .needMore:
                if consumed != input.count { add("the parser wants more before it consumed all input") }
                return
            case .head(let head, let framing):
                add(describe(head, framing))
                add(head.fields)
            case .body(let range):
                if range.lowerBound < before || range.upperBound != consumed {
                    add("a body outside of the input")
                }
                add(body: UnsafeRawBufferPointer(rebasing: input[range]))
            case .end:
                add("end")
            case .failed(let error):
                add("\(error.status.code) \(error.message)")
                hasFailed = true
                return
            }
        }
    }

    fileprivate mutating func feed(_ parser: inout ResponseParser, _ input: UnsafeRawBufferPointer) {
        var consumed = 0
        while true {
            let event = parser.parse(input, consumed: &consumed)
            if case .needMore = event {
                if consumed != input.count { add("the parser wants more before it consumed all input") }
                return
            }
            guard add(event, of: input) else { return }
        }
    }

    /// Returns false if no event follows.
    mutating func add(_ event: ResponseParser.Event, of input: UnsafeRawBufferPointer?) -> Bool {
        switch event {
        case .needMore:
            break
        case .informational(let status):
            add("1xx \(status.code)")
        case .head(let head, let framing):
            add(describe(head, framing))
            add(head.fields)
        case .body(let range):
            if let input { add(body: UnsafeRawBufferPointer(rebasing: input[range])) }
        case .end(let reusable):
            add(reusable ? "end reusable" : "end")
        case .failed(let error):
            add("\(error.reason.token): \(error.message)")
            hasFailed = true
            return false
        }
        return true
    }

    private func describe(_ head: HTTPRequestHead, _ framing: RequestFraming) -> String {
        var words = ["\(head.method)", "\(head.target)", "\(head.version)", "\(framing.body)"]
        words.append(framing.keepAlive ? "keep-alive" : "close")
        if framing.expectsContinue { words.append("expects-continue") }
        if framing.namesHopFields { words.append("hop-fields") }
        return words.joined(separator: " ")
    }

    private func describe(_ head: HTTPResponseHead, _ framing: ResponseFraming) -> String {
        var words = ["\(head.version)", "\(head.status.code)", "\(framing.body)"]
        words.append(framing.keepAlive ? "keep-alive" : "close")
        if let timeout = framing.keepAliveTimeout { words.append("timeout=\(timeout)") }
        if let maximum = framing.keepAliveMaximum { words.append("max=\(maximum)") }
        let tolerated = framing.tolerated.messages
        if !tolerated.isEmpty { words.append("tolerated(\(tolerated.joined(separator: "; ")))") }
        return words.joined(separator: " ")
    }
}
