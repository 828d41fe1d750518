import HTTPModel

@testable import GatewayCore

// The parser of multipart forms must not trap or read out of bounds. However the form is cut, its parts,
// bodies and fault are the same. Any body that does not contain the boundary reads back unchanged. The first
// byte sets the length of the pieces.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMultiparts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let all = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = all.first else { return 0 }
    let bytes = Array(all.dropFirst())
    let step = Int(first) + 1
    let whole = parse(bytes, step: max(bytes.count, 1))
    for step in [1, step] {
        let cut = parse(bytes, step: step)
        guard cut == whole else { fatalError("cut by \(step): \(cut) instead of \(whole)") }
    }
    checkBody(bytes, step: step)
    _ = try? FormFields(bytes[...])
    return 0
}

private struct Parsed: Equatable {
    /// The name, file name, type and body of each part. The last body is incomplete if there is a fault.
    var parts: [[String]] = []
    var bodies: [[UInt8]] = []
    var fault: String?
}

private func parse(_ bytes: [UInt8], step: Int) -> Parsed {
    var parser = MultipartParser(boundary: Array("B".utf8))
    var parsed = Parsed()
    var offset = 0
    do {
        while true {
            switch try parser.next() {
            case .needMore:
                let end = min(offset + step, bytes.count)
                if offset < end { parser.receive(bytes[offset..<end]) } else { parser.finish() }
                offset = end
            case .part(let head):
                parsed.parts.append([head.name, head.filename ?? "-", head.contentType?.description ?? "-"])
                parsed.bodies.append([])
            case .body(let piece):
                guard !piece.isEmpty, !parsed.bodies.isEmpty else { fatalError("a body without a part") }
                parsed.bodies[parsed.bodies.count - 1] += piece
            case .partEnd: break
            case .end: return parsed
            }
        }
    } catch {
        parsed.fault = error.message
        return parsed
    }
}

/// A part with these bytes as its body reads back as it was.
private func checkBody(_ bytes: [UInt8], step: Int) {
    let delimiter = Array("\r\n--B".utf8)
    // A line break at the end may begin the delimiter that follows.
    let framed = Array("\r\n".utf8) + bytes + delimiter
    guard framed.indices.filter({ framed[$0...].starts(with: delimiter) }) == [bytes.count + 2] else {
        return
    }
    let form =
        Array("--B\r\nContent-Disposition: form-data; name=a\r\n\r\n".utf8) + bytes + delimiter
        + Array("--\r\n".utf8)
    let parsed = parse(form, step: step)
    guard parsed.fault == nil, parsed.bodies == [bytes] else { fatalError("read back as \(parsed)") }
}
