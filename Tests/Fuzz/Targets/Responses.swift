import HTTPModel
import HTTPWire

// The response parser must not trap or read out of bounds. Its verdict is the same however the input is cut,
// and accepted fields can be serialized. The first byte sets the length of the pieces, the second GET or HEAD
// and whether input ends.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzResponses(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let all = Array(UnsafeBufferPointer(start: start, count: count))
    guard all.count > 2 else { return 0 }
    let bytes = Array(all.dropFirst(2))
    let method: HTTPMethod = all[1] & 1 == 0 ? .get : .head
    let finishes = all[1] & 2 == 0
    let whole = events(of: [bytes], method: method, finishes: finishes, takesWhole: true)
    for step in [1, Int(all[0]) + 1] {
        let pieces = stride(from: 0, to: bytes.count, by: step).map {
            Array(bytes[$0..<min($0 + step, bytes.count)])
        }
        let cut = events(of: pieces, method: method, finishes: finishes, takesWhole: false)
        guard whole == cut else { fatalError("cut by \(step): \(cut) instead of \(whole)") }
    }
    return 0
}

/// With `takesWhole`, a response that fits one piece is taken without events, with the same result.
private func events(of pieces: [[UInt8]], method: HTTPMethod, finishes: Bool, takesWhole: Bool) -> String {
    var parser = ResponseParser()
    parser.expectResponse(to: method)
    var text = ""
    var body = 0
    var hasFailed = false
    for piece in pieces where !hasFailed {
        piece.withUnsafeBytes { input in
            var consumed = 0
            if takesWhole, let layout = parser.locateResponse(in: input, contentLimit: input.count) {
                let (head, taken) = parser.take(layout, of: input)
                consumed = layout.length
                _ = note(.head(head, layout.framing), in: &text)
                for byte in taken { body = (body &* 31 &+ Int(byte)) }
                _ = note(.end(reusable: layout.framing.keepAlive), in: &text)
            }
            while !hasFailed {
                let event = parser.parse(input, consumed: &consumed)
                if case .needMore = event {
                    guard consumed == input.count else {
                        fatalError("needs more before consuming all input")
                    }
                    return
                }
                if case .body(let range) = event {
                    guard !range.isEmpty, range.upperBound <= input.count else {
                        fatalError("body outside the input")
                    }
                    for byte in input[range] { body = (body &* 31 &+ Int(byte)) }
                    continue
                }
                hasFailed = note(event, in: &text)
            }
        }
    }
    if finishes, !hasFailed, !parser.isIdle { _ = note(parser.inputEnded(), in: &text) }
    return text + "\(parser.isIdle) \(body)"
}

/// Returns whether the event is a failure.
private func note(_ event: ResponseParser.Event, in text: inout String) -> Bool {
    switch event {
    case .needMore, .body: break
    case .informational(let status): text += "\(status)\n"
    case .head(let head, let framing):
        text += "\(head.version) \(head.status) \(framing) \(head.fields.map { $0 })\n"
        var output: [UInt8] = []
        do {
            _ = try ResponseSerializer.appendHead(
                head.status, head.fields, body: .length(0),
                context: .init(version: .http11, isHead: false, keepAlive: false), to: &output)
        } catch {
            fatalError("accepted, but cannot be serialized: \(error)")
        }
    case .end(let reusable): text += "end \(reusable)\n"
    case .failed(let error):
        text += "\(error.reason.token) \(error.message)\n"
        return true
    }
    return false
}
