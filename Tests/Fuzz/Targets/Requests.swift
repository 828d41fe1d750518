import HTTPModel
import HTTPWire

// The request parser must not trap or read out of bounds, and its verdict does not depend on how the input is
// cut. Every accepted head can be forwarded and is accepted again. The first byte sets the length of the
// pieces.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let all = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = all.first else { return 0 }
    let bytes = Array(all.dropFirst())
    let whole = events(of: [bytes])
    for step in [1, Int(first) + 1] {
        let pieces = stride(from: 0, to: bytes.count, by: step).map {
            Array(bytes[$0..<min($0 + step, bytes.count)])
        }
        let cut = events(of: pieces)
        guard whole.text == cut.text else {
            fatalError("cut by \(step): \(cut.text) instead of \(whole.text)")
        }
    }

    for head in whole.heads where head.method != .connect {
        var fields = head.fields
        fields.removeHopByHop()
        var output: [UInt8] = []
        do {
            try RequestSerializer.appendHead(
                head.method, target: head.target.form == .asterisk ? [0x2a] : head.target.pathBytes,
                host: head.authorityBytes ?? [0x61], fields: fields, body: .none, to: &output)
        } catch {
            fatalError("accepted, but cannot be serialized: \(error)")
        }
        guard let again = events(of: [output], limits: roomier).heads.first, again.method == head.method
        else {
            fatalError("serialized, but not accepted: \(String(decoding: output, as: UTF8.self))")
        }
    }
    return 0
}

/// Limits for serialized heads, which have more lines than the parsed ones.
private let roomier: RequestLimits = {
    var limits = RequestLimits()
    limits.fieldCount += 4
    limits.fieldBlock += 1024
    return limits
}()

private func events(
    of pieces: [[UInt8]], limits: RequestLimits = RequestLimits()
) -> (text: String, heads: [HTTPRequestHead]) {
    var parser = RequestParser(limits: limits)
    var text = ""
    var body = 0
    var heads: [HTTPRequestHead] = []
    for piece in pieces {
        let hasFailed = piece.withUnsafeBytes { input in
            var consumed = 0
            while true {
                switch parser.parse(input, consumed: &consumed) {
                case .needMore:
                    guard consumed == input.count else {
                        fatalError("needs more before consuming all input")
                    }
                    return false
                case .head(let head, let framing):
                    text +=
                        "\(head.method) \(head.target) \(head.version) \(framing) \(head.fields.map { $0 })\n"
                    heads.append(head)
                case .body(let range):
                    guard !range.isEmpty, range.upperBound <= input.count else {
                        fatalError("body outside the input")
                    }
                    for byte in input[range] { body = (body &* 31 &+ Int(byte)) }
                case .end:
                    text += "end \(body)\n"
                case .failed(let error):
                    text += "\(error.status) \(error.message)\n"
                    return true
                }
            }
        }
        if hasFailed { break }
    }
    return (text + "\(parser.hasStarted) \(body)", heads)
}
